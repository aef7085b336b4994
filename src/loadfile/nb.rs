//! The operations of nb2 and nb3 (dbench 2.x to 5.x, file I/O backend).

use super::grammar::Parameter::{Number, Path, Word};
use super::grammar::{Shape, Values};
use crate::op::{Action, Kind, Status};

macro_rules! shape {
    ($kind:ident, $parameters:expr, $optional:expr, $build:expr) => {
        Shape {
            kind: Kind::$kind,
            parameters: &$parameters,
            optional: $optional,
            build: $build,
        }
    };
}
pub(super) use shape;

/// nb2 has no Deltree.
pub(super) const NB2: &[Shape] = NB3.split_at(NB3.len() - 1).0;

/// Deltree stands last, see [`NB2`].
pub(super) const NB3: &[Shape] = &[
    shape!(
        NtCreateX,
        [Path("path"), Word("options"), Word("disposition"), Word("handle")],
        0,
        create
    ),
    shape!(Close, [Word("handle")], 0, handle),
    shape!(
        ReadX,
        [
            Word("handle"),
            Number("offset"),
            Number("size"),
            Number("returned")
        ],
        0,
        transfer
    ),
    shape!(
        WriteX,
        [
            Word("handle"),
            Number("offset"),
            Number("size"),
            Number("returned")
        ],
        0,
        transfer
    ),
    shape!(Flush, [Word("handle")], 0, handle),
    shape!(LockX, [Word("handle"), Number("offset"), Number("size")], 0, lock),
    shape!(
        UnlockX,
        [Word("handle"), Number("offset"), Number("size")],
        0,
        lock
    ),
    shape!(Rename, [Path("old"), Path("new")], 0, two_paths),
    shape!(Unlink, [Path("path"), Word("attributes")], 1, path),
    shape!(Rmdir, [Path("path")], 0, path),
    shape!(Mkdir, [Path("path")], 0, path),
    shape!(QueryPathInformation, [Path("path"), Word("level")], 0, path),
    shape!(QueryFileInformation, [Word("handle"), Word("level")], 0, handle),
    shape!(SetFileInformation, [Word("handle"), Word("level")], 0, handle),
    shape!(QueryFsInformation, [Word("level")], 0, file_system),
    shape!(
        FindFirst,
        [Path("pattern"), Word("level"), Word("max"), Word("count")],
        0,
        find
    ),
    shape!(Deltree, [Path("path")], 0, path),
];

/// What nb2, which states none, expects of an operation.
pub(super) fn nb2_status(kind: Kind) -> Status {
    match kind {
        Kind::QueryPathInformation | Kind::FindFirst => Status::Any,
        _ => Status::Ok,
    }
}

fn create(_: Kind, values: &Values) -> Action {
    let [options, disposition, handle, _] = values.words;
    Action::Create {
        path: values.paths[0],
        options,
        disposition,
        handle,
    }
}

fn handle(kind: Kind, values: &Values) -> Action {
    let [handle, level, ..] = values.words;
    Action::Handle { kind, handle, level }
}

fn transfer(kind: Kind, values: &Values) -> Action {
    let [offset, size, returned] = values.numbers;
    Action::Transfer {
        kind,
        handle: values.words[0],
        offset,
        size,
        returned,
    }
}

fn lock(kind: Kind, values: &Values) -> Action {
    let [offset, size, _] = values.numbers;
    Action::Lock {
        kind,
        handle: values.words[0],
        offset,
        size,
    }
}

fn find(_: Kind, values: &Values) -> Action {
    let [level, max, count, _] = values.words;
    Action::Find {
        path: values.paths[0],
        level,
        max,
        count,
    }
}

/// An operation on a path, with a level if it has one.
pub(super) fn path(kind: Kind, values: &Values) -> Action {
    Action::Path {
        kind,
        path: values.paths[0],
        level: values.words[0].into(),
    }
}

/// An operation on two paths.
pub(super) fn two_paths(kind: Kind, values: &Values) -> Action {
    let [first, second] = values.paths;
    Action::TwoPaths { kind, first, second }
}

/// An operation on the file system as a whole.
pub(super) fn file_system(kind: Kind, values: &Values) -> Action {
    Action::FileSystem {
        kind,
        level: values.words[0],
    }
}
