//! Loops' variables: where they stand, and how many names and numbers they give.

use super::compile::Compiler;
use super::{NO_VARIABLE, PathPiece, ProgramPath};
use crate::op::{Action, Base, Line, Number, PathId, Step};

impl Compiler<'_> {
    /// Checks that each `@a` of a line belongs to a loop around it, and counts the names that its paths stand for.
    pub(super) fn turns(&mut self, line: &Line) {
        for path in paths(&line.action).into_iter().flatten() {
            let index = self.path(path);
            let Some(ProgramPath::Assembled(pieces)) = self.program.paths.get(index as usize) else {
                continue;
            };
            let turns = pieces.iter().filter_map(|piece| match *piece {
                PathPiece::Turn(variable) => Some(variable),
                _ => None,
            });
            let mut turns: Vec<u8> = turns.collect();
            turns.sort_unstable();
            turns.dedup();
            let names = turns.iter().fold(1u64, |names, &variable| {
                names.saturating_mul(self.turn_count(line, variable))
            });
            if !turns.is_empty()
                && let Some(most) = self.names.get_mut(index as usize)
            {
                *most = names.max(*most);
            }
        }
        for number in numbers(&line.action).into_iter().flatten() {
            if let Number::Expression(id) = number
                && let Some(expression) = self.file.expressions.get(id.0 as usize)
            {
                if let Base::Turn(variable) = expression.base {
                    self.turn_count(line, variable);
                }
                for step in &expression.steps {
                    if let Step::AddTurn(variable) = *step {
                        self.turn_count(line, variable);
                    }
                }
            }
        }
    }

    /// How many turns the loop with that variable has; 1 after a problem.
    fn turn_count(&mut self, line: &Line, variable: u8) -> u64 {
        if let Some(open) = self.loops.iter().find(|open| open.variable == variable) {
            return open.count;
        }
        let letter = char::from(b'a' + variable);
        let text = self.file.source.line(line.number).unwrap_or_default();
        let at = memchr::memmem::find(text, &[b'@', b'a' + variable]);
        let column = at.map_or(0, |at| at as u32 + 1);
        let what = format!("no loop around this line has the variable `{letter}`");
        let help = format!("such a loop starts with: LOOP n {letter}");
        self.problem_at(line.number, column, what, help);
        1
    }

    /// The last turn of the loop with that variable that is open; 0 if there is none.
    pub(super) fn last_turn(&self, variable: u8) -> u64 {
        let open = self.loops.iter().find(|open| open.variable == variable);
        open.map_or(0, |open| open.count.saturating_sub(1))
    }

    /// How many of the names of a path the present line can stand for: all or fewer.
    pub(super) fn names_here(&self, path: u32) -> u64 {
        let Some(ProgramPath::Assembled(pieces)) = self.program.paths.get(path as usize) else {
            return 1;
        };
        let named = |variable: u8| pieces.contains(&PathPiece::Turn(variable));
        let around = self
            .loops
            .iter()
            .filter(|open| open.variable != NO_VARIABLE && named(open.variable));
        around.fold(1, |names, open| names.saturating_mul(open.count.max(1)))
    }

    /// Whether a path's names are those of loops' turns alone, and the present line comes to all of them.
    pub(super) fn comes_to_all(&self, path: u32) -> bool {
        let random = |piece: &PathPiece| matches!(piece, PathPiece::String(_));
        match self.program.paths.get(path as usize) {
            Some(ProgramPath::Assembled(pieces)) if pieces.iter().any(random) => false,
            _ => self
                .names
                .get(path as usize)
                .is_some_and(|&names| names <= self.names_here(path)),
        }
    }
}

fn paths(action: &Action) -> [Option<PathId>; 2] {
    match *action {
        Action::Create { path, .. } | Action::Path { path, .. } | Action::Find { path, .. } => {
            [Some(path), None]
        }
        Action::TwoPaths { first, second, .. } => [Some(first), Some(second)],
        _ => [None; 2],
    }
}

fn numbers(action: &Action) -> [Option<Number>; 3] {
    match *action {
        Action::Transfer {
            offset,
            size,
            returned,
            ..
        } => [Some(offset), Some(size), Some(returned)],
        Action::Lock { offset, size, .. } => [Some(offset), Some(size), None],
        Action::Sleep { micros, .. } => [Some(micros), None, None],
        _ => [None; 3],
    }
}
