//! Blocks of lines: loops, repetitions, and the PREPARE section.

use super::compile::{Compiler, control_op};
use super::handles::Key;
use super::{Code, NO_VARIABLE, Op};
use crate::loadfile::Loadfile;
use crate::op::Action;
use rustc_hash::FxHashSet;

/// Loops may nest this deep.
pub(super) const MAX_DEPTH: usize = 64;

/// A loop whose end has not come.
pub(super) struct OpenLoop {
    line: u32,
    counter: u32,
    pub(super) count: u64,
    /// 0 to 25, or [`NO_VARIABLE`].
    pub(super) variable: u8,
    /// Index of the first operation of the body.
    body: usize,
    /// Whether something in it takes time or can fail.
    pub(super) works: bool,
    /// Whether an offset was fixed in it, so that a `+y` starts from there in each turn.
    pub(super) fixes_offset: bool,
    /// Where its changes of the space start.
    first_change: usize,
    /// How often the lines around it run.
    times_around: u64,
    start_of_dead: bool,
}

impl Compiler<'_> {
    pub(super) fn start_loop(&mut self, line: u32, count: u64, variable: Option<u8>) {
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
        let variable = variable.unwrap_or(NO_VARIABLE);
        if let Some(outer) = self.loops.iter().find(|open| open.variable == variable)
            && variable != NO_VARIABLE
        {
            let letter = char::from(b'a' + variable);
            let what = format!(
                "`{letter}` is the variable of the loop at line {} already",
                outer.line
            );
            self.problem(line, 2, what, "give this loop another letter");
        }
        let op = Op {
            a: counter,
            b: u32::from(variable),
            offset: count,
            ..control_op(Code::LoopStart, line)
        };
        self.emit(op, None);
        let body = self.ops().len();
        self.loops.push(OpenLoop {
            line,
            counter,
            count,
            variable,
            body,
            works: false,
            fixes_offset: false,
            first_change: self.looped_changes.len(),
            times_around: self.times,
            start_of_dead: count == 0,
        });
        self.times = self.times.saturating_mul(count.max(1));
    }

    pub(super) fn end_loop(&mut self, line: u32) {
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
        let again = open.count > 1 && self.loops.len() < MAX_DEPTH;
        self.second_turn(if again { open.first_change } else { usize::MAX });
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
            offset: u64::from(open.variable),
            ..control_op(Code::LoopEnd, open.line)
        };
        self.emit(op, None);
    }

    pub(super) fn start_prepare(&mut self, line: u32, once: bool) {
        if self.in_prepare {
            self.problem(line, 0, "a PREPARE inside a PREPARE", "");
        } else if self.seen_operation || !self.loops.is_empty() {
            let help = "move the block to the top of the file";
            self.problem(line, 0, "PREPARE must stand before the first operation", help);
        }
        self.in_prepare = true;
        if once {
            self.once = Some(self.program.prepare.len());
            self.emit(control_op(Code::Once, line), None);
        }
    }

    pub(super) fn end_prepare(&mut self, line: u32) {
        if !self.in_prepare {
            self.problem(line, 0, "an ENDPREPARE without a PREPARE", "");
        }
        self.unclosed_loops();
        if let Some(at) = self.once.take() {
            let after = self.program.prepare.len() as u32;
            if let Some(op) = self.program.prepare.get_mut(at) {
                op.b = after;
            }
        }
        self.in_prepare = false;
        self.handles.close_all();
    }

    pub(super) fn unclosed_loops(&mut self) {
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
}

/// Handles that occur inside a LOOP or after a REPEAT.
pub(super) fn handles_in_loops(file: &Loadfile) -> FxHashSet<Key> {
    let mut inside = FxHashSet::default();
    if !file.lines.may_loop() {
        return inside;
    }
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
