//! Integration tests, in one binary.

mod bundled_load;
mod check_report;
mod consumers;
mod diagnostics;
mod home;
mod report;
mod sample_result;
