//! Comparing stored results: which figures, whether they may be compared, and what became of them. Reads results only.

mod cell;
mod comparison;
mod confirm;
mod figures;
mod gate;
mod metric;

pub use cell::CellKey;
pub use comparison::{Comparison, Note, NoteKind, Row, Sample, Side};
pub use figures::{Figure, figures};
pub use gate::Gate;
pub use metric::{Metric, Quantile, UnknownMetric};
