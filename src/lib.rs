//! rbench replays recorded file operations with many simulated clients and says what the file system delivered.

pub mod loadfile;
pub mod op;
pub mod replay;
pub mod result;
pub mod run;
