//! From lines to a program: control flow, problems, and the walk over the lines. Operations are in `lower`.

use super::blocks::{OpenLoop, handles_in_loops};
use super::handles::{Handles, Key};
use super::recording::Recording;
use super::space::{Change, Named, Space};
use super::{Code, NO_SLOT, NOT_DUE, Op, Program, ProgramPath};
use crate::loadfile::{Loadfile, Problem, Problems};
use crate::op::{Action, Kind, Line, Number, Status};

/// How a loadfile is to be compiled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// `--resolve` or `--no-resolve`; absent: as the dialect or the file says.
    pub resolve: Option<bool>,
    /// nb2: Flush makes an fsync.
    pub flush_fsync: bool,
    /// The file may be cut out of the middle of another.
    pub slice: bool,
    /// Reads and writes are cut down to this size, bytes.
    pub trunc_io: Option<u32>,
}

/// Problems with a place to show; the rest is only counted.
const LOCATED_PROBLEMS: usize = 40;

/// The state of a compilation.
pub(super) struct Compiler<'a> {
    pub(super) file: &'a Loadfile,
    pub(super) options: CompileOptions,
    pub(super) program: Program,
    pub(super) handles: Handles,
    pub(super) space: Space,
    pub(super) recording: Recording,
    /// For each path of the file its index in the program.
    pub(super) path_index: Vec<u32>,
    /// How many names each path of the program can stand for.
    pub(super) names: Vec<u64>,
    kind_index: [u8; Kind::ALL.len()],
    pub(super) problems: Vec<Problem>,
    /// How often the present line runs in a pass.
    pub(super) times: u64,
    /// The last offset, at its bound; for `+y`.
    pub(super) last_offset: u64,
    pub(super) loops: Vec<OpenLoop>,
    /// Changes of the space inside the open loops.
    pub(super) looped_changes: Vec<Change>,
    /// Above 0 inside a loop that never runs.
    pub(super) dead: usize,
    pub(super) repeat: Option<(u64, u32)>,
    pub(super) in_prepare: bool,
    /// Where the `Once` of an open PREPARE ONCE is.
    pub(super) once: Option<usize>,
    pub(super) seen_operation: bool,
}

/// Compiles a loadfile.
///
/// # Errors
/// Everything that lines show only together: loops, handles, forbidden operations on the clients' directories.
pub fn compile(file: &Loadfile, options: CompileOptions) -> Result<Program, Problems> {
    let mut compiler = Compiler::new(file, options);
    for line in &file.lines {
        compiler.line(line);
    }
    compiler.finish()
}

