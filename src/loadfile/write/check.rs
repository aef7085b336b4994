//! What of a loadfile nb3, or the program that is to run it, cannot express.

use super::{Target, WriteError, WriteOptions, problem, refuse};
use crate::loadfile::fault::{Collector, shown};
use crate::loadfile::{Loadfile, Problem};
use crate::op::{Action, Base, Kind, Line, Number, PathId, Status, Step};
use rustc_hash::FxHashMap;

/// The most lines that loops may become: no more can be read again.
const MOST_LINES: u64 = 1 << 30;

/// The loops of a loadfile: for the index of each LOOP line, that of its ENDLOOP.
#[derive(Debug, Default)]
pub(super) struct Loops {
    /// Absent for a loop that writes nothing: it is not gone through even once.
    pub bodies: FxHashMap<usize, usize>,
    /// LOOP lines whose loop writes nothing, with their ENDLOOP.
    pub empty: FxHashMap<usize, usize>,
}

/// A loop that is not closed yet.
struct Open {
    index: usize,
    line: Line,
    count: u64,
    /// Lines that one turn writes.
    lines: u64,
}

/// Checks every line, and finds the loops.
///
/// # Errors
/// All that cannot be written, with lines.
pub(super) fn check(loadfile: &Loadfile, options: &WriteOptions) -> Result<Loops, WriteError> {
    let mut problems = Collector::default();
    for line in &loadfile.lines {
        if let Some(found) = unwritable(loadfile, line).or_else(|| beyond_target(loadfile, line, options)) {
            problems.push(found);
        }
    }
    let loops = match options.flatten {
        true => find_loops(loadfile, &mut problems),
        false => Loops::default(),
    };
    refuse(loadfile, problems)?;
    Ok(loops)
}

/// What nb3 has no way to write.
fn unwritable(loadfile: &Loadfile, line: &Line) -> Option<Problem> {
    let (kind, _) = kind_and_paths(&line.action)?;
    if kind as u8 > Kind::Flush as u8 {
        let what = format!("{kind} has no equivalent in nb3");
        return Some(problem(
            line,
            what,
            "leave the line out, or run the file with rbench",
        ));
    }
    unquotable(loadfile, line)
}

/// A path that cannot stand in quotes.
pub(super) fn unquotable(loadfile: &Loadfile, line: &Line) -> Option<Problem> {
    let (kind, paths) = kind_and_paths(&line.action)?;
    for path in paths.into_iter().flatten() {
        let text = &loadfile.paths.get(path.0 as usize)?.text;
        let odd = |byte: &u8| *byte == b'\n' || (*byte == b'"' && kind != Kind::FindFirst);
        if text.iter().any(odd) {
            let what = format!("the path `{}` holds a quote or a line end", shown(text));
            return Some(problem(
                line,
                what,
                "nb3 paths stand in double quotes, without escapes",
            ));
        }
    }
    None
}

fn kind_and_paths(action: &Action) -> Option<(Kind, [Option<PathId>; 2])> {
    Some(match *action {
        Action::Create { path, .. } => (Kind::NtCreateX, [Some(path), None]),
        Action::SmbOpen { path, .. } => (Kind::SmbOpenX, [Some(path), None]),
        Action::Open { path, .. } => (Kind::SmbFileOpen, [Some(path), None]),
        Action::Find { path, .. } => (Kind::FindFirst, [Some(path), None]),
        Action::Path { kind, path, .. }
        | Action::Sized { kind, path, .. }
        | Action::PathTransfer { kind, path, .. }
        | Action::PathLock { kind, path, .. } => (kind, [Some(path), None]),
        Action::TwoPaths { kind, first, second } => (kind, [Some(first), Some(second)]),
        Action::Handle { kind, .. }
        | Action::Transfer { kind, .. }
        | Action::Lock { kind, .. }
        | Action::FileSystem { kind, .. } => (kind, [None, None]),
        _ => return None,
    })
}

