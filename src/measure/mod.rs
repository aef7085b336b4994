//! Measuring: the clock, what each client records, and what is seen of it live.

pub mod clock;
pub mod live;
pub mod recorder;
mod tick;

pub use live::LiveCell;
pub use recorder::Recorder;
pub use tick::{Phase, Tick};
