//! The program: a loadfile compiled once, immutable, shared by all clients that replay it.

mod blocks;
mod compile;
mod handles;
mod lower;
mod lower_paths;
mod numbers;
mod paths;
pub mod place;
mod recording;
pub mod space;
mod templates;
mod totals;
mod turns;

pub use compile::{CompileOptions, compile};
pub use place::{Place, PlaceBuf, Root};
pub use space::SpaceNeed;
pub use totals::{Totals, totals};

use crate::loadfile::{Dialect, Problem, Source};
use crate::op::{Expression, Kind, Number, Status};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No slot: the open is expected to fail, so nothing is kept.
pub const NO_SLOT: u32 = u32::MAX;
/// What stands for the variable of a loop that has none: 0 to 25 are `a` to `z`.
pub const NO_VARIABLE: u8 = 26;
/// The largest single read or write, bytes.
pub const MAX_TRANSFER: u64 = 1 << 30;

/// What an operation executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// NTCreateX: a path, b slot, length bits of [`create`].
    Create,
    /// SMBopenX: a path, b slot, offset the size that the reply told, length bits of [`create`].
    SmbOpen,
    /// SMB's CREATE: a path, offset and length as for SmbOpen; open and close.
    SmbCreate,
    /// a slot.
    Close,
    Flush,
    QueryFile,
    SetFile,
    /// a slot, offset, length, returned.
    Read,
    Write,
    /// a slot, offset, length in `returned` and `length` (high, low).
    Lock,
    Unlock,
    /// a path.
    QueryPath,
    Unlink,
    Rmdir,
    Mkdir,
    Deltree,
    /// a old path, b new path.
    Rename,
    /// a pattern, length most entries.
    Find,
    /// statfs of the run's directory.
    QueryFs,
    /// nfs and smb5: a path.
    Setattr,
    Access,
    Readlink,
    Pathconf,
    CreateFile,
    Commit,
    ReadDirectory,
    ReadDirectoryPlus,
    /// a link, b what it names.
    Link,
    Symlink,
    /// a path, b [`Dynamic`] if so flagged, offset, length (nfs: through the cache of open files).
    ReadPath,
    WritePath,
    LockPath,
    UnlockPath,
    TestLockPath,
    /// smb5: a path, b slot where all paths are known, length open(2)'s flags.
    Open,
    CloseOpen,
    ReadOpen,
    WriteOpen,
    // Control: no operation, not counted, not timed.
    /// offset: microseconds.
    Sleep,
    /// a counter, b its variable ([`NO_VARIABLE`]: none), offset how many times.
    LoopStart,
    /// a counter, b index of the first operation of the body, offset its variable.
    LoopEnd,
    /// In [`Program::prepare`]: b index of the first operation after what is done only before the first pass.
    Once,
    /// offset point.
    SetPoint,
    /// a client, offset point.
    WaitPoint,
    /// a string slot, b index of the template.
    RandomString,
    /// a index of the pattern.
    Pattern,
    EndOfPass,
}

impl Code {
    /// Whether this is an operation, as opposed to control.
    pub fn is_operation(self) -> bool {
        (self as u8) < (Code::Sleep as u8)
    }
}

/// Bits of [`Op::flags`].
pub mod flag {
    /// The outcome is checked against the trace.
    pub const CHECKED: u8 = 1;
    /// The byte count is checked as well.
    pub const CHECK_BYTES: u8 = 2;
    /// Numbers are worked out at each execution: `b` indexes [`Program::dynamics`](super::Program) (a pause's its expressions).
    pub const DYNAMIC: u8 = 4;
    /// The path is looked up with a stat first.
    pub const STAT_FIRST: u8 = 8;
    /// When that fails, the parent is searched for another spelling.
    pub const SCAN: u8 = 16;
    /// The path is a directory that exists by our doing and is not made or removed.
    pub const SCAFFOLD: u8 = 32;
    /// On what has no path: it is counted, but makes no call.
    pub const NO_CALL: u8 = SCAFFOLD;
    /// What counts is what was asked for, not what came.
    pub const COUNT_REQUESTED: u8 = 64;
    /// An open is followed by an fstat, a write by a sync (WRITE3 stable); a Find reads without a wildcard too.
    pub const FOLLOW_UP: u8 = 128;
}

/// Bits of a Create's `length`.
pub mod create {
    /// O_CREAT.
    pub const CREATE: u32 = 1;
    /// O_EXCL.
    pub const EXCLUSIVE: u32 = 2;
    /// O_TRUNC.
    pub const TRUNCATE: u32 = 4;
    /// options bit 0: a directory.
    pub const DIRECTORY: u32 = 8;
    /// disposition 2: `--stat-check` looks for the path once more.
    pub const DISPOSITION_CREATE: u32 = 16;
}

/// One operation, ready to be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Op {
    pub code: Code,
    pub expect: Status,
    /// Index in [`Program::kinds`].
    pub kind: u8,
    /// See [`flag`].
    pub flags: u8,
    /// Line of the loadfile, from 1.
    pub line: u32,
    pub a: u32,
    pub b: u32,
    /// Bytes, unless the code says otherwise.
    pub offset: u64,
    pub length: u32,
    /// Bytes that a read or write is expected to move.
    pub returned: u32,
}

const _: () = assert!(size_of::<Op>() <= 32);

/// Numbers of an operation that are worked out at each execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dynamic {
    pub offset: Number,
    pub size: Number,
    pub returned: Number,
}

