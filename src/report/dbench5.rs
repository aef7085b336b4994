//! dbench 5.0: its table's order, under the names of the loadfile.

use super::table::Layout;
use crate::op::Kind;

pub(super) const LAYOUT: Layout = Layout {
    name_width: 22,
    rule: 50,
    first: &[
        Kind::Deltree,
        Kind::Flush,
        Kind::Close,
        Kind::LockX,
        Kind::Rmdir,
        Kind::Mkdir,
        Kind::Rename,
        Kind::ReadX,
        Kind::WriteX,
        Kind::Unlink,
        Kind::UnlockX,
        Kind::FindFirst,
        Kind::SetFileInformation,
        Kind::QueryFileInformation,
        Kind::QueryPathInformation,
        Kind::QueryFsInformation,
        Kind::NtCreateX,
    ],
    name: Kind::name,
};
