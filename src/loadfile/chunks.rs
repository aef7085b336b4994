//! Reading a loadfile in chunks, in parallel.

use super::lines::Lines;
use super::part::{Context, Part};
use crate::op::{Action, ExprId, Line, Number, PathId, TextId};
use rayon::prelude::*;

/// How large a chunk is, in bytes: small enough to stay in a core's cache between reading and renumbering.
const CHUNK: usize = 512 << 10;

/// Reads in parallel the lines of a text that stands after `before` lines.
///
/// The lines come in chunks; the part's own are empty.
pub(super) fn read<'a>(text: &'a [u8], context: &Context<'_>, before: u32) -> (Lines, Part<'a>) {
    let chunks = split(text, CHUNK);
    let parts: Vec<Part<'a>> = chunks
        .into_par_iter()
        .map(|chunk| Part::read(chunk, context))
        .collect();
    merge(parts, before)
}

/// Cuts a text into pieces of about `size` bytes that end at line ends.
fn split(text: &[u8], size: usize) -> Vec<&[u8]> {
    let mut chunks = Vec::with_capacity(text.len() / size.max(1) + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let from = size.clamp(1, rest.len()) - 1;
        let end = memchr::memchr(b'\n', &rest[from..]).map_or(rest.len(), |end| from + end + 1);
        let (chunk, left) = rest.split_at(end);
        chunks.push(chunk);
        rest = left;
    }
    chunks
}

/// What has to be added to the numbers in a part's lines when it follows others.
struct Renumbering {
    lines: u32,
    paths: Vec<PathId>,
    expressions: Vec<ExprId>,
    texts: u32,
}

/// Joins parts that follow each other; the result is that of reading their texts as one.
fn merge<'a>(parts: Vec<Part<'a>>, before: u32) -> (Lines, Part<'a>) {
    let mut merged = Part {
        total_lines: before,
        ..Part::default()
    };
    let mut tasks = Vec::with_capacity(parts.len());
    for part in parts {
        let before = merged.total_lines;
        let task = Renumbering {
            lines: before,
            paths: merged.paths.absorb(part.paths, before),
            expressions: merged.expressions.absorb(part.expressions),
            texts: merged.texts.len() as u32,
        };
        merged.texts.extend(part.texts);
        merged.problems.append(part.problems, before);
        merged.resolve = part.resolve.or(merged.resolve);
        merged.random_strings |= part.random_strings;
        merged.loop_variables |= part.loop_variables;
        merged.bare_slot |= part.bare_slot;
        merged.total_lines += part.total_lines;
        tasks.push((part.lines, task));
    }
    let renumbered: Vec<(Vec<Line>, bool)> = tasks
        .into_par_iter()
        .map(|(mut lines, task)| {
            let loops = task.apply(&mut lines);
            (lines, loops)
        })
        .collect();
    let loops = renumbered.iter().any(|&(_, loops)| loops);
    let chunks = renumbered.into_iter().map(|(lines, _)| lines);
    (Lines::from_chunks(chunks).with_loops(loops), merged)
}

impl Renumbering {
    /// Renumbers lines; answers whether there are loops or repetitions among them.
    fn apply(&self, lines: &mut [Line]) -> bool {
        let mut loops = false;
        for line in lines {
            line.number += self.lines;
            loops |= matches!(line.action, Action::Loop { .. } | Action::Repeat { .. });
            self.action(&mut line.action);
        }
        loops
    }

    fn path(&self, path: &mut PathId) {
        *path = self.paths[path.0 as usize];
    }

    fn number(&self, number: &mut Number) {
        if let Number::Expression(id) = number {
            *id = self.expressions[id.0 as usize];
        }
    }

    fn text(&self, text: &mut TextId) {
        text.0 += self.texts;
    }

