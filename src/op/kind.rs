//! Kinds of operation.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A kind of operation, under the name that its dialect gives it.
///
/// The discriminants index per-kind tables, so they are dense and start at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    // nb2 and nb3
    NtCreateX,
    Close,
    Rename,
    Unlink,
    Deltree,
    Mkdir,
    Rmdir,
    QueryPathInformation,
    QueryFileInformation,
    QueryFsInformation,
    SetFileInformation,
    FindFirst,
    WriteX,
    ReadX,
    LockX,
    UnlockX,
    Flush,
    // smb1
    SmbOpenX,
    SmbCreate,
    SmbClose,
    SmbRead,
    SmbReadBraw,
    SmbWrite,
    SmbWriteBraw,
    SmbGetatr,
    SmbUnlink,
    SmbMv,
    SmbMkdir,
    SmbRmdir,
    // nfs
    Getattr3,
    Setattr3,
    Lookup3,
    Access3,
    Readlink3,
    Read3,
    Write3,
    Create3,
    Mkdir3,
    Symlink3,
    Remove3,
    Rmdir3,
    Rename3,
    Link3,
    Readdir3,
    Readdirplus3,
    Fsstat3,
    Fsinfo3,
    Pathconf3,
    Commit3,
    Lock4,
    Unlock4,
    Test4,
    // smb5
    SmbFileOpen,
    SmbFileClose,
    SmbFileRead,
    SmbFileWrite,
    SmbFileUnlink,
    SmbFileMkdir,
    SmbFileRmdir,
    SmbFileReaddir,
}

impl Kind {
    /// Every kind, in the order of the discriminants (dbench 4.0's table order first).
    pub const ALL: [Kind; 60] = [
        Kind::NtCreateX,
        Kind::Close,
        Kind::Rename,
        Kind::Unlink,
        Kind::Deltree,
        Kind::Mkdir,
        Kind::Rmdir,
        Kind::QueryPathInformation,
        Kind::QueryFileInformation,
        Kind::QueryFsInformation,
        Kind::SetFileInformation,
        Kind::FindFirst,
        Kind::WriteX,
        Kind::ReadX,
        Kind::LockX,
        Kind::UnlockX,
        Kind::Flush,
        Kind::SmbOpenX,
        Kind::SmbCreate,
        Kind::SmbClose,
        Kind::SmbRead,
        Kind::SmbReadBraw,
        Kind::SmbWrite,
        Kind::SmbWriteBraw,
        Kind::SmbGetatr,
        Kind::SmbUnlink,
        Kind::SmbMv,
        Kind::SmbMkdir,
        Kind::SmbRmdir,
        Kind::Getattr3,
        Kind::Setattr3,
        Kind::Lookup3,
        Kind::Access3,
        Kind::Readlink3,
        Kind::Read3,
        Kind::Write3,
        Kind::Create3,
        Kind::Mkdir3,
        Kind::Symlink3,
        Kind::Remove3,
        Kind::Rmdir3,
        Kind::Rename3,
        Kind::Link3,
        Kind::Readdir3,
        Kind::Readdirplus3,
        Kind::Fsstat3,
        Kind::Fsinfo3,
        Kind::Pathconf3,
        Kind::Commit3,
        Kind::Lock4,
        Kind::Unlock4,
        Kind::Test4,
        Kind::SmbFileOpen,
        Kind::SmbFileClose,
        Kind::SmbFileRead,
        Kind::SmbFileWrite,
        Kind::SmbFileUnlink,
        Kind::SmbFileMkdir,
        Kind::SmbFileRmdir,
        Kind::SmbFileReaddir,
    ];

    /// The operation's name as it stands in a loadfile.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NtCreateX => "NTCreateX",
            Kind::Close => "Close",
            Kind::Rename => "Rename",
            Kind::Unlink => "Unlink",
            Kind::Deltree => "Deltree",
            Kind::Mkdir => "Mkdir",
            Kind::Rmdir => "Rmdir",
            Kind::QueryPathInformation => "QUERY_PATH_INFORMATION",
            Kind::QueryFileInformation => "QUERY_FILE_INFORMATION",
            Kind::QueryFsInformation => "QUERY_FS_INFORMATION",
            Kind::SetFileInformation => "SET_FILE_INFORMATION",
            Kind::FindFirst => "FIND_FIRST",
            Kind::WriteX => "WriteX",
            Kind::ReadX => "ReadX",
            Kind::LockX => "LockX",
            Kind::UnlockX => "UnlockX",
            Kind::Flush => "Flush",
            Kind::SmbOpenX => "SMBopenX",
            Kind::SmbCreate => "CREATE",
            Kind::SmbClose => "SMBclose",
            Kind::SmbRead => "SMBread",
            Kind::SmbReadBraw => "SMBreadbraw",
            Kind::SmbWrite => "SMBwrite",
            Kind::SmbWriteBraw => "SMBwritebraw",
            Kind::SmbGetatr => "SMBgetatr",
            Kind::SmbUnlink => "SMBunlink",
            Kind::SmbMv => "SMBmv",
            Kind::SmbMkdir => "SMBmkdir",
            Kind::SmbRmdir => "SMBrmdir",
            Kind::Getattr3 => "GETATTR3",
            Kind::Setattr3 => "SETATTR3",
            Kind::Lookup3 => "LOOKUP3",
            Kind::Access3 => "ACCESS3",
            Kind::Readlink3 => "READLINK3",
            Kind::Read3 => "READ3",
            Kind::Write3 => "WRITE3",
            Kind::Create3 => "CREATE3",
            Kind::Mkdir3 => "MKDIR3",
            Kind::Symlink3 => "SYMLINK3",
            Kind::Remove3 => "REMOVE3",
            Kind::Rmdir3 => "RMDIR3",
            Kind::Rename3 => "RENAME3",
            Kind::Link3 => "LINK3",
            Kind::Readdir3 => "READDIR3",
            Kind::Readdirplus3 => "READDIRPLUS3",
            Kind::Fsstat3 => "FSSTAT3",
            Kind::Fsinfo3 => "FSINFO3",
            Kind::Pathconf3 => "PATHCONF3",
            Kind::Commit3 => "COMMIT3",
            Kind::Lock4 => "LOCK4",
            Kind::Unlock4 => "UNLOCK4",
            Kind::Test4 => "TEST4",
            Kind::SmbFileOpen => "OPEN",
            Kind::SmbFileClose => "CLOSE",
            Kind::SmbFileRead => "READ",
            Kind::SmbFileWrite => "WRITE",
            Kind::SmbFileUnlink => "UNLINK",
            Kind::SmbFileMkdir => "MKDIR",
            Kind::SmbFileRmdir => "RMDIR",
            Kind::SmbFileReaddir => "READDIR",
        }
    }

    /// Whether the operation moves file data (reads or writes), as opposed to metadata.
    pub fn moves_data(self) -> bool {
        self.reads() || self.writes()
    }

    /// Whether the operation reads file data.
    pub fn reads(self) -> bool {
        matches!(
            self,
            Kind::ReadX | Kind::SmbRead | Kind::SmbReadBraw | Kind::Read3 | Kind::SmbFileRead
        )
    }

    /// Whether the operation writes file data.
    pub fn writes(self) -> bool {
        matches!(
            self,
            Kind::WriteX | Kind::SmbWrite | Kind::SmbWriteBraw | Kind::Write3 | Kind::SmbFileWrite
        )
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("no kind of operation is called `{name}`")))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
