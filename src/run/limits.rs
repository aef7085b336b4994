// temporary
use std::os::fd::BorrowedFd;
#[derive(Debug, thiserror::Error)]
#[error("limit")]
pub struct LimitError;
pub struct SpaceNeed { pub bytes: u64, pub inodes: u64 }
pub fn raise_descriptor_limit(_: u64) -> Result<(), LimitError> { Ok(()) }
pub fn check_space(_: BorrowedFd<'_>, _: SpaceNeed) -> Result<(), LimitError> { Ok(()) }
