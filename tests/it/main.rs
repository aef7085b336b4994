//! Tests of the library and the program from outside, in one binary.

mod bad_loadfiles;
mod bundled_load;
mod check_report;
mod consumers;
mod corpus;
mod diagnostics;
mod home;
mod loadfile_properties;
mod loadfile_writing;
mod report;
mod safety;
mod sample_result;
