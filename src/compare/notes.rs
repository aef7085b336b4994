//! Footnotes, as they are collected.

use super::{Note, NoteKind};

/// Footnotes with their numbers.
#[derive(Debug, Default)]
pub(super) struct Notes {
    all: Vec<Note>,
}

impl Notes {
    /// Adds one, unless there is the same; answers its number.
    pub(super) fn add(&mut self, kind: NoteKind, text: String) -> u32 {
        let note = Note { kind, text };
        let index = self.all.iter().position(|one| *one == note).unwrap_or_else(|| {
            self.all.push(note);
            self.all.len() - 1
        });
        u32::try_from(index + 1).unwrap_or(u32::MAX)
    }

    pub(super) fn into_vec(self) -> Vec<Note> {
        self.all
    }
}

/// `1 run`, `2 runs`.
pub(super) fn runs(count: u32) -> String {
    counted(count, "run")
}

/// `1 pair`, `2 pairs`.
pub(super) fn counted(count: u32, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A length as the other counts are.
pub(super) fn count<T>(of: &[T]) -> u32 {
    u32::try_from(of.len()).unwrap_or(u32::MAX)
}
