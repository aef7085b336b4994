//! One line of nb3 text.

use crate::loadfile::{Loadfile, Param};
use crate::op::{Action, Base, Expression, Kind, Line, Number, PathId, Status, Step, TextId};
use std::borrow::Cow;
use std::io::{Result, Write};

use super::WriteReport;

/// What an open that must fail is said to have had for a handle: nb2's -1 is none in nb3.
const HANDLE_OF_FAILED_OPEN: u32 = 0;

/// Writes lines of nb3 and counts them.
pub(super) struct Writer<'a> {
    loadfile: &'a Loadfile,
    out: &'a mut dyn Write,
    report: WriteReport,
    /// The turns of loops that are unrolled, by their variable; absent where loops are kept.
    turns: Option<[u64; 26]>,
}

impl<'a> Writer<'a> {
    pub fn new(loadfile: &'a Loadfile, out: &'a mut dyn Write) -> Writer<'a> {
        Writer {
            loadfile,
            out,
            report: WriteReport::default(),
            turns: None,
        }
    }

    /// A loop starts that is unrolled.
    pub fn first_turn(&mut self, variable: Option<u8>) {
        self.set_turn(variable, |_| 0);
    }

    /// It starts another turn.
    pub fn next_turn(&mut self, variable: Option<u8>) {
        self.set_turn(variable, |turn| turn.wrapping_add(1));
    }

    fn set_turn(&mut self, variable: Option<u8>, change: impl FnOnce(u64) -> u64) {
        let turns = self.turns.get_or_insert([0; 26]);
        if let Some(turn) = variable.and_then(|variable| turns.get_mut(usize::from(variable))) {
            *turn = change(*turn);
        }
    }

    /// The turn of a loop that is unrolled.
    pub fn turn(&self, variable: u8) -> u64 {
        let turns = self
            .turns
            .as_ref()
            .and_then(|turns| turns.get(usize::from(variable)));
        turns.copied().unwrap_or(0)
    }

    /// A path with the turns of loops that are unrolled put in.
    pub fn with_turns<'t>(&self, path: &'t [u8]) -> Cow<'t, [u8]> {
        if self.turns.is_none() || !self.loadfile.has_loop_variables {
            return Cow::Borrowed(path);
        }
        let mut built = Vec::with_capacity(path.len() + 8);
        let mut rest = path;
        while let Some((&byte, after)) = rest.split_first() {
            rest = match (byte, after.first()) {
                (b'@', Some(letter @ b'a'..=b'z')) => {
                    built.extend_from_slice(self.turn(letter - b'a').to_string().as_bytes());
                    &after[1..]
                }
                _ => {
                    built.push(byte);
                    after
                }
            };
        }
        Cow::Owned(built)
    }

    pub fn report(&self) -> WriteReport {
        self.report
    }

    /// Counts bytes of lines that only fill a file.
    pub fn count_fill(&mut self, bytes: u64) {
        self.report.fill_bytes = self.report.fill_bytes.saturating_add(bytes);
    }

    /// Writes a line of text.
    pub fn text(&mut self, text: &[u8]) -> Result<()> {
        self.out.write_all(text)?;
        self.end()
    }

    pub fn param(&mut self, param: &Param) -> Result<()> {
        let Param {
            name,
            value,
            help,
            choices,
            default: _,
        } = param;
        write!(self.out, "PARAM {name} \"{value}\" \"{help}\"")?;
        if !choices.is_empty() {
            write!(self.out, " {}", choices.join("|"))?;
        }
        writeln!(self.out)?;
        self.report.lines += 1;
        Ok(())
    }

    pub fn resolve(&mut self, on: bool) -> Result<()> {
        self.text(if on { b"RESOLVE on" } else { b"RESOLVE off" })
    }

    /// Empties the client's directory before each pass, which rbench does by itself for dialects without Deltree.
    /// `measured`: as a plain line, for programs that do not know PREPARE.
    pub fn empty_first(&mut self, measured: bool) -> Result<()> {
        let deltree = br#"Deltree "\clients\client1" NT_STATUS_OK"#;
        if measured {
            return self.text(deltree);
        }
        self.text(b"PREPARE")?;
        self.text(deltree)?;
        self.text(b"ENDPREPARE")
    }

    fn end(&mut self) -> Result<()> {
        self.report.lines += 1;
        self.out.write_all(b"\n")
    }

    /// Writes a line as it is.
    pub fn line(&mut self, line: &Line) -> Result<()> {
        self.operation(line.due, &line.action, line.status)
    }

    /// Writes an operation or directive. Kinds that nb3 does not have were refused before.
    pub fn operation(&mut self, due: Option<u64>, action: &Action, status: Status) -> Result<()> {
        if let Some(due) = due {
            write!(self.out, "{}.{:06} ", due / 1_000_000, due % 1_000_000)?;
        }
        match *action {
            Action::Create {
                path,
                options,
                disposition,
                handle,
            } => {
                let handle = match (status, handle) {
                    (Status::Fail, u32::MAX) => HANDLE_OF_FAILED_OPEN,
                    _ => handle,
                };
                self.kind_and_path(Kind::NtCreateX, path)?;
                write!(self.out, " {options:#x} {disposition:#x} {handle}")?;
                self.status(Kind::NtCreateX, status)
            }
            Action::Handle { kind, handle, level } => {
                write!(self.out, "{kind} {handle}")?;
                if matches!(kind, Kind::QueryFileInformation | Kind::SetFileInformation) {
                    write!(self.out, " {level}")?;
                }
                self.status(kind, status)
            }
            Action::Transfer {
                kind,
                handle,
                offset,
                size,
                returned,
            } => {
                write!(self.out, "{kind} {handle}")?;
                self.numbers(&[offset, size, returned])?;
                self.status(kind, status)
            }
            Action::Lock {
                kind,
                handle,
                offset,
                size,
            } => {
                write!(self.out, "{kind} {handle}")?;
                self.numbers(&[offset, size])?;
                self.status(kind, status)
            }
            Action::Path { kind, path, level } => {
                self.kind_and_path(kind, path)?;
                match kind {
                    Kind::QueryPathInformation => write!(self.out, " {level}")?,
                    Kind::Unlink => write!(self.out, " {level:#x}")?,
                    _ => {}
                }
                self.status(kind, status)
            }
            Action::TwoPaths { kind, first, second } => {
                self.kind_and_path(kind, first)?;
                write!(self.out, " ")?;
                self.path(second, kind)?;
                self.status(kind, status)
            }
            Action::Find {
                path,
                level,
                max,
                count,
            } => {
                self.kind_and_path(Kind::FindFirst, path)?;
                write!(self.out, " {level} {max} {count}")?;
                self.status(Kind::FindFirst, status)
            }
            Action::FileSystem { kind, level } => {
                write!(self.out, "{kind} {level}")?;
                self.status(kind, status)
            }
            Action::Sleep {
                micros,
                operation: true,
            } => {
                write!(self.out, "Sleep")?;
                self.numbers(&[micros])?;
                self.status(Kind::Close, status)
            }
            _ => self.directive(action),
        }
    }

    fn directive(&mut self, action: &Action) -> Result<()> {
        match *action {
            Action::Sleep { micros, .. } => {
                write!(self.out, "SLEEP")?;
                self.numbers(&[micros])?;
            }
            Action::Loop { count, variable } => {
                write!(self.out, "LOOP {count}")?;
                if let Some(variable) = variable {
                    write!(self.out, " {}", char::from(b'a' + variable))?;
                }
            }
            Action::EndLoop => write!(self.out, "ENDLOOP")?,
            Action::Repeat { count } => write!(self.out, "REPEAT {count}")?,
            Action::SetPoint { point } => write!(self.out, "SETSP {point}")?,
            Action::WaitPoint { client, point } => write!(self.out, "WAITSP {client} {point}")?,
            Action::RandomString { slot, text } => {
                write!(self.out, "RANDOMSTRING {slot} \"")?;
                self.directive_text(text)?;
                write!(self.out, "\"")?;
            }
            Action::WritePattern { text } => {
                write!(self.out, "WRITEPATTERN ")?;
                self.directive_text(text)?;
            }
            Action::Prepare { once } => {
                write!(self.out, "{}", if once { "PREPARE ONCE" } else { "PREPARE" })?
            }
            Action::EndPrepare => write!(self.out, "ENDPREPARE")?,
            _ => return Ok(()),
        }
        self.end()
    }

    fn directive_text(&mut self, text: TextId) -> Result<()> {
        match self.loadfile.texts.get(text.0 as usize) {
            Some(text) => self.out.write_all(text),
            None => Ok(()),
        }
    }

    fn kind_and_path(&mut self, kind: Kind, path: PathId) -> Result<()> {
        write!(self.out, "{kind} ")?;
        self.path(path, kind)
    }

    fn path(&mut self, path: PathId, kind: Kind) -> Result<()> {
        let path = self.loadfile.paths.get(path.0 as usize);
        let mut text = self.with_turns(path.map_or(&b""[..], |path| &path.text));
        if kind == Kind::FindFirst && text.contains(&b'"') {
            // In a pattern it is a wildcard, which cannot stand in quotes; `?` is another one.
            let quote = text.iter().map(|&byte| if byte == b'"' { b'?' } else { byte });
            text = Cow::Owned(quote.collect());
        }
        self.quoted(&text)
    }

    /// Writes a path in quotes.
    pub fn quoted(&mut self, path: &[u8]) -> Result<()> {
        self.out.write_all(b"\"")?;
        self.out.write_all(path)?;
        self.out.write_all(b"\"")
    }

    /// Starts a line with an operation on a path that stands in no table.
    pub fn start(&mut self, kind: Kind, path: &[u8]) -> Result<()> {
        write!(self.out, "{kind} ")?;
        self.quoted(path)
    }

    /// Writes what is left of a line before its status.
    pub fn rest(&mut self, rest: std::fmt::Arguments<'_>) -> Result<()> {
        self.out.write_fmt(rest)
    }

    /// Ends a line with the status that is expected of a kind of operation.
    pub fn status(&mut self, kind: Kind, status: Status) -> Result<()> {
        let text: &[u8] = match status {
            Status::Ok => b" NT_STATUS_OK",
            Status::Fail if kind == Kind::FindFirst => b" NT_STATUS_NO_SUCH_FILE",
            Status::Fail => b" NT_STATUS_OBJECT_NAME_NOT_FOUND",
            Status::Any => b" *",
        };
        self.out.write_all(text)?;
        self.end()
    }

    fn numbers(&mut self, numbers: &[Number]) -> Result<()> {
        for number in numbers {
            match *number {
                Number::Fixed(value) => write!(self.out, " {value}")?,
                Number::Expression(id) => {
                    write!(self.out, " ")?;
                    if let Some(expression) = self.loadfile.expressions.get(id.0 as usize) {
                        self.expression(expression)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn expression(&mut self, expression: &Expression) -> Result<()> {
        match expression.base {
            Base::Previous => {}
            Base::Random => write!(self.out, "*")?,
            Base::Turn(variable) => write!(self.out, "@{}", char::from(b'a' + variable))?,
        }
        for step in &expression.steps {
            match step {
                Step::Modulo(value) => write!(self.out, "%{value}")?,
                Step::Floor(value) => write!(self.out, "/{value}")?,
                Step::Add(value) => write!(self.out, "+{value}")?,
                Step::Multiply(value) => write!(self.out, "*{value}")?,
                Step::AddTurn(variable) => write!(self.out, "+@{}", char::from(b'a' + variable))?,
                Step::AddChild => write!(self.out, "+child")?,
                Step::AddChildren => write!(self.out, "+num_children")?,
            }
        }
        Ok(())
    }
}
