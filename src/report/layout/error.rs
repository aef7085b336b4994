//! Why a sweep has no such table.

use super::Layout;

/// Why a sweep has no such table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    #[error("the sweep has no result yet: let it run a while")]
    Empty,
    #[error("the layout {layout} needs {missing}: the sweep has {has}; use {fits}")]
    Missing {
        layout: Layout,
        missing: &'static str,
        /// Its axes.
        has: String,
        /// Layouts for which it has what they need.
        fits: String,
    },
    #[error("the layout {layout} would have {cells} cells: use long, which has a row for each that was run")]
    TooLarge { layout: Layout, cells: usize },
    #[error("the two sweeps have different axes, and cannot be divided: {}", .0.join("; "))]
    OtherAxes(Vec<String>),
}
