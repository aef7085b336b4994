//! What no run may do: touch anything outside its directory, hang, leave something behind, or fall over its input.

mod any_bytes;
mod bad_input;
mod claims;
mod disks;
mod hostile;
mod leftovers;
mod links;
pub(crate) mod process;
mod signals;
pub(crate) mod site;
mod vanishing;
