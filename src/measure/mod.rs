//! Measuring: the clock, what each client records, and what is seen of it live.

pub mod buckets;
pub mod clock;
pub mod completions;
pub mod counters;
mod devices;
pub mod environment;
pub mod live;
pub mod meter;
pub(crate) mod mount;
mod pass;
pub mod probe;
pub mod recorder;
pub mod same_file_system;
pub mod sampler;
pub mod seconds;
pub mod series;
pub mod slowest;
pub mod steadiness;
mod system;
mod tick;
pub mod topology;

pub use live::LiveCell;
pub use meter::{Meter, MeterMemory};
pub use pass::PassEnd;
pub use recorder::{Recorder, Slowest};
pub use tick::{Phase, Tick};