/// What dbench 4.0 does not have.
fn beyond_target(loadfile: &Loadfile, line: &Line, options: &WriteOptions) -> Option<Problem> {
    const HELP: &str = "dbench 5 has it (--for dbench5)";
    if !options.flatten || options.target != Target::Dbench4 {
        return None;
    }
    let name = match line.action {
        Action::SetPoint { .. } => Some("SETSP"),
        Action::WaitPoint { .. } => Some("WAITSP"),
        Action::RandomString { .. } => Some("RANDOMSTRING"),
        Action::WritePattern { .. } => Some("WRITEPATTERN"),
        _ => None,
    };
    if let Some(name) = name {
        return Some(problem(line, format!("dbench 4.0 has no {name}"), HELP));
    }
    for number in numbers(&line.action).into_iter().flatten() {
        let Number::Expression(id) = number else { continue };
        let expression = loadfile.expressions.get(id.0 as usize)?;
        if expression.base == Base::Random {
            return Some(problem(line, "dbench 4.0 has no random numbers", HELP));
        }
        let by_client = |step: &Step| matches!(step, Step::AddChild | Step::AddChildren);
        if expression.steps.iter().any(by_client) {
            return Some(problem(line, "dbench 4.0 has no +child and +num_children", HELP));
        }
    }
    let worked_out = matches!(
        line.action,
        Action::Find { .. }
            | Action::Path {
                kind: Kind::QueryPathInformation,
                ..
            }
    );
    if line.status == Status::Any && !worked_out {
        let help = "state whether it succeeds, or use --for dbench5";
        return Some(problem(line, "dbench 4.0 has no status `*`", help));
    }
    None
}

/// The numbers of an action that can be expressions: offset, size, returned, and a pause.
pub(super) fn numbers(action: &Action) -> [Option<Number>; 4] {
    match *action {
        Action::Transfer {
            offset,
            size,
            returned,
            ..
        } => [Some(offset), Some(size), Some(returned), None],
        Action::Lock { offset, size, .. } => [Some(offset), Some(size), None, None],
        Action::Sleep { micros, .. } => [None, None, None, Some(micros)],
        _ => [None; 4],
    }
}

fn find_loops(loadfile: &Loadfile, problems: &mut Collector) -> Loops {
    let mut loops = Loops::default();
    let mut open: Vec<Open> = Vec::new();
    let mut repeat: Option<(&Line, u64)> = None;
    let mut total = Total::default();
    for (index, line) in loadfile.lines.iter().enumerate() {
        let structure = matches!(
            line.action,
            Action::Loop { .. }
                | Action::EndLoop
                | Action::Repeat { .. }
                | Action::Prepare { .. }
                | Action::EndPrepare
        );
        let times = match repeat.take() {
            Some((line, _)) if structure => {
                problems.push(after_repeat(line));
                1
            }
            Some((_, count)) => count,
            None => 1,
        };
        match line.action {
            Action::Loop { count, .. } => open.push(Open {
                index,
                line: line.clone(),
                count,
                lines: 0,
            }),
            Action::EndLoop => match open.pop() {
                None => problems.push(problem(line, "ENDLOOP without LOOP", "remove it")),
                Some(Open {
                    index: start,
                    count,
                    lines,
                    ..
                }) => {
                    let lines = lines.saturating_mul(count);
                    match open.last_mut() {
                        Some(outer) => outer.lines = outer.lines.saturating_add(lines),
                        None => total.add(lines, line, problems),
                    }
                    let kind = if lines > 0 {
                        &mut loops.bodies
                    } else {
                        &mut loops.empty
                    };
                    kind.insert(start, index);
                }
            },
            Action::Repeat { count } => repeat = Some((line, count)),
            Action::Prepare { .. } | Action::EndPrepare => {}
            _ => match open.last_mut() {
                Some(outer) => outer.lines = outer.lines.saturating_add(times),
                None => total.add(times, line, problems),
            },
        }
    }
    if let Some((line, _)) = repeat {
        problems.push(after_repeat(line));
    }
    for unclosed in open {
        problems.push(problem(&unclosed.line, "LOOP without ENDLOOP", "add the ENDLOOP"));
    }
    loops
}

/// Lines written so far.
#[derive(Debug, Default)]
struct Total(u64);

impl Total {
    /// Counts lines; the first that are too many are a problem.
    fn add(&mut self, lines: u64, line: &Line, problems: &mut Collector) {
        let before = self.0;
        self.0 = before.saturating_add(lines);
        if before <= MOST_LINES && self.0 > MOST_LINES {
            let what = "written out, the lines up to here are more than 1,073,741,824";
            problems.push(problem(
                line,
                what,
                "let LOOP and REPEAT run fewer times, or do not flatten",
            ));
        }
    }
}

fn after_repeat(line: &Line) -> Problem {
    let help = "the next line is an operation, which is repeated";
    problem(line, "REPEAT without an operation after it", help)
}
