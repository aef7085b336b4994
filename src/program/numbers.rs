//! Operations with offsets and sizes: reads, writes, locks, and what their numbers can be at most.

use super::blocks::MAX_DEPTH;
use super::compile::Compiler;
use super::handles::Key;
use super::space::Change;
use super::{Code, Dynamic, MAX_TRANSFER, Op, flag};
use crate::loadfile::Dialect;
use crate::op::{Base, Expression, Kind, Line, Number, PathId, Step};

/// What the value before a `+y` is taken to be at most, for the space estimate, bytes.
const PREVIOUS_BOUND: u64 = 1 << 24;

impl Compiler<'_> {
    /// Puts a read's or write's numbers into the operation, or beside it where they are worked out each time.
    pub(super) fn data(
        &mut self,
        line: &Line,
        mut op: Op,
        numbers: Dynamic,
        path: Option<u32>,
        token: usize,
    ) {
        let reads = self.program.kinds[op.kind as usize].reads();
        let size = self.bound(numbers.size);
        if size > MAX_TRANSFER {
            let what = "a single read or write may not be larger than 1 GiB";
            self.problem(line.number, token + 2, what, "end a random size with %N");
            return;
        }
        let size = match self.options.trunc_io {
            Some(limit) => {
                if reads {
                    // What the trace wrote is cut as well, so that there is less to read.
                    op.flags &= !flag::CHECK_BYTES;
                }
                size.min(u64::from(limit))
            }
            None => size,
        };
        let largest = if reads {
            &mut self.program.max_read
        } else {
            &mut self.program.max_write
        };
        *largest = (*largest).max(size as u32);
        let dynamic = self.program.tracks_previous || !numbers.are_fixed();
        op.length = size as u32;
        op.returned = match numbers.returned {
            Number::Fixed(returned) if op.flags & flag::CHECK_BYTES != 0 => returned.min(size) as u32,
            // A trace that says nothing of it expects all.
            _ => op.length,
        };
        if let Number::Fixed(offset) = numbers.offset {
            op.offset = offset;
        }
        if dynamic {
            op.flags |= flag::DYNAMIC;
            op.b = self.program.dynamics.len() as u32;
            self.program.dynamics.push(numbers);
        }
        let offset = self.offset_bound(numbers.offset);
        if !reads && let Some(path) = path {
            let end = offset.saturating_add(size);
            let times = self.times;
            self.change(Change::Write {
                path,
                end,
                length: size,
                times,
            });
        }
        self.push(op, line);
    }

    pub(super) fn lock(&mut self, line: &Line, kind: Kind, handle: u32, offset: Number, size: Number) {
        let Some(slot) = self.take_slot(line, Key::Number(handle)) else {
            return;
        };
        let code = if kind == Kind::LockX {
            Code::Lock
        } else {
            Code::Unlock
        };
        let mut op = self.operation_of(line, kind, code);
        op.a = slot;
        self.range(line, op, offset, size);
    }

    pub(super) fn path_lock(&mut self, line: &Line, kind: Kind, path: PathId, offset: Number, size: Number) {
        let code = match kind {
            Kind::Lock4 => Code::LockPath,
            Kind::Unlock4 => Code::UnlockPath,
            _ => Code::TestLockPath,
        };
        self.program.opens_by_path = true;
        let mut op = self.operation_of(line, kind, code);
        op.a = self.path(path);
        self.range(line, op, offset, size);
    }

    pub(super) fn range(&mut self, line: &Line, mut op: Op, offset: Number, size: Number) {
        let numbers = Dynamic {
            offset,
            size,
            returned: Number::Fixed(0),
        };
        if self.program.tracks_previous || !numbers.are_fixed() {
            op.flags |= flag::DYNAMIC;
            op.b = self.program.dynamics.len() as u32;
            self.program.dynamics.push(numbers);
        }
        if let (Number::Fixed(offset), Number::Fixed(size)) = (offset, size) {
            op.offset = offset;
            op.set_range_length(size);
        }
        self.push(op, line);
    }

    /// The largest value that an offset can have; the next `+y` adds to it.
    pub(super) fn offset_bound(&mut self, offset: Number) -> u64 {
        let added = match offset {
            Number::Fixed(_) => None,
            Number::Expression(id) => match &self.file.expressions[id.0 as usize] {
                Expression {
                    base: Base::Previous,
                    steps,
                } => match steps[..] {
                    [Step::Add(y)] => Some(y),
                    _ => None,
                },
                _ => None,
            },
        };
        self.last_offset = match added {
            Some(y) => {
                // Loops around it that fix no offset let it grow in each turn.
                let growing = self
                    .loops
                    .iter()
                    .take(MAX_DEPTH)
                    .filter(|open| !open.fixes_offset);
                let turns = growing.fold(1, |turns: u64, open| turns.saturating_mul(open.count.max(1)));
                self.last_offset.saturating_add(y.saturating_mul(turns))
            }
            None => {
                for open in self.loops.iter_mut().take(MAX_DEPTH) {
                    open.fixes_offset = true;
                }
                self.bound(offset)
            }
        };
        self.last_offset
    }

    /// The largest value that a number can have.
    pub(super) fn bound(&self, number: Number) -> u64 {
        let id = match number {
            Number::Fixed(value) => return value,
            Number::Expression(id) => id,
        };
        let expression = &self.file.expressions[id.0 as usize];
        let start = match expression.base {
            Base::Random => u64::MAX,
            // Unknown, but grown from a number of the file by the additions counted below.
            Base::Previous => PREVIOUS_BOUND,
            Base::Turn(variable) => self.last_turn(variable),
        };
        expression.steps.iter().fold(start, |bound, step| match *step {
            Step::Modulo(y) => bound.min(y - 1),
            Step::Floor(y) => bound - bound % y,
            Step::Add(y) if expression.base == Base::Previous => {
                bound.saturating_add(y.saturating_mul(self.times))
            }
            Step::Add(y) => bound.saturating_add(y),
            Step::AddTurn(variable) => bound.saturating_add(self.last_turn(variable)),
            Step::Multiply(y) => bound.saturating_mul(y),
            Step::AddChild | Step::AddChildren => bound.saturating_add(1 << 20),
        })
    }

    pub(super) fn transfer(&mut self, line: &Line, kind: Kind, handle: u32, numbers: Dynamic) {
        let Some(slot) = self.take_slot(line, Key::Number(handle)) else {
            return;
        };
        let code = if kind.reads() { Code::Read } else { Code::Write };
        let mut op = self.operation_of(line, kind, code);
        op.a = slot;
        match self.file.dialect {
            Dialect::Nb3 => op.flags |= flag::CHECK_BYTES,
            _ => op.flags |= flag::COUNT_REQUESTED,
        }
        let path = self.space.path_of(slot);
        if self.file.dialect == Dialect::Smb1
            && kind.reads()
            && let (Some(path), Number::Fixed(offset), Number::Fixed(size)) =
                (path, numbers.offset, numbers.size)
        {
            self.recorded_read(line, path, offset, size);
        }
        self.data(line, op, numbers, path, 1);
    }

    pub(super) fn path_transfer(
        &mut self,
        line: &Line,
        kind: Kind,
        path: PathId,
        range: (Number, Number),
        stable: u32,
    ) {
        let (offset, size) = range;
        let returned = Number::Fixed(u64::from(stable));
        let numbers = Dynamic {
            offset,
            size,
            returned,
        };
        let index = self.path(path);
        let smb5 = self.file.dialect == Dialect::Smb5;
        let (code, target) = if smb5 && !self.file.has_random_strings {
            let Some(slot) = self.take_slot(line, Key::Path(index)) else {
                return;
            };
            (if kind.reads() { Code::Read } else { Code::Write }, slot)
        } else {
            self.program.opens_by_path = true;
            let code = match (smb5, kind.reads()) {
                (true, true) => Code::ReadOpen,
                (true, false) => Code::WriteOpen,
                (false, true) => Code::ReadPath,
                (false, false) => Code::WritePath,
            };
            (code, index)
        };
        let mut op = self.operation_of(line, kind, code);
        op.a = target;
        if stable > 0 {
            op.flags |= flag::FOLLOW_UP;
        }
        self.data(line, op, numbers, Some(index), 1);
    }
}

impl Dynamic {
    /// Whether every number is known now.
    fn are_fixed(&self) -> bool {
        [self.offset, self.size, self.returned]
            .iter()
            .all(|number| matches!(number, Number::Fixed(_)))
    }
}
