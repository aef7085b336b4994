//! Integration tests, in one binary.

mod bundled_load;
mod check_report;
mod conformance;
mod consumers;
mod diagnostics;
mod report;
mod sample_result;
