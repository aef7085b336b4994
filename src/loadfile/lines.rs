//! The lines of a loadfile, in the chunks that they were read in.

use crate::op::Line;

/// Lines in order.
///
/// They stay in the chunks that were read in parallel: joining the 37 MB of a usual trace into one vector costs as much
/// as the reading.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    /// None is empty.
    chunks: Vec<Vec<Line>>,
    /// How many lines stand before each chunk.
    starts: Vec<usize>,
    len: usize,
    /// Whether none is a LOOP or a REPEAT.
    loopless: bool,
}

/// Iterator over [`Lines`].
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    chunks: std::slice::Iter<'a, Vec<Line>>,
    current: std::slice::Iter<'a, Line>,
    left: usize,
}

impl Lines {
    /// Lines that were read in several parts, in order.
    pub fn from_chunks(chunks: impl IntoIterator<Item = Vec<Line>>) -> Lines {
        let mut lines = Lines::default();
        for chunk in chunks.into_iter().filter(|chunk| !chunk.is_empty()) {
            lines.starts.push(lines.len);
            lines.len += chunk.len();
            lines.chunks.push(chunk);
        }
        lines
    }

    /// The same lines, of which it is known whether there are loops or repetitions.
    pub(super) fn with_loops(self, loops: bool) -> Lines {
        Lines {
            loopless: !loops,
            ..self
        }
    }

    /// Whether there can be loops or repetitions.
    pub fn may_loop(&self) -> bool {
        !self.loopless
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All lines in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            chunks: self.chunks.iter(),
            current: [].iter(),
            left: self.len,
        }
    }

    /// The line at an index, from 0; in the logarithm of the number of chunks.
    pub fn get(&self, index: usize) -> Option<&Line> {
        let chunk = self
            .starts
            .partition_point(|&start| start <= index)
            .checked_sub(1)?;
        self.chunks[chunk].get(index - self.starts[chunk])
    }
}

impl From<Vec<Line>> for Lines {
    fn from(lines: Vec<Line>) -> Lines {
        Lines::from_chunks([lines])
    }
}

impl FromIterator<Line> for Lines {
    fn from_iter<I: IntoIterator<Item = Line>>(lines: I) -> Lines {
        lines.into_iter().collect::<Vec<_>>().into()
    }
}

impl std::ops::Index<usize> for Lines {
    type Output = Line;

    /// # Panics
    /// There is no such line, as with a slice.
    fn index(&self, index: usize) -> &Line {
        match self.get(index) {
            Some(line) => line,
            None => panic!("line {index} of {}", self.len),
        }
    }
}

impl<'a> IntoIterator for &'a Lines {
    type Item = &'a Line;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Line;

    #[inline]
    fn next(&mut self) -> Option<&'a Line> {
        loop {
            if let Some(line) = self.current.next() {
                self.left -= 1;
                return Some(line);
            }
            self.current = self.chunks.next()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl PartialEq for Lines {
    /// By the lines alone: where the chunks end does not matter.
    fn eq(&self, other: &Lines) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl Eq for Lines {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Action, Status};

    fn line(number: u32) -> Line {
        Line {
            number,
            status: Status::Ok,
            due: None,
            action: Action::EndLoop,
        }
    }

    #[test]
    fn lines_in_chunks_read_like_lines_in_one_vector() {
        let whole: Lines = (1..=7).map(line).collect();
        let chunks = [
            vec![],
            vec![line(1), line(2)],
            vec![],
            vec![line(3)],
            (4..=7).map(line).collect(),
            vec![],
        ];
        let lines = Lines::from_chunks(chunks);
        assert_eq!(lines, whole);
        assert_eq!(lines.iter().len(), 7);
        for index in 0..7 {
            assert_eq!(lines[index].number as usize, index + 1);
        }
        assert_eq!(lines.get(7), None);
        assert_eq!(Lines::default().get(0), None);
        assert!(Lines::from_chunks([vec![]]).is_empty());
        assert_ne!(lines, (1..=6).map(line).collect());
    }
}
