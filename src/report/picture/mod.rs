//! Pictures of results, as SVG: for pages, and as files of their own.
//!
//! Pure functions from figures to text. Colours are those of [`ink`], which a page may replace.

mod canvas;
mod deltas;
mod heat_map;
pub mod ink;
mod latencies;
mod nights;
mod over_time;
mod sweet_spot;

pub use canvas::{legible, short};
pub use deltas::deltas;
pub use heat_map::heat_map;
pub use latencies::{latencies, latency_curves};
pub use nights::{history, unit, word};
pub use over_time::{MOST_LINES, throughput};
pub use sweet_spot::sweet_spot;

/// A picture, and what it shows in words and figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What a file of it is called, without its ending: letters, digits and dashes.
    pub name: String,
    pub title: String,
    /// What is to be seen, in a sentence or two, for those who do not see it.
    pub description: String,
    /// A whole SVG document without XML declaration, that names its own size in a view box.
    pub svg: String,
    /// The figures; absent where a table stands beside the picture anyway.
    pub table: Option<FigureTable>,
}

/// The figures of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureTable {
    pub headings: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// One line of throughput over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub name: String,
    /// Seconds from the release of the clients, MB per second.
    pub points: Vec<(f64, f64)>,
    /// When the warm-up ended, seconds; absent without one.
    pub warm_up: Option<f64>,
}

/// Latencies of one kind of operation, milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies {
    pub name: String,
    pub count: u64,
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    /// Share of operations (0 to 1) at or below a latency, milliseconds; in rising order.
    pub curve: Vec<(f64, f64)>,
}

/// A grid of figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    pub title: String,
    pub unit: String,
    pub row_axis: String,
    pub column_axis: String,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// Row by row; absent where there is no figure.
    pub values: Vec<Vec<Option<f64>>>,
    /// Whether more is better.
    pub higher_is_better: bool,
}

/// The cells of a sweep between throughput and waiting.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    pub spots: Vec<Spot>,
    /// What is waited for, with its unit.
    pub waiting: String,
    /// The axes by whose values spots are named.
    pub axes: String,
}

/// A cell of a sweep in the plane of two figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Where it lies on each axis, in the order of [`Plane::axes`].
    pub label: String,
    /// Where it lies on each axis, with the axes' names.
    pub name: String,
    /// MB per second: more is better.
    pub throughput: f64,
    /// Milliseconds: less is better.
    pub waiting: f64,
    /// No other cell beats it on both.
    pub sweet: bool,
}
