//! Tests of the library and the program from outside.

mod bad_loadfiles;
mod corpus;
mod loadfile_properties;
mod loadfile_writing;
