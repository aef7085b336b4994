//! Kernel settings that are changed for a while, and always put back.
//!
//! Whoever wants to change some gives [`Guarded::start`] all of them with all their values. In this order, it
//! - checks everything that can be checked without changing anything;
//! - takes the lock, so that two do not mix up what was before (`lock`);
//! - saves the values, and those that the kernel changes along with them (`companions`), in a journal below /run, which
//!   is forgotten with the settings when the machine stops (`journal`);
//! - starts the guardian, a process that puts everything back when rbench has ended, however it ended (`guardian`);
//! - tries every value, so that none is refused in the middle of a long sweep.
//!
//! If rbench is killed, its guardian puts back what it changed. If the guardian is killed, rbench starts another before
//! it changes anything more. If both are, the next start of rbench finds the journal unlocked, and acts on it
//! ([`recover`]).

mod companions;
mod error;
mod guarded;
mod guardian;
mod journal;
mod lock;
mod recover;
mod restore;
mod setting;
mod value;
mod writeback;

pub use error::KnobError;
pub use guarded::Guarded;
pub use guardian::{SUBCOMMAND, guard};
pub use recover::{Recovered, recover};
pub use restore::{NotBack, Saved};
pub use setting::{Root, Setting};
pub use writeback::writeback_doubt;
