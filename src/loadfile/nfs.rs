//! The operations of the nfs dialect (dbench 4.x and 5.x, NFS backend).

use super::grammar::Parameter::{Number, Path, Word};
use super::grammar::{Shape, Values};
use super::nb::{file_system, path, shape, two_paths};
use crate::op::{Action, Kind};

pub(super) const SHAPES: &[Shape] = &[
    shape!(Getattr3, [Path("path")], 0, path),
    shape!(Setattr3, [Path("path")], 0, path),
    shape!(Lookup3, [Path("path")], 0, path),
    shape!(
        Access3,
        [Path("path"), Word("desired"), Word("granted")],
        0,
        access
    ),
    shape!(Readlink3, [Path("path")], 0, path),
    shape!(
        Read3,
        [Path("path"), Number("offset"), Number("size")],
        0,
        transfer
    ),
    shape!(
        Write3,
        [Path("path"), Number("offset"), Number("size"), Word("stable")],
        1,
        transfer
    ),
    shape!(Create3, [Path("path")], 0, path),
    shape!(Mkdir3, [Path("path")], 0, path),
    shape!(Symlink3, [Path("link"), Path("target")], 0, two_paths),
    shape!(Remove3, [Path("path")], 0, path),
    shape!(Rmdir3, [Path("path")], 0, path),
    shape!(Rename3, [Path("old"), Path("new")], 0, two_paths),
    shape!(Link3, [Path("new"), Path("existing")], 0, two_paths),
    shape!(Readdir3, [Path("path")], 0, path),
    shape!(Readdirplus3, [Path("path")], 0, path),
    shape!(Fsstat3, [], 0, file_system),
    shape!(Fsinfo3, [], 0, file_system),
    shape!(Pathconf3, [Path("path")], 0, path),
    shape!(Commit3, [Path("path")], 0, path),
    shape!(Lock4, [Path("path"), Number("offset"), Number("size")], 0, lock),
    shape!(Unlock4, [Path("path"), Number("offset"), Number("size")], 0, lock),
    shape!(Test4, [Path("path"), Number("offset"), Number("size")], 0, lock),
    shape!(Deltree, [Path("path")], 0, path),
];

/// ACCESS3: the desired access in the upper half of the level, the granted in the lower.
fn access(kind: Kind, values: &Values) -> Action {
    let [desired, granted, ..] = values.words;
    Action::Path {
        kind,
        path: values.paths[0],
        level: u64::from(desired) << 32 | u64::from(granted),
    }
}

/// Data of a file named by its path.
pub(super) fn transfer(kind: Kind, values: &Values) -> Action {
    let [offset, size, _] = values.numbers;
    Action::PathTransfer {
        kind,
        path: values.paths[0],
        offset,
        size,
        stable: values.words[0],
    }
}

fn lock(kind: Kind, values: &Values) -> Action {
    let [offset, size, _] = values.numbers;
    Action::PathLock {
        kind,
        path: values.paths[0],
        offset,
        size,
    }
}
