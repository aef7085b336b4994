//! Names that stand in a load for its own beginning and end, and those of what is compared as one.
//!
//! Each is asked for with QUERY_PATH_INFORMATION and is never there, so that a stat of it shows in every trace,
//! whatever the options.

pub const PASS_BEGINS: &str = "pass-begins";
pub const PASS_ENDS: &str = "pass-ends";
pub const DELTREE_BEGINS: &str = "deltree-begins";
pub const DELTREE_ENDS: &str = "deltree-ends";

/// The line that leaves a mark.
pub fn line(mark: &str) -> String {
    format!("QUERY_PATH_INFORMATION \"\\clients\\client1\\{mark}\" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND\n")
}
