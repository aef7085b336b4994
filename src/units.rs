//! Quantities that parse and print: sizes, durations, rates, and C's `%g`.

mod bytes;
mod general;
mod grouped;
pub mod nanos;
mod rate;
mod share;
mod span;

pub use bytes::{Bytes, BytesError};
pub use general::General;
pub use grouped::Grouped;
pub use rate::{MbPerSecond, RateError, megabytes, per_second};
pub use share::Share;
pub use span::{Span, SpanError, milliseconds};
