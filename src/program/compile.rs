//! From lines to a program: control flow, problems, and the walk over the lines. Operations are in `lower`.

use super::handles::{Handles, Key};
use super::place::PlaceBuf;
use super::space::{Named, Space};
use super::{Code, NO_SLOT, NOT_DUE, Op, Piece, Program, ProgramPath};
use crate::loadfile::{Dialect, Loadfile, Problem, Problems};
use crate::op::{Action, Kind, Line, Number, Status, TextId};
use rustc_hash::{FxHashMap, FxHashSet};

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
/// Loops may nest this deep.
const MAX_DEPTH: usize = 64;

struct OpenLoop {
    line: u32,
    counter: u32,
    count: u64,
    /// Index of the first operation of the body.
    body: usize,
    works: bool,
    /// How often the lines around it run.
    times_around: u64,
    start_of_dead: bool,
}

/// The state of a compilation.
pub(super) struct Compiler<'a> {
    pub(super) file: &'a Loadfile,
    pub(super) options: CompileOptions,
    pub(super) program: Program,
    pub(super) handles: Handles,
    pub(super) space: Space,
    /// For each path of the file its index in the program.
    pub(super) path_index: Vec<u32>,
    /// How many names each path of the program can stand for.
    names: Vec<u64>,
    kind_index: [u8; Kind::ALL.len()],
    pub(super) problems: Vec<Problem>,
    /// How often the present line runs in a pass.
    pub(super) times: u64,
    /// The last offset at its bound, and how often the operation that fixed it runs; for `+y`.
    pub(super) last_offset: (u64, u64),
    loops: Vec<OpenLoop>,
    /// Above 0 inside a loop that never runs.
    dead: usize,
    repeat: Option<(u64, u32)>,
    in_prepare: bool,
    seen_operation: bool,
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
            path_index: Vec::with_capacity(file.paths.len()),
            names: Vec::new(),
            kind_index: [u8::MAX; Kind::ALL.len()],
            problems: Vec::new(),
            times: 1,
            last_offset: (0, 1),
            loops: Vec::new(),
            dead: 0,
            repeat: None,
            in_prepare: false,
            seen_operation: false,
        };
        compiler.program.ops.reserve(file.lines.len() + 1);
        compiler.intern_paths();
        compiler
    }

    fn intern_paths(&mut self) {
        let mut known: FxHashMap<Box<[u8]>, u32> = FxHashMap::default();
        for path in &self.file.paths {
            let upper;
            let text: &[u8] = if self.file.dialect == Dialect::Smb1 {
                upper = path.text.to_ascii_uppercase();
                &upper
            } else {
                &path.text
            };
            let random = self.file.has_random_strings && names_slot(text);
            let (entry, key) = if random {
                (ProgramPath::Random(text.into()), text.to_vec())
            } else {
                match PlaceBuf::of(text, 0) {
                    Ok(place) => self.fixed_path(place, text),
                    Err(error) => {
                        self.problem_at(path.line, path.column, error.to_string(), "");
                        self.path_index.push(0);
                        continue;
                    }
                }
            };
            let index = *known.entry(key.into()).or_insert_with(|| {
                self.program.paths.push(entry);
                self.names.push(1);
                self.program.paths.len() as u32 - 1
            });
            self.path_index.push(index);
        }
        self.program.per_client_paths = 0;
        for path in &mut self.program.paths {
            if let ProgramPath::PerClient(index, _) = path {
                *index = self.program.per_client_paths;
                self.program.per_client_paths += 1;
            }
        }
    }

    /// A path that is known now, and what makes it the same as another.
    fn fixed_path(&mut self, buffer: PlaceBuf, text: &[u8]) -> (ProgramPath, Vec<u8>) {
        let place = buffer.place();
        if place.root == super::Root::Shared && place.path.to_bytes().starts_with(b"clients") {
            self.program.uses_shared_clients = true;
        }
        let mut key = vec![place.root as u8, 0];
        key.extend_from_slice(place.path.to_bytes());
        if buffer.names_client() {
            (ProgramPath::PerClient(0, text.into()), key)
        } else {
            (ProgramPath::Fixed(buffer), key)
        }
    }

    fn line(&mut self, line: &Line) {
        match &line.action {
            Action::Loop { count } => self.start_loop(line.number, *count),
            Action::EndLoop => self.end_loop(line.number),
            Action::Repeat { count } => {
                if let Some((_, earlier)) = self.repeat.replace((*count, line.number)) {
                    self.problem(earlier, 0, "a REPEAT needs an operation on the next line", "");
                }
            }
            Action::Prepare => self.start_prepare(line.number),
            Action::EndPrepare => self.end_prepare(line.number),
            action => match self.repeat.take() {
                Some((count, at)) if is_operation(action) => {
                    self.start_loop(at, count);
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

    fn random_string(&mut self, number: u32, slot: u8, text: TextId) {
        let pieces = pieces(&self.file.texts[text.0 as usize]);
        let combinations = pieces.iter().fold(1u64, |product, piece| match piece {
            Piece::Text(_) => product,
            Piece::OneOf(set) => product.saturating_mul(set.len() as u64),
        });
        let digit = b'0' + slot;
        for (path, names) in self.program.paths.iter().zip(&mut self.names) {
            if let ProgramPath::Random(text) = path
                && text.windows(2).any(|pair| pair == [b'$', digit])
            {
                *names = names.saturating_mul(combinations.min(self.times));
            }
        }
        self.program.templates.push(pieces);
        let op = Op {
            a: u32::from(slot),
            b: self.program.templates.len() as u32 - 1,
            ..control_op(Code::RandomString, number)
        };
        self.emit(op, None);
    }

    fn start_loop(&mut self, line: u32, count: u64) {
        if self.loops.len() == MAX_DEPTH {
            self.problem(line, 0, "loops nest deeper than 64", "");
        }
        let counter = self.loops.len() as u32;
        self.program.loop_counters = self.program.loop_counters.max(counter + 1);
        if self.loops.len() < MAX_DEPTH {
            self.handles.enter_loop();
        }
        if count == 0 {
            self.dead += 1;
        }
        let op = Op {
            a: counter,
            offset: count,
            ..control_op(Code::LoopStart, line)
        };
        self.emit(op, None);
        let body = self.ops().len();
        self.loops.push(OpenLoop {
            line,
            counter,
            count,
            body,
            works: false,
            times_around: self.times,
            start_of_dead: count == 0,
        });
        self.times = self.times.saturating_mul(count.max(1));
    }

    fn end_loop(&mut self, line: u32) {
        let Some(open) = self.loops.pop() else {
            self.problem(
                line,
                0,
                "an ENDLOOP without a LOOP",
                "remove it, or add LOOP n above",
            );
            return;
        };
        if open.start_of_dead {
            self.dead -= 1;
        }
        if self.loops.len() < MAX_DEPTH {
            for (key, at) in self.handles.leave_loop(open.count) {
                let name = self.key_name(key);
                let what = format!("{name} is closed when the loop runs again");
                self.problem(at, 1, what, "open it inside the loop before this line");
            }
        }
        if open.works
            && let Some(outer) = self.loops.last_mut()
        {
            outer.works = true;
        }
        self.times = open.times_around;
        if self.dead > 0 || open.start_of_dead {
            return;
        }
        if !open.works {
            // Nothing in it takes time or can fail: once is as good as often.
            let start = open.body - 1;
            self.ops()[start].offset = 1;
        }
        let op = Op {
            a: open.counter,
            b: open.body as u32,
            ..control_op(Code::LoopEnd, open.line)
        };
        self.emit(op, None);
    }

    fn start_prepare(&mut self, line: u32) {
        if self.in_prepare {
            self.problem(line, 0, "a PREPARE inside a PREPARE", "");
        } else if self.seen_operation || !self.loops.is_empty() {
            let help = "move the block to the top of the file";
            self.problem(line, 0, "PREPARE must stand before the first operation", help);
        }
        self.in_prepare = true;
    }

    fn end_prepare(&mut self, line: u32) {
        if !self.in_prepare {
            self.problem(line, 0, "an ENDPREPARE without a PREPARE", "");
        }
        self.unclosed_loops();
        self.in_prepare = false;
        self.handles.close_all();
    }

    fn unclosed_loops(&mut self) {
        if let Some((_, line)) = self.repeat.take() {
            self.problem(line, 0, "a REPEAT needs an operation on the next line", "");
        }
        while let Some(open) = self.loops.pop() {
            self.problem(
                open.line,
                0,
                "a LOOP without an ENDLOOP",
                "add ENDLOOP below its last line",
            );
            self.times = open.times_around;
            if open.start_of_dead {
                self.dead -= 1;
            }
        }
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

    /// Whether the file works below its own directory of the share without ever making it.
    fn uses_own_shared(&self) -> bool {
        /// How many components follow a first one that names the client.
        fn below_own(path: &ProgramPath) -> Option<usize> {
            let ProgramPath::PerClient(_, text) = path else {
                return None;
            };
            let components = text.split(|byte| matches!(byte, b'/' | b'\\'));
            let mut components = components.filter(|component| !component.is_empty());
            let first = components.next()?;
            first.eq_ignore_ascii_case(b"client1").then(|| components.count())
        }
        let paths = &self.program.paths;
        let makes = |op: &Op| op.code == Code::Mkdir && below_own(&paths[op.a as usize]) == Some(0);
        self.file.dialect == Dialect::Smb5
            && paths.iter().any(|path| below_own(path).is_some())
            && !self.program.ops.iter().any(makes)
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

    fn emit(&mut self, op: Op, due: Option<u64>) {
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

    fn mark_work(&mut self) {
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

    /// Takes the estimate out to change it with paths at hand.
    pub(super) fn with_space(&mut self, act: impl for<'p> FnOnce(&mut Space, &dyn Fn(u32) -> Named<'p>)) {
        if self.dead > 0 {
            return;
        }
        let (program, names) = (&self.program, &self.names);
        act(&mut self.space, &|path| named(program, names, path));
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

    fn problem_at(&mut self, line: u32, column: u32, what: impl Into<String>, help: impl Into<String>) {
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
        ProgramPath::PerClient(..) | ProgramPath::Random(_) => None,
    };
    let names = names[path as usize];
    Named { path, place, names }
}

fn control_op(code: Code, line: u32) -> Op {
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

/// Handles that occur inside a LOOP or after a REPEAT.
fn handles_in_loops(file: &Loadfile) -> FxHashSet<Key> {
    let mut inside = FxHashSet::default();
    let mut depth = 0u32;
    let mut repeated = false;
    for line in &file.lines {
        match &line.action {
            Action::Loop { .. } => depth += 1,
            Action::EndLoop => depth = depth.saturating_sub(1),
            Action::Repeat { .. } => repeated = true,
            action => {
                if depth > 0 || repeated {
                    inside.extend(handle_of(action).map(Key::Number));
                }
                repeated = false;
            }
        }
    }
    inside
}

fn handle_of(action: &Action) -> Option<u32> {
    match action {
        Action::Create { handle, .. }
        | Action::SmbOpen { handle, .. }
        | Action::Handle { handle, .. }
        | Action::Transfer { handle, .. }
        | Action::Lock { handle, .. } => Some(*handle),
        _ => None,
    }
}

fn names_slot(text: &[u8]) -> bool {
    text.windows(2)
        .any(|pair| pair[0] == b'$' && pair[1].is_ascii_digit())
}

/// Splits a RANDOMSTRING's text at its `[sets]`; the parser has checked that they are closed and not empty.
fn pieces(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.iter().position(|&b| b == b'[') {
        let Some(close) = rest[open..].iter().position(|&b| b == b']').map(|at| open + at) else {
            break;
        };
        if open > 0 {
            pieces.push(Piece::Text(rest[..open].into()));
        }
        if close > open + 1 {
            pieces.push(Piece::OneOf(rest[open + 1..close].into()));
        }
        rest = &rest[close + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.into()));
    }
    pieces
}
