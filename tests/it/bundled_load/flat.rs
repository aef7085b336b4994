//! A loadfile's pass as a flat list of executions: loops, repetitions and `+y` offsets written out.

use rbench::loadfile::Loadfile;
use rbench::op::{Action, Base, Kind, Line, Number, Step};

/// One execution of a line, with offset and size worked out.
#[derive(Clone, Copy)]
pub struct Execution<'a> {
    pub line: &'a Line,
    pub offset: u64,
    pub size: u64,
    /// Outside PREPARE.
    pub measured: bool,
}

/// The executions of one pass, in order, loops and repetitions written out.
pub fn flatten(load: &Loadfile) -> Vec<Execution<'_>> {
    let mut flat = Flat {
        load,
        steps: Vec::new(),
        measured: true,
    };
    let lines: Vec<_> = load.lines.iter().collect();
    flat.run(&lines);
    flat.steps
}

struct Flat<'a> {
    load: &'a Loadfile,
    steps: Vec<Execution<'a>>,
    measured: bool,
}

impl<'a> Flat<'a> {
    fn run(&mut self, lines: &[&'a Line]) {
        let mut at = 0;
        while at < lines.len() {
            match lines[at].action {
                Action::Loop { count, .. } => {
                    let end = at + loop_length(&lines[at..]);
                    for _ in 0..count {
                        self.run(&lines[at + 1..end]);
                    }
                    at = end;
                }
                Action::Repeat { count } => {
                    at += 1;
                    for _ in 0..count {
                        self.step(lines[at]);
                    }
                }
                Action::Prepare { .. } => self.measured = false,
                Action::EndPrepare => self.measured = true,
                _ => self.step(lines[at]),
            }
            at += 1;
        }
    }

    fn step(&mut self, line: &'a Line) {
        let (offset, size) = match line.action {
            Action::Transfer {
                offset,
                size,
                returned,
                ..
            } => {
                let size = fixed(size, line);
                assert_eq!(
                    fixed(returned, line),
                    size,
                    "line {}: a short transfer",
                    line.number
                );
                (self.offset(offset, line), size)
            }
            _ => (0, 0),
        };
        let measured = self.measured;
        self.steps.push(Execution {
            line,
            offset,
            size,
            measured,
        });
    }

    /// `+y` must follow a transfer of the same kind on the same handle: only then does everyone read it alike.
    fn offset(&self, offset: Number, line: &Line) -> u64 {
        let id = match offset {
            Number::Fixed(value) => return value,
            Number::Expression(id) => id,
        };
        let expression = &self.load.expressions[id.0 as usize];
        assert_eq!(expression.base, Base::Previous, "line {}", line.number);
        let [Step::Add(distance)] = expression.steps[..] else {
            panic!("line {}: an offset that is no plain +y", line.number);
        };
        let last = self.steps.last().expect("an operation before +y");
        assert_eq!(target(line), target(last.line), "line {}", line.number);
        last.offset + distance
    }
}

fn fixed(number: Number, line: &Line) -> u64 {
    match number {
        Number::Fixed(value) => value,
        Number::Expression(_) => panic!("line {}: a size that is not fixed", line.number),
    }
}

fn target(line: &Line) -> Option<(Kind, u32)> {
    match line.action {
        Action::Transfer { kind, handle, .. } => Some((kind, handle)),
        _ => None,
    }
}

/// Distance from a LOOP to its ENDLOOP.
fn loop_length(lines: &[&Line]) -> usize {
    let mut depth = 0;
    for (index, line) in lines.iter().enumerate() {
        match line.action {
            Action::Loop { .. } => depth += 1,
            Action::EndLoop if depth == 1 => return index,
            Action::EndLoop => depth -= 1,
            _ => {}
        }
    }
    panic!("line {}: LOOP without ENDLOOP", lines[0].number)
}
