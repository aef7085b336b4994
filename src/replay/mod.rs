//! Replaying: clients that execute a program on a file system.

mod by_path;
mod client;
pub mod data;
pub mod dirents;
mod execute;
pub mod failing;
pub mod fs;
pub mod home;
mod lookup;
mod names;
pub mod null;
mod open_files;
pub mod outcome;
pub mod pace;
pub mod real;
pub mod replayer;
pub mod settings;
mod sleep;
mod slots;
pub mod tree;
mod values;

pub use replayer::{Assignment, ClientRecord, Replayer, Scratch};
pub use settings::{OnMismatch, Settings};
