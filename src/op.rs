//! The vocabulary of every loadfile dialect: kinds of operation, expected statuses and parsed lines.
//!
//! No I/O happens here. Parsers and importers end in [`Line`]s, the compiler starts from them.

mod kind;

pub use kind::Kind;

/// What a trace says of an operation's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// It must succeed (`NT_STATUS_OK`, `0x0`, `SUCCESS`).
    Ok,
    /// It must fail (`ERROR`, any other `NT_STATUS_…` or number).
    Fail,
    /// Either is right (`*`).
    Any,
}

/// Index of a path in [`Loadfile::paths`](crate::loadfile::Loadfile::paths).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(pub u32);

/// Index of an expression in [`Loadfile::expressions`](crate::loadfile::Loadfile::expressions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExprId(pub u32);

/// Index of a directive's text in [`Loadfile::texts`](crate::loadfile::Loadfile::texts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextId(pub u32);

/// A number in a loadfile: known when it is read, or worked out afresh at each execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Fixed(u64),
    Expression(ExprId),
}

/// Where an expression starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// `*`: 64 random bits.
    Random,
    /// `+…` at the start: the value that the same parameter had in the previous operation.
    Previous,
    /// `@a` to `@z` (0 to 25): the turn of the loop with that variable, from 0.
    Turn(u8),
}

/// One step of an expression, applied left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// `%y`; y is never 0.
    Modulo(u64),
    /// `/y`: round down to a multiple of y; y is never 0.
    Floor(u64),
    /// `+y`, wrapping.
    Add(u64),
    /// `+@a` to `+@z`, wrapping; only after a loop's turn.
    AddTurn(u8),
    /// `*y`, wrapping; only after a loop's turn.
    Multiply(u64),
    /// `+child`: the client's number, from 0.
    AddChild,
    /// `+num_children`: how many clients there are.
    AddChildren,
}

/// An expression such as `*%0x10000000/4096` or `+4096`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expression {
    pub base: Base,
    pub steps: Vec<Step>,
}

/// One line of a loadfile that does something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Line number in the file, from 1.
    pub number: u32,
    /// What must come of it.
    pub status: Status,
    /// When it is due after the start of the pass, in microseconds, if the line has a timestamp.
    pub due: Option<u64>,
    pub action: Action,
}

/// What a line does.
///
/// `level` holds parameters that do not change what is executed (information levels, attributes,
/// access masks); they are kept so that a loadfile can be written back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// nb2, nb3: NTCreateX.
    Create {
        path: PathId,
        options: u32,
        disposition: u32,
        handle: u32,
    },
    /// smb1: SMBopenX, `size` from the reply, bytes.
    SmbOpen {
        path: PathId,
        handle: u32,
        size: u64,
    },
    /// An operation on a handle alone: Close, Flush, QUERY_FILE_INFORMATION, SET_FILE_INFORMATION, SMBclose.
    Handle {
        kind: Kind,
        handle: u32,
        level: u32,
    },
    /// ReadX, WriteX, and smb1's reads and writes (there `returned` equals `size`). Bytes.
    Transfer {
        kind: Kind,
        handle: u32,
        offset: Number,
        size: Number,
        returned: Number,
    },
    /// LockX, UnlockX: a byte range of a handle.
    Lock {
        kind: Kind,
        handle: u32,
        offset: Number,
        size: Number,
    },
    /// An operation on one path (any dialect).
    Path {
        kind: Kind,
        path: PathId,
        level: u64,
    },
    /// smb1's SMBgetatr and CREATE: a path with the size that the trace saw, bytes.
    Sized {
        kind: Kind,
        path: PathId,
        size: u64,
    },
    /// Rename, SMBmv, RENAME3 (old, new); LINK3 (new name, existing file); SYMLINK3 (link, target): in the file's order.
    TwoPaths {
        kind: Kind,
        first: PathId,
        second: PathId,
    },
    /// READ3, WRITE3, READ, WRITE: data of a file named by its path. Bytes.
    PathTransfer {
        kind: Kind,
        path: PathId,
        offset: Number,
        size: Number,
        /// WRITE3's `stable`: above 0 the data are synced.
        stable: u32,
    },
    /// LOCK4, UNLOCK4, TEST4: a byte range of a file named by its path.
    PathLock {
        kind: Kind,
        path: PathId,
        offset: Number,
        size: Number,
    },
    /// FIND_FIRST: pattern, information level, most entries, entries found.
    Find {
        path: PathId,
        level: u32,
        max: u32,
        count: u32,
    },
    /// smb5: OPEN with its flags.
    Open {
        path: PathId,
        flags: u32,
    },
    /// QUERY_FS_INFORMATION, FSSTAT3, FSINFO3.
    FileSystem {
        kind: Kind,
        level: u32,
    },
    /// SLEEP (a directive), or Sleep (an operation of 3.x, with a status). Microseconds.
    Sleep {
        micros: Number,
        operation: bool,
    },
    /// Loop `variable` (0 to 25 for a to z) is the turn, from 0.
    Loop {
        count: u64,
        variable: Option<u8>,
    },
    EndLoop,
    Repeat {
        count: u64,
    },
    SetPoint {
        point: u64,
    },
    WaitPoint {
        client: u32,
        point: u64,
    },
    /// RANDOMSTRING: slot 0-9 := the text with each `[set]` replaced by one random member.
    RandomString {
        slot: u8,
        text: TextId,
    },
    WritePattern {
        text: TextId,
    },
    /// `once`: before a client's first pass only.
    Prepare {
        once: bool,
    },
    EndPrepare,
}
