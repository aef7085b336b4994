//! Campaigns of two sides that take turns: in which order their runs are made. Nothing is run here.

mod order;
mod schedule;

pub use order::{Order, SeededOrder};
pub use schedule::{Schedule, Slot};