    fn action(&self, action: &mut Action) {
        match action {
            Action::Create { path, .. }
            | Action::SmbOpen { path, .. }
            | Action::Path { path, .. }
            | Action::Sized { path, .. }
            | Action::Find { path, .. }
            | Action::Open { path, .. } => self.path(path),
            Action::TwoPaths { first, second, .. } => {
                self.path(first);
                self.path(second);
            }
            Action::Transfer {
                offset,
                size,
                returned,
                ..
            } => {
                self.number(offset);
                self.number(size);
                self.number(returned);
            }
            Action::Lock { offset, size, .. } => {
                self.number(offset);
                self.number(size);
            }
            Action::PathTransfer {
                path, offset, size, ..
            }
            | Action::PathLock {
                path, offset, size, ..
            } => {
                self.path(path);
                self.number(offset);
                self.number(size);
            }
            Action::Sleep { micros, .. } => self.number(micros),
            Action::RandomString { text, .. } | Action::WritePattern { text } => self.text(text),
            Action::Handle { .. }
            | Action::FileSystem { .. }
            | Action::Loop { .. }
            | Action::EndLoop
            | Action::Repeat { .. }
            | Action::SetPoint { .. }
            | Action::WaitPoint { .. }
            | Action::Prepare { .. }
            | Action::EndPrepare => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadfile::Dialect;
    use proptest::prelude::*;

    const CONTEXT: Context<'_> = Context {
        dialect: Dialect::Nb3,
        dialect_line: 1,
        params: &[],
        bare_slots: true,
    };

    /// Lines of every kind that has something to renumber, good and bad.
    const LINES: &[&str] = &[
        "Unlink \"\\a\" NT_STATUS_OK\n",
        "Rename \"\\b\" \"\\a\" NT_STATUS_OK\r\n",
        "NTCreateX \"\\c\" 0x1 0x2 5 NT_STATUS_OK\n",
        "FIND_FIRST \"\\c\" 1 2 3 *\n",
        "ReadX 5 +4096 *%7 +4096 NT_STATUS_OK\n",
        "LockX 5 +1 2 NT_STATUS_OK\n",
        "Sleep *%9 NT_STATUS_OK\n",
        "WRITEPATTERN abc\n",
        "RANDOMSTRING 1 \"a[b]\"\n",
        "Unlink $1 *\n",
        "RESOLVE off\n",
        "RESOLVE on\n",
        "Unlink \"\\..\" NT_STATUS_OK\n",
        "# comment\n",
        "\n",
        "Foo\n",
        "Close\n",
        "\u{1}\u{2}\n",
    ];

    /// All that a part says, without the room that it keeps.
    fn all_of(lines: Lines, part: Part<'_>) -> impl PartialEq + std::fmt::Debug {
        let mut problems = part.problems;
        part.paths
            .check(super::super::paths::KnownLater::default(), &mut problems);
        (
            lines.iter().cloned().collect::<Vec<_>>(),
            part.paths.finish(),
            part.expressions.list,
            part.texts,
            problems.finish(),
            (
                part.resolve,
                part.random_strings,
                part.bare_slot,
                part.total_lines,
            ),
        )
    }

    proptest! {
        #[test]
        fn reading_in_chunks_is_reading_as_one(
            picks in prop::collection::vec(prop::sample::select(LINES), 0..200), size in 1usize..400, cut in 0usize..3
        ) {
            let text = picks.concat();
            let text = &text.as_bytes()[..text.len().saturating_sub(cut)];
            let mut whole = Part::read(text, &CONTEXT);
            let lines = std::mem::take(&mut whole.lines).into();
            let parts: Vec<_> = split(text, size).into_par_iter().map(|chunk| Part::read(chunk, &CONTEXT)).collect();
            let (chunked, merged) = merge(parts, 0);
            prop_assert_eq!(all_of(chunked, merged), all_of(lines, whole));
        }

        #[test]
        fn chunks_cover_the_text_and_end_at_line_ends(text in "[a\n]{0,60}", size in 0usize..20) {
            let chunks = split(text.as_bytes(), size);
            prop_assert_eq!(chunks.concat(), text.as_bytes());
            let inner = chunks.split_last().map_or(&[][..], |(_, inner)| inner);
            prop_assert!(inner.iter().all(|chunk| chunk.ends_with(b"\n")));
            prop_assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
        }
    }
}
