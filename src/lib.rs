//! rbench replays recorded file operations with many simulated clients and says what the file system delivered.

pub mod bundled;
pub mod campaign;
pub mod cli;
pub mod cmd;
pub mod compare;
pub mod history;
pub mod knob;
pub mod loadfile;
pub mod measure;
pub mod op;
pub mod output;
pub mod program;
pub mod replay;
pub mod report;
pub mod result;
pub mod run;
pub mod stats;
pub mod store;
pub mod sweep;
pub mod units;
pub mod warning;
