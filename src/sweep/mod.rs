//! Sweeps: every cell of a grid, in which order, and what of it is done. Nothing is run here.

mod axis;
mod done;
mod grid;
mod pace;
mod schedule;

pub use axis::{Axis, AxisError, values};
pub use done::{Done, DoneError};
pub use grid::{Grid, GridError};
pub use pace::Pace;
pub use schedule::{Order, Turn, schedule};
