//! Measuring: the clock, what each client records, and what is seen of it live.

pub mod clock;
pub mod live;
pub mod recorder;

pub use live::LiveCell;
pub use recorder::Recorder;
