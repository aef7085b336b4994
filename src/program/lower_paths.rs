//! From an action on paths to an operation.

use super::compile::Compiler;
use super::handles::Key;
use super::space::Change;
use super::{Code, Root, flag};
use crate::loadfile::Dialect;
use crate::op::{Kind, Line, PathId, Status};

/// smb5's OPEN flags (dbench 5, smb.load's comment).
mod smb5 {
    pub const WRITE_ONLY: u32 = 0x02;
    pub const READ_WRITE: u32 = 0x04;
    pub const CREATE: u32 = 0x08;
    pub const EXCLUSIVE: u32 = 0x10;
    pub const TRUNCATE: u32 = 0x20;
    pub const APPEND: u32 = 0x40;
    pub const KNOWN: u32 = 0x7f;
}

impl Compiler<'_> {
    pub(super) fn on_path(&mut self, line: &Line, kind: Kind, path: PathId) {
        let code = match kind {
            Kind::Unlink | Kind::SmbUnlink | Kind::Remove3 | Kind::SmbFileUnlink => Code::Unlink,
            Kind::Rmdir | Kind::SmbRmdir | Kind::Rmdir3 | Kind::SmbFileRmdir => Code::Rmdir,
            Kind::Mkdir | Kind::SmbMkdir | Kind::Mkdir3 | Kind::SmbFileMkdir => Code::Mkdir,
            Kind::Deltree => Code::Deltree,
            Kind::Setattr3 => Code::Setattr,
            Kind::Access3 => Code::Access,
            Kind::Readlink3 => Code::Readlink,
            Kind::Pathconf3 => Code::Pathconf,
            Kind::Create3 => Code::CreateFile,
            Kind::Commit3 => Code::Commit,
            Kind::Readdir3 | Kind::SmbFileReaddir => Code::ReadDirectory,
            Kind::Readdirplus3 => Code::ReadDirectoryPlus,
            Kind::SmbFileClose => return self.smb5_close(line, path),
            _ => Code::QueryPath,
        };
        let mut op = self.path_op(line, kind, code, path);
        if kind == Kind::Deltree && self.file.dialect == Dialect::Nb3 {
            op.flags &= !flag::CHECKED;
        }
        if op.flags & flag::SCAFFOLD != 0 && kind == Kind::Mkdir3 {
            op.flags &= !flag::CHECKED;
        }
        if code == Code::Commit {
            self.program.opens_by_path = true;
        }
        if code == Code::Deltree && self.root_of(op.a) == Some(Root::Clients) {
            let help = "it would remove every client's files: name \\clients\\client1";
            self.problem(line.number, 1, "Deltree of \\clients is not possible", help);
        }
        if kind == Kind::SmbMkdir {
            self.recorded_mkdir(line, op.a);
        }
        self.space_of_path(line, code, op.a);
        self.push(op, line);
    }

    pub(super) fn space_of_path(&mut self, line: &Line, code: Code, path: u32) {
        if line.status == Status::Fail {
            return;
        }
        match code {
            Code::Unlink | Code::Rmdir => {
                let all = self.comes_to_all(path);
                self.change(Change::Remove { path, all });
            }
            Code::Mkdir => self.change(Change::Directory { path }),
            Code::CreateFile => self.change(Change::Create { path, cuts: false }),
            Code::Deltree => self.change(Change::RemoveTree { top: path }),
            _ => {}
        }
    }

    pub(super) fn two_paths(&mut self, line: &Line, kind: Kind, first: PathId, second: PathId) {
        let code = match kind {
            Kind::Link3 => Code::Link,
            Kind::Symlink3 => Code::Symlink,
            _ => Code::Rename,
        };
        let mut op = self.path_op(line, kind, code, first);
        op.b = self.path(second);
        if code == Code::Rename {
            for (token, path) in [(1, op.a), (2, op.b)] {
                let what = match self.root_of(path) {
                    None => continue,
                    Some(Root::Clients) => "\\clients cannot be renamed or replaced",
                    Some(Root::Client) => "a client's own directory cannot be renamed or replaced",
                    Some(Root::Shared) => "the root cannot be renamed or replaced",
                };
                self.problem(line.number, token, what, "rename what is in it");
            }
        }
        self.program.makes_symlinks |= code == Code::Symlink;
        if line.status != Status::Fail {
            let (first, second) = (op.a, op.b);
            match code {
                Code::Rename => self.change(Change::Rename {
                    old: first,
                    new: second,
                    all: self.comes_to_all(first),
                }),
                Code::Symlink => self.change(Change::Create {
                    path: first,
                    cuts: false,
                }),
                _ => {}
            }
        }
        self.push(op, line);
    }

    pub(super) fn smb5_open(&mut self, line: &Line, path: PathId, flags: u32) {
        if flags & !smb5::KNOWN != 0 {
            let help =
                "1 read, 2 write, 4 read and write, 8 create, 0x10 exclusive, 0x20 truncate, 0x40 append";
            self.problem(line.number, 2, format!("{flags:#x} holds an unknown flag"), help);
        }
        let mut op = self.path_op(line, Kind::SmbFileOpen, Code::Open, path);
        let access = match flags {
            f if f & smb5::READ_WRITE != 0 => libc::O_RDWR,
            f if f & smb5::WRITE_ONLY != 0 => libc::O_WRONLY,
            _ => libc::O_RDONLY,
        };
        let modes = [
            (smb5::CREATE, libc::O_CREAT),
            (smb5::EXCLUSIVE, libc::O_EXCL),
            (smb5::TRUNCATE, libc::O_TRUNC),
            (smb5::APPEND, libc::O_APPEND),
        ];
        let set = modes.iter().filter(|(bit, _)| flags & bit != 0);
        op.length = set.fold(access, |all, (_, mode)| all | mode) as u32;
        if self.file.has_random_strings {
            self.program.opens_by_path = true;
        } else {
            op.b = self.give_slot(line, Key::Path(op.a), op.a);
        }
        if line.status != Status::Fail && flags & smb5::CREATE != 0 {
            let (path, cuts) = (op.a, flags & smb5::TRUNCATE != 0);
            self.change(Change::Create { path, cuts });
        }
        self.push(op, line);
    }

    pub(super) fn smb5_close(&mut self, line: &Line, path: PathId) {
        let index = self.path(path);
        let mut op = self.operation_of(line, Kind::SmbFileClose, Code::CloseOpen);
        if self.file.has_random_strings {
            self.program.opens_by_path = true;
            op.a = index;
        } else {
            let key = Key::Path(index);
            let Some(slot) = self.take_slot(line, key) else {
                return;
            };
            self.handles.close(key, line.number);
            op.code = Code::Close;
            op.a = slot;
        }
        self.push(op, line);
    }
}
