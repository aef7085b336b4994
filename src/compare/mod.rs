//! Comparing stored results: which figures, whether they may be compared, and what became of them. Reads results only.

mod agreement;
mod axis;
mod cell;
mod comparison;
mod confirm;
mod doubts;
mod drift;
mod figures;
mod floor;
mod gate;
mod identity;
mod judged;
mod matching;
mod metric;
mod notes;
mod nuisance;
mod observation;
mod pairing;
mod property;
mod refusal;
mod rows;
mod settings;
mod sides;
#[cfg(test)]
mod tests;
mod turns;

pub use cell::{CellKey, tell_apart};
pub use comparison::{Comparison, Note, NoteKind, Row, Sample, Side};
pub use figures::{Figure, figures};
pub use floor::of_equal_runs as floor_of_equal_runs;
pub use gate::Gate;
pub use judged::compare;
pub use metric::{Metric, Quantile, UnknownMetric};
pub use observation::Observation;
pub use property::{Difference, Mixture, Property, Tolerance, Value, differences};
pub use refusal::{Conflict, Refusal};
pub use settings::{EqualRuns, Settings, SideRuns};
pub use sides::{SIDES, sides_of_turns};
pub use turns::compare_turns;
