//! Tests of the library and the program from outside, in one binary.

mod bad_loadfiles;
mod bundled_load;
mod check_report;
mod conformance;
mod consumers;
mod corpus;
mod diagnostics;
mod home;
mod loadfile_properties;
mod loadfile_writing;
mod readme;
mod report;
mod run_directives;
mod run_nb2;
mod run_nb3;
mod run_nfs;
mod run_outcomes;
mod run_paths;
mod run_smb1;
mod run_smb5;
mod safety;
mod sample_result;
mod scratch;
