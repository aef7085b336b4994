//! Replaying: N clients, each in its own directory, and the directories themselves.

pub mod dirents;
pub mod home;
pub mod tree;
