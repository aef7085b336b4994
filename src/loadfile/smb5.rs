//! The operations of the smb5 dialect (dbench 4.x and 5.x, SMB backend).

use super::grammar::Parameter::{Number, Path, Word};
use super::grammar::{Shape, Values};
use super::nb::{path, shape};
use super::nfs::transfer;
use crate::op::{Action, Kind};

pub(super) const SHAPES: &[Shape] = &[
    shape!(SmbFileOpen, [Path("path"), Word("flags")], 0, open),
    shape!(SmbFileClose, [Path("path")], 0, path),
    shape!(
        SmbFileRead,
        [Path("path"), Number("offset"), Number("size")],
        0,
        transfer
    ),
    shape!(
        SmbFileWrite,
        [Path("path"), Number("offset"), Number("size")],
        0,
        transfer
    ),
    shape!(SmbFileUnlink, [Path("path")], 0, path),
    shape!(SmbFileMkdir, [Path("path")], 0, path),
    shape!(SmbFileRmdir, [Path("path")], 0, path),
    shape!(SmbFileReaddir, [Path("path")], 0, path),
    shape!(Deltree, [Path("path")], 0, path),
];

fn open(_: Kind, values: &Values) -> Action {
    Action::Open {
        path: values.paths[0],
        flags: values.words[0],
    }
}
