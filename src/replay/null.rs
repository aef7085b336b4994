//! The implementation that answers at once with what the trace expects: it measures rbench itself.

use super::fs::{FileInfo, Filesystem, LockAction};
use crate::op::Status;
use crate::program::{Op, Place};
use nix::Result;
use nix::errno::Errno;
use std::ffi::CStr;

/// Answers every call as the present operation's outcome in the trace asks for.
#[derive(Debug, Default)]
pub struct Null {
    fails: bool,
    bytes: usize,
}

impl Null {
    #[inline]
    fn answer<T>(&self, value: T) -> Result<T> {
        if self.fails { Err(Errno::ENOENT) } else { Ok(value) }
    }
}

impl Filesystem for Null {
    type File = ();

    #[inline(always)]
    fn before(&mut self, op: &Op) {
        self.fails = op.expect == Status::Fail;
        self.bytes = op.returned as usize;
    }

    #[inline]
    fn stat(&mut self, _: Place<'_>) -> Result<FileInfo> {
        self.answer(FileInfo::default())
    }
    #[inline]
    fn fstat(&mut self, (): &()) -> Result<FileInfo> {
        Ok(FileInfo::default())
    }
    fn stat_link(&mut self, _: Place<'_>) -> Result<FileInfo> {
        self.answer(FileInfo::default())
    }
    #[inline]
    fn open(&mut self, _: Place<'_>, _: i32, _: u32) -> Result<()> {
        self.answer(())
    }
    #[inline]
    fn close(&mut self, (): ()) -> Result<()> {
        Ok(())
    }
    #[inline]
    fn read(&mut self, (): &(), buffer: &mut [u8], _: u64) -> Result<usize> {
        self.answer(self.bytes.min(buffer.len()))
    }
    #[inline]
    fn write(&mut self, (): &(), data: &[u8], _: u64) -> Result<usize> {
        self.answer(data.len())
    }
    fn truncate(&mut self, (): &(), _: u64) -> Result<()> {
        Ok(())
    }
    fn fsync(&mut self, (): &()) -> Result<()> {
        self.answer(())
    }
    fn fdatasync(&mut self, (): &()) -> Result<()> {
        Ok(())
    }
    fn lock(&mut self, (): &(), _: LockAction, _: u64, _: u64) -> Result<()> {
        self.answer(())
    }
    fn statfs(&mut self) -> Result<()> {
        self.answer(())
    }
    fn set_times(&mut self, _: Place<'_>, _: Option<(i64, i64)>) -> Result<()> {
        self.answer(())
    }
    fn make_directory(&mut self, _: Place<'_>, _: u32) -> Result<()> {
        self.answer(())
    }
    fn unlink(&mut self, _: Place<'_>) -> Result<()> {
        self.answer(())
    }
    fn remove_directory(&mut self, _: Place<'_>) -> Result<()> {
        self.answer(())
    }
    fn rename(&mut self, _: Place<'_>, _: Place<'_>) -> Result<()> {
        self.answer(())
    }
    fn link(&mut self, _: Place<'_>, _: Place<'_>) -> Result<()> {
        self.answer(())
    }
    fn symlink(&mut self, _: &CStr, _: Place<'_>) -> Result<()> {
        self.answer(())
    }
    fn read_link(&mut self, _: Place<'_>, _: &mut [u8]) -> Result<usize> {
        self.answer(0)
    }
    fn access(&mut self, _: Place<'_>) -> Result<()> {
        self.answer(())
    }
    fn path_limit(&mut self, _: Place<'_>) -> Result<()> {
        self.answer(())
    }
    fn read_entries(&mut self, (): &(), _: &mut [u64]) -> Result<usize> {
        Ok(0)
    }
    fn stat_entry(&mut self, (): &(), _: &CStr) -> Result<()> {
        Ok(())
    }
    fn remove_tree(&mut self, _: Place<'_>, _: bool, _: &mut [u64]) -> Result<()> {
        self.answer(())
    }
    fn get_attribute(&mut self, _: Place<'_>, _: &mut [u8]) -> Result<usize> {
        Ok(0)
    }
    fn get_file_attribute(&mut self, (): &(), _: &mut [u8]) -> Result<usize> {
        Ok(0)
    }
    fn set_file_attribute(&mut self, (): &(), _: &[u8]) -> Result<()> {
        Ok(())
    }
}
