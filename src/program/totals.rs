//! What one pass of a program does, counted without running it.

use super::{Code, Op, Program, flag};
use crate::op::{Kind, Status};

/// Counts over one pass (preparation not included).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// Operations by kind, in the order of [`Kind`].
    pub operations: Vec<(Kind, u64)>,
    /// Bytes that count as read and as written when everything comes out as the trace says.
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Operations that must fail.
    pub expected_failures: u64,
    /// Due time of the last operation that has one, microseconds.
    pub duration_micros: Option<u64>,
}

/// Counts a program's pass.
pub fn totals(program: &Program) -> Totals {
    let mut totals = Totals::default();
    let mut counts = vec![0u64; program.kinds.len()];
    let mut times = vec![1u64];
    for op in &program.ops {
        let around = times.last().copied().unwrap_or(1);
        match op.code {
            Code::LoopStart => times.push(around.saturating_mul(op.offset)),
            Code::LoopEnd => {
                times.pop();
            }
            code if code.is_operation() => {
                let count = &mut counts[op.kind as usize];
                *count = count.saturating_add(around);
                if op.expect == Status::Fail {
                    totals.expected_failures = totals.expected_failures.saturating_add(around);
                } else {
                    totals.add_bytes(op, around);
                }
            }
            _ => {}
        }
    }
    let kinds = program.kinds.iter().copied().zip(counts);
    totals.operations = kinds.filter(|&(_, count)| count > 0).collect();
    totals.operations.sort_by_key(|&(kind, _)| kind);
    let due = program.due.iter().filter(|&&due| due != super::NOT_DUE);
    totals.duration_micros = due.max().copied();
    totals
}

impl Totals {
    fn add_bytes(&mut self, op: &Op, times: u64) {
        let counted = match op.flags & flag::CHECK_BYTES {
            0 => op.length,
            _ => op.returned,
        };
        let bytes = u64::from(counted).saturating_mul(times);
        match op.code {
            Code::Read | Code::ReadPath | Code::ReadOpen => {
                self.bytes_read = self.bytes_read.saturating_add(bytes);
            }
            Code::Write | Code::WritePath | Code::WriteOpen => {
                self.bytes_written = self.bytes_written.saturating_add(bytes);
            }
            _ => {}
        }
    }

    /// Operations of a kind.
    pub fn count(&self, kind: Kind) -> u64 {
        let found = self.operations.iter().find(|(k, _)| *k == kind);
        found.map_or(0, |&(_, count)| count)
    }
}