/// A path of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramPath {
    /// The same for all clients.
    Fixed(PlaceBuf),
    /// In the shared tree, with the client's number in it; index among such paths, and the text.
    PerClient(u32, Box<[u8]>),
    /// Put together at run time from string slots and loops' turns.
    Assembled(Box<[PathPiece]>),
}

/// A piece of a path that is put together at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPiece {
    Text(Box<[u8]>),
    /// What RANDOMSTRING slot 0-9 holds.
    String(u8),
    /// The turn of the loop with that variable (0 to 25), in decimal digits.
    Turn(u8),
}

impl PathPiece {
    /// A path as the loadfile spells it, for people.
    pub fn spelled(pieces: &[PathPiece]) -> String {
        let text = pieces.iter().map(|piece| match piece {
            PathPiece::Text(text) => String::from_utf8_lossy(text).into_owned(),
            PathPiece::String(slot) => format!("${slot}"),
            PathPiece::Turn(variable) => format!("@{}", char::from(b'a' + variable)),
        });
        text.collect()
    }
}

/// A RANDOMSTRING's text, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(Box<[u8]>),
    /// One random member of a set that is not empty.
    OneOf(Box<[u8]>),
}

/// A loadfile, compiled.
#[derive(Debug, Clone)]
pub struct Program {
    pub source: Arc<Source>,
    pub dialect: Dialect,
    /// The values of its parameters.
    pub params: BTreeMap<String, String>,
    pub ops: Vec<Op>,
    /// PREPARE's operations, run before each pass and not measured.
    pub prepare: Vec<Op>,
    /// When each of `ops` is due, microseconds after the start of the pass ([`NOT_DUE`]: at once); empty without timestamps.
    pub due: Vec<u64>,
    /// Kinds that occur; `Op::kind` indexes them.
    pub kinds: Vec<Kind>,
    pub paths: Vec<ProgramPath>,
    pub per_client_paths: u32,
    pub expressions: Vec<Expression>,
    pub dynamics: Vec<Dynamic>,
    pub templates: Vec<Vec<Piece>>,
    /// WRITEPATTERN texts; the pattern in force at first is zeros.
    pub patterns: Vec<Box<[u8]>>,
    /// How many handles can be open at once.
    pub slots: u32,
    pub loop_counters: u32,
    /// Largest read and largest write, bytes.
    pub max_read: u32,
    pub max_write: u32,
    /// Whether it makes symbolic links.
    pub makes_symlinks: bool,
    /// Whether some `+y` needs the values of the operation before.
    pub tracks_previous: bool,
    /// Whether files are kept open by path (nfs's cache, smb5's OPEN).
    pub opens_by_path: bool,
    /// Whether paths below `shared/clients` occur.
    pub uses_shared_clients: bool,
    /// smb5: whether files below `\client1` are used but nothing makes that directory: then it is there beforehand.
    pub uses_own_shared: bool,
    /// Clients that a WAITSP names must exist: the highest number, and its line.
    pub highest_awaited: Option<(u32, u32)>,
    /// The dialect has no Deltree: a client's root is emptied between passes.
    pub empties_between_passes: bool,
    /// Operations that a slice cannot execute and `--slice` left out of each pass.
    pub sliced: u64,
    pub peak_handles: u32,
    pub space: SpaceNeed,
    pub warnings: Vec<Problem>,
}

/// An operation without a due time.
pub const NOT_DUE: u64 = u64::MAX;

impl Program {
    /// Path of the loadfile, for messages.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Whether operations have due times.
    pub fn has_due_times(&self) -> bool {
        !self.due.is_empty()
    }
}

impl Op {
    /// Sets the length of a lock's range, bytes.
    pub fn set_range_length(&mut self, length: u64) {
        self.returned = (length >> 32) as u32;
        self.length = length as u32;
    }

    /// The length of a lock's range, bytes.
    pub fn range_length(&self) -> u64 {
        u64::from(self.returned) << 32 | u64::from(self.length)
    }
}

impl Program {
    /// A program of a loadfile that has nothing to do yet.
    fn empty(file: &crate::loadfile::Loadfile) -> Program {
        let tracks_previous = file
            .expressions
            .iter()
            .any(|expression| expression.base == crate::op::Base::Previous);
        Program {
            source: file.source.clone(),
            dialect: file.dialect,
            params: file
                .params
                .iter()
                .map(|param| (param.name.clone(), param.value.clone()))
                .collect(),
            ops: Vec::new(),
            prepare: Vec::new(),
            due: Vec::new(),
            kinds: Vec::new(),
            paths: Vec::new(),
            per_client_paths: 0,
            expressions: file.expressions.clone(),
            dynamics: Vec::new(),
            templates: Vec::new(),
            patterns: Vec::new(),
            slots: 0,
            loop_counters: 0,
            max_read: 0,
            max_write: 0,
            makes_symlinks: false,
            tracks_previous,
            opens_by_path: false,
            uses_shared_clients: false,
            uses_own_shared: false,
            highest_awaited: None,
            empties_between_passes: matches!(file.dialect, Dialect::Smb1 | Dialect::Nb2),
            sliced: 0,
            peak_handles: 0,
            space: SpaceNeed::default(),
            warnings: Vec::new(),
        }
    }

    /// Whether files are open in a server's cache, which gives them up when they are removed (nfs).
    pub fn caches_files(&self) -> bool {
        self.dialect == Dialect::Nfs
    }

    /// Whether a Mkdir of what exists counts as the success that the trace says (nb2, nb3, smb1).
    pub fn mkdir_may_find(&self) -> bool {
        matches!(self.dialect, Dialect::Nb2 | Dialect::Nb3 | Dialect::Smb1)
    }
}

#[cfg(test)]
mod tests;
