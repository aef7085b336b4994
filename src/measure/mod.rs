//! Measuring: the clock, what each client records, and what is seen of it live.

pub mod clock;
pub mod live;
mod pass;
pub mod recorder;
mod tick;

pub use live::LiveCell;
pub use pass::PassEnd;
pub use recorder::{Recorder, Slowest};
pub use tick::{Phase, Tick};
