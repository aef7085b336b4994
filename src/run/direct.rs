//! `--direct`: whether files can be opened with O_DIRECT, and which offsets and sizes that allows.

use super::RunError;
use super::plan::Plan;
use crate::loadfile::{Dialect, Problem, Problems};
use crate::op::{Base, Expression, Number, Step};
use crate::program::{Code, Op, Program, flag};
use crate::replay::aligned::Aligned;
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use nix::sys::uio::{pread, pwrite};
use nix::unistd::{UnlinkatFlags, unlinkat};
use std::os::fd::{BorrowedFd, OwnedFd};

/// A file in the clients' directory that is there for a moment.
const TRIAL: &std::ffi::CStr = c".direct";
/// Units that offsets and sizes may have to be multiples of, bytes: none (file systems that take O_DIRECT and do not
/// heed it), those of disks, those of large pages.
const UNITS: [usize; 5] = [1, 512, 4096, 16_384, 65_536];
/// How many problems are shown.
const SHOWN: usize = 20;

/// Checks that the run's reads and writes can be made with O_DIRECT where they are to be made.
///
/// # Errors
/// Files cannot be opened so; an offset or size is not, or not always, a multiple of what is needed.
pub fn check(plan: &Plan, clients: BorrowedFd<'_>) -> Result<(), RunError> {
    let unit = unit(clients).map_err(|errno| RunError::Direct {
        directory: plan.directory.display().to_string(),
        errno,
    })?;
    if plan.settings.fake_io {
        return Ok(());
    }
    for program in &plan.programs {
        check_program(program, unit).map_err(RunError::Loadfile)?;
    }
    Ok(())
}

