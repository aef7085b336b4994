//! Measuring: the clock, what each client records, and what is seen of it live.

pub mod clock;
pub mod counters;
pub mod environment;
pub mod live;
mod pass;
pub mod recorder;
pub mod sampler;
pub mod series;
mod tick;

pub use live::LiveCell;
pub use pass::PassEnd;
pub use recorder::{Recorder, Slowest};
pub use tick::{Phase, Tick};
