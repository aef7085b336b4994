//! rbench replays recorded file operations with many simulated clients and says what the file system delivered.

pub mod bundled;
pub mod loadfile;
pub mod op;
pub mod result;
