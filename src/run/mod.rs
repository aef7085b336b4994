//! Runs: from a plan to a result.

pub mod gate;
