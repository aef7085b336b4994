//! Kernel settings are changed for a sweep and always put back, byte for byte. Tests that change some need root, and run
//! one after another.

mod ends;
mod journal;
mod library;
mod limits;
mod machine;
mod refused;
mod scheduler;
