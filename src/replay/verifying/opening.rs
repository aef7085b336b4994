//! Opening a file, and what can still be known of it then.

use super::ledger::Identity;
use super::{Checked, Verifying};
use crate::measure::clock::Nanos;
use crate::program::{Place, Root};
use crate::replay::fs::Filesystem;
use nix::Result;

/// Everything from an offset on.
fn from(offset: i64) -> std::ops::Range<u64> {
    offset.max(0).unsigned_abs()..u64::MAX
}

impl<F: Filesystem> Verifying<'_, F> {
    /// Makes an opened file one that is checked.
    pub(super) fn enter(&mut self, place: Place<'_>, flags: i32, file: F::File) -> Result<Checked<F::File>> {
        let info = match self.inner.fstat(&file) {
            Ok(info) => info,
            Err(errno) => {
                // Without it, writes would go unnoted.
                let _ = self.inner.close(file);
                return Err(errno);
            }
        };
        let identity = Identity::from(&info);
        let born = self.inner.born(&file);
        let now = Nanos::now();
        let written = (!info.is_directory).then(|| (identity, self.ledger.open(identity, born, now)));
        if let Some((_, written)) = &written
            && !written.is_surely(born, now)
            && written.reading().end() > info.size.max(0).unsigned_abs()
        {
            let mut extents = written.writing();
            // Others may have written since, so that the size has to be asked again.
            let size = self.inner.fstat(&file).map_or(0, |info| info.size);
            extents.forget(from(size));
        }
        Ok(Checked {
            file,
            written,
            appends: flags & libc::O_APPEND != 0,
            path: place
                .root
                .shown(self.client, &place.path.to_string_lossy())
                .into_boxed_str(),
        })
    }

    /// Opens with O_TRUNC. What the file held must be forgotten in one step with its being emptied, or a read of
    /// another client would come between.
    pub(super) fn open_empty(&mut self, place: Place<'_>, flags: i32, mode: u32) -> Result<Checked<F::File>> {
        if place.root == Root::Shared {
            // Another client may put another file in its place meanwhile: only the opened file is sure.
            let mut flags = flags & !libc::O_TRUNC;
            if flags & libc::O_ACCMODE == libc::O_RDONLY {
                // ftruncate(2) wants a file that is open for writing.
                flags = flags & !libc::O_ACCMODE | libc::O_RDWR;
            }
            let file = self.open(place, flags, mode)?;
            return match self.truncate(&file, 0) {
                Ok(()) => Ok(file),
                Err(errno) => {
                    let _ = self.close(file);
                    Err(errno)
                }
            };
        }
        let info = self.inner.stat(place).ok();
        let known = info.and_then(|info| {
            let identity = Identity::from(&info);
            Some((identity, self.ledger.get(identity)?))
        });
        let mut locked = known.as_ref().map(|(_, written)| written.writing());
        let opened = self.inner.open(place, flags, mode);
        if let Some(extents) = &mut locked {
            // An open that fails may have emptied it too.
            extents.forget(from(0));
        }
        drop(locked);
        let file = self.enter(place, flags, opened?)?;
        if let (Some((opened, written)), Some((identity, _))) = (&file.written, &known)
            && opened != identity
        {
            // Through a link into another client's directory: it was another file after all.
            written.writing().forget(from(0));
        }
        Ok(file)
    }
}
