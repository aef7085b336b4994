//! Where an smb1 recording does not agree with itself: packets were lost when it was made. No errors, only warnings.

use super::compile::Compiler;
use crate::op::Line;

/// What was found so far, each kind with its first line.
#[derive(Debug, Default)]
pub(super) struct Recording {
    short_reads: Found,
    /// Bytes that were asked for behind the ends of files.
    missing: u64,
    sizes: Found,
    directories: Found,
}

#[derive(Debug, Default)]
struct Found {
    first: u32,
    count: u64,
}

impl Found {
    fn note(&mut self, line: &Line) {
        if self.count == 0 {
            self.first = line.number;
        }
        self.count += 1;
    }
}

impl Compiler<'_> {
    /// A read of a file whose end it may meet.
    pub(super) fn recorded_read(&mut self, line: &Line, path: u32, offset: u64, size: u64) {
        let Some(end) = self.space.size_of(path) else {
            return;
        };
        let missing = offset.saturating_add(size).saturating_sub(end.max(offset));
        if missing > 0 {
            self.recording.short_reads.note(line);
            self.recording.missing = self.recording.missing.saturating_add(missing);
        }
    }

    /// A reply that tells a size.
    pub(super) fn recorded_size(&mut self, line: &Line, path: u32, size: u64) {
        if self.space.size_of(path).is_some_and(|ours| ours != size) {
            self.recording.sizes.note(line);
        }
    }

    /// A directory is made.
    pub(super) fn recorded_mkdir(&mut self, line: &Line, path: u32) {
        if self.space.exists(path) {
            self.recording.directories.note(line);
        }
    }

    pub(super) fn warn_of_recording(&mut self) {
        let Recording {
            short_reads,
            missing,
            sizes,
            directories,
        } = std::mem::take(&mut self.recording);
        let and_more = |found: &Found| match found.count {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        if short_reads.count > 0 {
            let what = format!(
                "a read meets the end of its file{}: {missing} of the bytes asked for are not there",
                and_more(&short_reads)
            );
            self.warn(short_reads.first, what, "they count all the same");
        }
        if sizes.count > 0 {
            let what = format!(
                "the reply tells another size than the file has by then{}",
                and_more(&sizes)
            );
            self.warn(sizes.first, what, "the size is not compared");
        }
        if directories.count > 0 {
            let what = format!("the directory is there already{}", and_more(&directories));
            self.warn(directories.first, what, "that is no mismatch");
        }
    }
}
