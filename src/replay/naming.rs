//! Operations on names: removing, renaming, linking.

use super::execute::Outcome;
use super::fs::Filesystem;
use super::lookup::{lookup, sync_parent};
use super::names::Which;
use super::replayer::Replayer;
use crate::program::{Code, Op, Place};
use nix::errno::Errno;

impl<F: Filesystem> Replayer<'_, F> {
    /// `check` is `--stat-check`: what is no directory is left alone, and its parent is not synced (as in dbench 4.0).
    pub(super) fn removal(
        &mut self,
        op: &Op,
        check: bool,
        call: impl FnOnce(&mut F, Place<'_>) -> nix::Result<()>,
    ) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        let place = self.names.place(self.program, op.a, Which::First);
        let _ = lookup(&mut self.fs, self.settings, self.entries, place, op.flags);
        if check && !self.fs.stat(place)?.is_directory {
            return Err(Errno::ENOTDIR.into());
        }
        let removed = call(&mut self.fs, place);
        if self.settings.sync_dir {
            sync_parent(&mut self.fs, place)?;
        }
        if self.program.caches_files()
            && removed.is_ok()
            && let Some(file) = self.open_files.take(place)
        {
            self.fs.close(file)?;
        }
        Ok(removed.map(|()| 0)?)
    }

    pub(super) fn rename(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        self.names.assemble(self.program, op.b, Which::Second)?;
        let old = self.names.place(self.program, op.a, Which::First);
        let new = self.names.place(self.program, op.b, Which::Second);
        let (fs, settings) = (&mut self.fs, self.settings);
        let _ = lookup(fs, settings, self.entries, old, op.flags);
        let _ = lookup(fs, settings, self.entries, new, op.flags);
        if settings.stat_check {
            let _ = fs.stat(old);
        }
        if old.is_root() || new.is_root() {
            return Err(Errno::EBUSY.into());
        }
        let renamed = fs.rename(old, new);
        if settings.sync_dir {
            sync_parent(fs, new)?;
        }
        if self.program.caches_files() && renamed.is_ok() {
            for place in [old, new] {
                while let Some(file) = self.open_files.take_below(place) {
                    fs.close(file)?;
                }
            }
        }
        Ok(renamed.map(|()| 0)?)
    }

    pub(super) fn link(&mut self, op: &Op) -> Outcome {
        self.names.assemble(self.program, op.a, Which::First)?;
        self.names.assemble(self.program, op.b, Which::Second)?;
        let new = self.names.place(self.program, op.a, Which::First);
        let existing = self.names.place(self.program, op.b, Which::Second);
        if op.code == Code::Link {
            self.fs.link(existing, new)?;
        } else {
            let target = self.names.link_target(new, existing, &mut self.link_target)?;
            self.fs.symlink(target, new)?;
        }
        Ok(0)
    }
}
