//! Unrolling loops and working out expressions, so that what is written holds operations only.

use super::check::{Loops, numbers};
use super::line::Writer;
use super::tree::Tree;
use super::{Target, WriteOptions};
use crate::loadfile::Loadfile;
use crate::op::{Action, Base, Kind, Line, Number, Status, Step};
use std::io::Result;

/// The replay of a loadfile, as far as it shows in the lines.
struct Unrolling<'a, 'w, 'o> {
    loadfile: &'a Loadfile,
    writer: &'w mut Writer<'o>,
    /// What offset, size, returned and pause were last; absent where only the run knows (a random number).
    previous: [Option<u64>; 4],
    /// What exists, where a status has to be worked out.
    tree: Option<Tree>,
}

/// Writes all lines, each as often as it is executed.
pub(super) fn write(
    loadfile: &Loadfile,
    options: &WriteOptions,
    loops: &Loops,
    writer: &mut Writer<'_>,
) -> Result<()> {
    let open_status = |line: &Line| line.status == Status::Any;
    let works_out = options.target == Target::Dbench4 && loadfile.lines.iter().any(open_status);
    let mut unrolling = Unrolling {
        loadfile,
        writer,
        previous: [Some(0); 4],
        tree: works_out.then(Tree::new),
    };
    let mut open: Vec<(usize, u64)> = Vec::new();
    let mut times = 1;
    let mut index = 0;
    while let Some(line) = loadfile.lines.get(index) {
        match line.action {
            Action::Loop { count, variable } => match loops.empty.get(&index) {
                Some(&end) => index = end,
                None => {
                    open.push((index, count));
                    unrolling.writer.first_turn(variable);
                }
            },
            Action::EndLoop => {
                if let Some((start, left)) = open.last_mut() {
                    *left = left.saturating_sub(1);
                    if *left > 0 {
                        index = *start;
                        if let Some(Action::Loop { variable, .. }) =
                            loadfile.lines.get(index).map(|line| &line.action)
                        {
                            unrolling.writer.next_turn(*variable);
                        }
                    } else {
                        open.pop();
                    }
                }
            }
            Action::Repeat { count } => times = count,
            Action::Prepare { .. } | Action::EndPrepare => {}
            _ => {
                for _ in 0..std::mem::replace(&mut times, 1) {
                    unrolling.execute(line)?;
                }
            }
        }
        index += 1;
    }
    Ok(())
}

impl Unrolling<'_, '_, '_> {
    fn execute(&mut self, line: &Line) -> Result<()> {
        let mut action = line.action.clone();
        let values = numbers(&action);
        let mut fixed = [None; 4];
        for (place, number) in values.into_iter().enumerate() {
            let Some(number) = number else { continue };
            let value = self.evaluate(number, self.previous[place]);
            self.previous[place] = value;
            fixed[place] = Some(value.map_or(number, Number::Fixed));
        }
        match (&mut action, fixed) {
            (
                Action::Transfer {
                    offset,
                    size,
                    returned,
                    ..
                },
                [Some(new_offset), Some(new_size), Some(new_returned), _],
            ) => (*offset, *size, *returned) = (new_offset, new_size, new_returned),
            (Action::Lock { offset, size, .. }, [Some(new_offset), Some(new_size), ..]) => {
                (*offset, *size) = (new_offset, new_size);
            }
            (Action::Sleep { micros, operation }, [.., Some(new)]) => {
                (*micros, *operation) = (new, true);
            }
            _ => {}
        }
        let status = self.status(line);
        self.writer.operation(line.due, &action, status)
    }

    fn evaluate(&self, number: Number, previous: Option<u64>) -> Option<u64> {
        let id = match number {
            Number::Fixed(value) => return Some(value),
            Number::Expression(id) => id,
        };
        let expression = self.loadfile.expressions.get(id.0 as usize)?;
        let start = match expression.base {
            Base::Random => return None,
            Base::Previous => previous?,
            Base::Turn(variable) => self.writer.turn(variable),
        };
        expression
            .steps
            .iter()
            .try_fold(start, |value, step| match *step {
                Step::Modulo(y) => value.checked_rem(y),
                Step::Floor(y) => Some(value - value.checked_rem(y)?),
                Step::Add(y) => Some(value.wrapping_add(y)),
                Step::AddTurn(variable) => Some(value.wrapping_add(self.writer.turn(variable))),
                Step::Multiply(y) => Some(value.wrapping_mul(y)),
                Step::AddChild | Step::AddChildren => None,
            })
    }

    /// The status to state: dbench 4.0 has no `*`, so it is worked out from what exists by then.
    fn status(&mut self, line: &Line) -> Status {
        let Some(tree) = &mut self.tree else {
            return line.status;
        };
        let text = |path: crate::op::PathId| {
            let path = self.loadfile.paths.get(path.0 as usize);
            self.writer.with_turns(path.map_or(b"", |path| &path.text))
        };
        if line.status == Status::Any {
            return match line.action {
                Action::Path { path, .. } if tree.get(&text(path)).is_none() => Status::Fail,
                _ => Status::Ok,
            };
        }
        if line.status == Status::Ok {
            match line.action {
                Action::Create { path, options, .. } => match options & 1 {
                    0 => tree.add_name(&text(path)),
                    _ => tree.add_directory(&text(path)),
                },
                Action::Path { kind, path, .. } => match kind {
                    Kind::Mkdir => tree.add_directory(&text(path)),
                    Kind::Unlink | Kind::Rmdir | Kind::Deltree => tree.remove_all(&text(path)),
                    _ => {}
                },
                Action::TwoPaths { first, second, .. } => {
                    tree.rename(&text(first), &text(second));
                }
                _ => {}
            }
        }
        line.status
    }
}
