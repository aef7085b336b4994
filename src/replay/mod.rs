//! Replaying: clients that execute a program on a file system.

pub mod aligned;
mod attributes;
mod by_path;
mod client;
mod control;
pub mod data;
mod directories;
pub mod dirents;
mod execute;
pub mod failing;
pub mod fs;
pub mod gate;
pub mod home;
mod judge;
mod lookup;
mod names;
mod naming;
pub mod null;
mod open_files;
mod opens;
pub mod outcome;
pub mod pace;
pub mod real;
pub mod replayer;
pub mod settings;
pub mod sleep;
mod slots;
mod transfers;
pub mod tree;
mod values;
mod verification;
pub mod verifying;

pub use replayer::{Assignment, ClientRecord, Replayer, Scratch};
pub use settings::{DataKind, OnMismatch, Settings};
pub use verification::{Corruption, Verification};