impl<'a> Compiler<'a> {
    fn new(file: &'a Loadfile, options: CompileOptions) -> Compiler<'a> {
        let mut compiler = Compiler {
            file,
            options,
            program: Program::empty(file),
            handles: Handles::new(handles_in_loops(file)),
            space: Space::default(),
            recording: Recording::default(),
            path_index: Vec::with_capacity(file.paths.len()),
            names: Vec::new(),
            kind_index: [u8::MAX; Kind::ALL.len()],
            problems: Vec::new(),
            times: 1,
            last_offset: 0,
            loops: Vec::new(),
            looped_changes: Vec::new(),
            dead: 0,
            repeat: None,
            in_prepare: false,
            once: None,
            seen_operation: false,
        };
        compiler.program.ops.reserve(file.lines.len() + 1);
        compiler.intern_paths();
        compiler
    }

    fn line(&mut self, line: &Line) {
        match &line.action {
            Action::Loop { count, variable } => self.start_loop(line.number, *count, *variable),
            Action::EndLoop => self.end_loop(line.number),
            Action::Repeat { count } => {
                if let Some((_, earlier)) = self.repeat.replace((*count, line.number)) {
                    self.problem(earlier, 0, "a REPEAT needs an operation on the next line", "");
                }
            }
            Action::Prepare { once } => self.start_prepare(line.number, *once),
            Action::EndPrepare => self.end_prepare(line.number),
            action => match self.repeat.take() {
                Some((count, at)) if is_operation(action) => {
                    self.start_loop(at, count, None);
                    self.statement(line);
                    self.end_loop(at);
                }
                Some((_, at)) => {
                    self.problem(at, 0, "a REPEAT needs an operation on the next line", "");
                    self.statement(line);
                }
                None => self.statement(line),
            },
        }
    }

    fn statement(&mut self, line: &Line) {
        let number = line.number;
        if self.file.has_loop_variables {
            self.turns(line);
        }
        match &line.action {
            Action::Sleep { micros, .. } => self.sleep(line, *micros),
            Action::SetPoint { point } => match u32::try_from(*point) {
                Ok(_) => self.control(number, Code::SetPoint, 0, *point),
                Err(_) => self.problem(number, 1, "a sequence point must be below 4,294,967,296", ""),
            },
            Action::WaitPoint { client, point } => {
                if u32::try_from(*point).is_err() {
                    self.problem(number, 2, "a sequence point must be below 4,294,967,296", "");
                }
                let highest = self.program.highest_awaited;
                if highest.is_none_or(|(c, _)| c < *client) {
                    self.program.highest_awaited = Some((*client, number));
                }
                self.control(number, Code::WaitPoint, *client, *point);
                self.mark_work();
            }
            Action::RandomString { slot, text } => self.random_string(number, *slot, *text),
            Action::WritePattern { text } => {
                let pattern = self.file.texts[text.0 as usize].clone();
                self.program.patterns.push(pattern);
                let index = self.program.patterns.len() as u32 - 1;
                self.control(number, Code::Pattern, index, 0);
            }
            _ => {
                self.seen_operation |= !self.in_prepare;
                self.operation(line);
            }
        }
    }

    fn sleep(&mut self, line: &Line, micros: Number) {
        let mut op = self.op(line, Code::Sleep);
        match micros {
            Number::Fixed(micros) => op.offset = micros,
            Number::Expression(id) => {
                op.flags |= super::flag::DYNAMIC;
                op.b = id.0;
            }
        }
        self.push(op, line);
        self.mark_work();
    }

    fn finish(mut self) -> Result<Program, Problems> {
        self.unclosed_loops();
        if self.in_prepare {
            let last = self.file.lines.iter().last().map_or(0, |line| line.number);
            self.problem(
                last,
                0,
                "a PREPARE without an ENDPREPARE",
                "add ENDPREPARE below its last line",
            );
        }
        if !self.seen_operation && self.problems.is_empty() {
            let help = "a loadfile needs at least one operation to measure";
            self.problem(0, 0, "there is no operation outside PREPARE", help);
        }
        if !self.problems.is_empty() {
            self.problems
                .sort_by_key(|problem| (problem.line, problem.column));
            return Err(Problems {
                source: self.file.source.clone(),
                list: self.problems,
                omitted: 0,
            });
        }
        self.warn_left_open();
        self.warn_of_recording();
        self.program.uses_own_shared = self.uses_own_shared();
        let end = control_op(Code::EndOfPass, 0);
        self.program.ops.push(end);
        self.program.prepare.push(end);
        if self.program.has_due_times() {
            self.program.due.resize(self.program.ops.len(), NOT_DUE);
        }
        self.program.slots = self.handles.slots();
        self.program.peak_handles = self.handles.peak();
        self.program.space = self.space.need();
        self.program.warnings.extend(self.file.warnings.iter().cloned());
        self.program.warnings.sort_by_key(|warning| warning.line);
        Ok(self.program)
    }

    fn warn_left_open(&mut self) {
        let left = self.handles.left_open();
        if let Some(&(key, line)) = left.first() {
            let name = self.key_name(key);
            let what = match left.len() {
                1 => format!("{name}, opened here, is left open at the end"),
                n => format!("{name}, opened here, and {} more are left open at the end", n - 1),
            };
            self.warn(line, what, "they are closed at the end of each pass");
        }
    }

    pub(super) fn ops(&mut self) -> &mut Vec<Op> {
        if self.in_prepare {
            &mut self.program.prepare
        } else {
            &mut self.program.ops
        }
    }

    fn control(&mut self, line: u32, code: Code, a: u32, offset: u64) {
        let op = Op {
            a,
            offset,
            ..control_op(code, line)
        };
        self.emit(op, None);
    }

    /// Adds what a line executes, at its due time.
    pub(super) fn push(&mut self, op: Op, line: &Line) {
        self.mark_work();
        self.emit(op, line.due);
    }

    pub(super) fn emit(&mut self, op: Op, due: Option<u64>) {
        if self.dead > 0 {
            return;
        }
        self.ops().push(op);
        if self.in_prepare {
            return;
        }
        if let Some(due) = due {
            // Operations before the first timestamp are not due at any time.
            self.program.due.resize(self.program.ops.len() - 1, NOT_DUE);
            self.program.due.push(due);
        } else if !self.program.due.is_empty() {
            self.program.due.push(NOT_DUE);
        }
    }

    pub(super) fn mark_work(&mut self) {
        if let Some(inner) = self.loops.last_mut() {
            inner.works = true;
        }
    }

    /// A new operation for a line.
    pub(super) fn op(&mut self, line: &Line, code: Code) -> Op {
        Op {
            expect: line.status,
            ..control_op(code, line.number)
        }
    }

    /// The program's index of a kind.
    pub(super) fn kind(&mut self, kind: Kind) -> u8 {
        let index = &mut self.kind_index[kind as usize];
        if *index == u8::MAX {
            *index = self.program.kinds.len() as u8;
            self.program.kinds.push(kind);
        }
        *index
    }

    /// An operation changes the space.
    pub(super) fn change(&mut self, change: Change) {
        if self.dead > 0 {
            return;
        }
        if !self.loops.is_empty() {
            self.looped_changes.push(change);
        }
        self.apply(change);
    }

    fn apply(&mut self, change: Change) {
        let (program, names) = (&self.program, &self.names);
        self.space.apply(change, |path| named(program, names, path));
    }

    /// A loop's second turn: it can find files that the first has left, and so need more space.
    pub(super) fn second_turn(&mut self, first_change: usize) {
        for index in first_change..self.looped_changes.len() {
            self.apply(self.looped_changes[index]);
        }
        if self.loops.is_empty() {
            self.looped_changes.clear();
        }
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead > 0
    }

    pub(super) fn key_name(&self, key: Key) -> String {
        match key {
            Key::Number(number) => format!("handle {number}"),
            Key::Path(_) => "this file".to_owned(),
        }
    }

    /// Notes a problem at a token of a line (0: the first; timestamps are skipped).
    pub(super) fn problem(
        &mut self,
        line: u32,
        token: usize,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        let mut column = 0;
        if line > 0 && self.problems.len() < LOCATED_PROBLEMS {
            let source = &self.file.source;
            let first = source.line(line).unwrap_or_default().trim_ascii_start();
            let timestamp = first.first().is_some_and(u8::is_ascii_digit);
            column = source.token_column(line, token + usize::from(timestamp));
        }
        self.problem_at(line, column, what, help);
    }

    pub(super) fn problem_at(
        &mut self,
        line: u32,
        column: u32,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.problems.push(Problem {
            line,
            column,
            what: what.into(),
            help: help.into(),
        });
    }

    pub(super) fn warn(&mut self, line: u32, what: impl Into<String>, help: impl Into<String>) {
        self.program.warnings.push(Problem {
            line,
            column: 0,
            what: what.into(),
            help: help.into(),
        });
    }
}

fn named<'p>(program: &'p Program, names: &[u64], path: u32) -> Named<'p> {
    let place = match &program.paths[path as usize] {
        ProgramPath::Fixed(place) => Some(place),
        ProgramPath::PerClient(..) | ProgramPath::Assembled(_) => None,
    };
    let names = names[path as usize];
    Named { path, place, names }
}

pub(super) fn control_op(code: Code, line: u32) -> Op {
    Op {
        code,
        expect: Status::Ok,
        kind: 0,
        flags: 0,
        line,
        a: NO_SLOT,
        b: NO_SLOT,
        offset: 0,
        length: 0,
        returned: 0,
    }
}

fn is_operation(action: &Action) -> bool {
    !matches!(
        action,
        Action::SetPoint { .. }
            | Action::WaitPoint { .. }
            | Action::RandomString { .. }
            | Action::WritePattern { .. }
    )
}