/// What offsets and sizes must be multiples of in a directory, found by trying, bytes.
///
/// # Errors
/// EINVAL where there is no O_DIRECT; what else opening, writing and reading a file can fail with.
fn unit(directory: BorrowedFd<'_>) -> nix::Result<u64> {
    let remove = || unlinkat(directory, TRIAL, UnlinkatFlags::NoRemoveDir);
    match remove() {
        Ok(()) | Err(Errno::ENOENT) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_DIRECT | OFlag::O_CLOEXEC;
    let opened = openat(directory, TRIAL, flags, Mode::from_bits_truncate(0o600));
    // Some file systems make the file before they find out that they have no O_DIRECT.
    let removed = match remove() {
        Err(Errno::ENOENT) if opened.is_err() => Ok(()),
        removed => removed,
    };
    let file = opened?;
    removed?;
    let mut unsuited = Errno::EINVAL;
    for unit in UNITS {
        match try_unit(&file, unit) {
            Ok(()) => return Ok(unit as u64),
            Err(Errno::EINVAL) => {}
            Err(errno) => unsuited = errno,
        }
    }
    Err(unsuited)
}

/// Writes and reads so many bytes at an offset of as many.
fn try_unit(file: &OwnedFd, unit: usize) -> nix::Result<()> {
    let mut bytes = Aligned::zeros(unit);
    let offset = unit as i64;
    let moved = |count: usize| if count == unit { Ok(()) } else { Err(Errno::EINVAL) };
    moved(pwrite(file, &bytes, offset)?)?;
    moved(pread(file, &mut bytes, offset)?)
}

fn check_program(program: &Program, unit: u64) -> Result<(), Problems> {
    let ops = program.prepare.iter().chain(&program.ops);
    let mut list: Vec<Problem> = ops.filter_map(|op| problem(program, op, unit)).collect();
    if list.is_empty() {
        return Ok(());
    }
    list.sort_by_key(|problem| (problem.line, problem.column));
    list.dedup();
    let omitted = list.len().saturating_sub(SHOWN);
    list.truncate(SHOWN);
    Err(Problems {
        source: program.source.clone(),
        list,
        omitted: omitted as _,
    })
}

/// What of an operation does not fit.
fn problem(program: &Program, op: &Op, unit: u64) -> Option<Problem> {
    let (what, token) = match op.code {
        Code::SmbOpen | Code::SmbCreate if !op.offset.is_multiple_of(unit) => ("the file's size is", 0),
        Code::Read | Code::Write | Code::ReadPath | Code::WritePath | Code::ReadOpen | Code::WriteOpen => {
            let dynamic = match op.flags & flag::DYNAMIC {
                0 => None,
                _ => program.dynamics.get(op.b as usize),
            };
            let fits = |number: Number| step_of(number, &program.expressions).is_multiple_of(unit);
            let (offset, size) = match dynamic {
                Some(dynamic) => (fits(dynamic.offset), fits(dynamic.size)),
                None => (op.offset.is_multiple_of(unit), true),
            };
            // The length is the size, or the most that --trunc-io leaves of it.
            match (offset, size && u64::from(op.length).is_multiple_of(unit)) {
                (false, _) => ("the offset is", 2),
                (true, false) => ("the size is", 3),
                (true, true) => return None,
            }
        }
        _ => return None,
    };
    let named = token > 0 && program.dialect != Dialect::Smb1 && !program.has_due_times();
    Some(Problem {
        line: op.line,
        column: if named {
            program.source.token_column(op.line, token)
        } else {
            0
        },
        what: format!("{what} not, or not always, a multiple of {unit} bytes, which --direct needs here"),
        help: "leave --direct out, or choose other sizes".into(),
    })
}

/// A number that all values of a number are multiples of (0: it is always 0).
fn step_of(number: Number, expressions: &[Expression]) -> u64 {
    let expression = match number {
        Number::Fixed(value) => return value,
        Number::Expression(id) => match expressions.get(id.0 as usize) {
            Some(expression) => expression,
            None => return 1,
        },
    };
    let start = match expression.base {
        Base::Random | Base::Turn(_) => 1,
        // Of those before, each is checked as well; the first starts at 0.
        Base::Previous => 0,
    };
    expression.steps.iter().fold(start, |step, next| match *next {
        // What is left of a multiple is one of both.
        Step::Modulo(y) | Step::Add(y) => common(step, y),
        Step::Floor(y) if step.is_multiple_of(y) => step,
        Step::Floor(y) => y,
        Step::Multiply(y) => step.saturating_mul(y),
        Step::AddTurn(_) | Step::AddChild | Step::AddChildren => 1,
    })
}

/// The greatest common divisor.
fn common(one: u64, other: u64) -> u64 {
    if other == 0 {
        one
    } else {
        common(other, one % other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadfile::{ReadOptions, Source, parse};
    use crate::program::{CompileOptions, compile};

    fn refused(load: &str, unit: u64) -> Option<String> {
        let load = format!(
            "NTCreateX \"/f\" 0x40 0x2 1 NT_STATUS_OK\nLOOP 9 i\nLOOP 9 j\n{load} NT_STATUS_OK\nENDLOOP\nENDLOOP\n"
        );
        let file = parse(Source::new("x.load", load), &ReadOptions::default()).unwrap();
        let program = compile(&file, CompileOptions::default()).unwrap();
        check_program(&program, unit)
            .err()
            .map(|problems| problems.to_string())
    }

    #[test]
    fn numbers_that_are_always_multiples_pass() {
        for line in [
            "WriteX 1 1024 512 512",
            "ReadX 1 *%0x10000000/512 1024 1024",
            "ReadX 1 *%0x10000000/4096 1024 0",
            "ReadX 1 @i*512 512 512",
            "ReadX 1 @i*9+@j*512+1024 512 512",
            "ReadX 1 +1024 512 512",
            "ReadX 1 0 512 512",
            "Flush 1",
        ] {
            assert_eq!(refused(line, 512), None, "{line}");
        }
    }

    #[test]
    fn numbers_that_can_be_others_are_refused_at_their_place() {
        for (line, at) in [
            ("WriteX 1 1025 512 512", "4:10"),
            ("WriteX 1 1024 100 100", "4:15"),
            ("ReadX 1 *%0x10000000 512 512", "4:9"),
            ("ReadX 1 *%0x10000000/512+1 512 512", "4:9"),
            ("ReadX 1 *%0x10000000/512%1000 512 512", "4:9"),
            ("ReadX 1 @i*512+@j 512 512", "4:9"),
            ("ReadX 1 @i*256 512 512", "4:9"),
            ("ReadX 1 +100 512 512", "4:9"),
            ("ReadX 1 +child 512 512", "4:9"),
            ("ReadX 1 0 *%4096 1", "4:11"),
        ] {
            let told = refused(line, 512).unwrap_or_else(|| panic!("{line} passed"));
            assert!(told.starts_with(&format!("x.load:{at}: ")), "{line}: {told}");
            assert_eq!(refused(line, 1), None);
        }
    }
}
