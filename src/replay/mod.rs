pub mod dirents;
pub mod tree;
