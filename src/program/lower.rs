//! From a line's action to an operation: which code, which flags, which slot.

use super::compile::Compiler;
use super::handles::{Key, Use};
use super::space::Change;
use super::{Code, Dynamic, NO_SLOT, Op, ProgramPath, Root, create, flag};
use crate::loadfile::Dialect;
use crate::op::{Action, Kind, Line, PathId, Status};

/// Largest single SMB 1 write, and what files are filled with at an open, bytes.
const FILL: u32 = 65_536;

impl Compiler<'_> {
    /// Compiles one operation.
    pub(super) fn operation(&mut self, line: &Line) {
        match line.action {
            Action::Create {
                path,
                options,
                disposition,
                handle,
            } => self.nt_create(line, path, options, disposition, handle),
            Action::SmbOpen { path, handle, size } => self.smb_open(line, path, handle, size),
            Action::Handle { kind, handle, .. } => self.on_handle(line, kind, handle),
            Action::Transfer {
                kind,
                handle,
                offset,
                size,
                returned,
            } => self.transfer(
                line,
                kind,
                handle,
                Dynamic {
                    offset,
                    size,
                    returned,
                },
            ),
            Action::Lock {
                kind,
                handle,
                offset,
                size,
            } => self.lock(line, kind, handle, offset, size),
            Action::Path { kind, path, .. } => self.on_path(line, kind, path),
            Action::Sized { kind, path, size } => self.sized(line, kind, path, size),
            Action::TwoPaths { kind, first, second } => self.two_paths(line, kind, first, second),
            Action::PathTransfer {
                kind,
                path,
                offset,
                size,
                stable,
            } => self.path_transfer(line, kind, path, (offset, size), stable),
            Action::PathLock {
                kind,
                path,
                offset,
                size,
            } => self.path_lock(line, kind, path, offset, size),
            Action::Find { path, max, .. } => self.find(line, path, max),
            Action::Open { path, flags } => self.smb5_open(line, path, flags),
            Action::FileSystem { kind, .. } => {
                let mut op = self.operation_of(line, kind, Code::QueryFs);
                if self.file.dialect == Dialect::Nb2 && !self.resolves() {
                    op.flags |= flag::NO_CALL; // 2.x made none
                }
                self.push(op, line);
            }
            _ => {}
        }
    }

    /// Whether paths are looked up first, as a case-insensitive server does. With it nb2 makes nb3's other calls too.
    pub(super) fn resolves(&self) -> bool {
        match self.file.dialect {
            Dialect::Nb3 => true,
            Dialect::Nb2 => self.options.resolve == Some(true),
            Dialect::Smb1 | Dialect::Nfs | Dialect::Smb5 => false,
        }
    }

    pub(super) fn lookup_flags(&self) -> u8 {
        if !self.resolves() {
            return 0;
        }
        match (self.options.resolve, self.file.resolve) {
            // dbench's option leaves the stat.
            (Some(false), _) => flag::STAT_FIRST,
            // Our directive leaves nothing, so that a load can do what one of dbench 1 or 2 did.
            (None, Some(false)) => 0,
            (Some(true), _) | (None, None | Some(true)) => flag::STAT_FIRST | flag::SCAN,
        }
    }

    pub(super) fn operation_of(&mut self, line: &Line, kind: Kind, code: Code) -> Op {
        let mut op = self.op(line, code);
        op.kind = self.kind(kind);
        if is_checked(kind) {
            op.flags |= flag::CHECKED;
        }
        op
    }

    pub(super) fn path(&self, path: PathId) -> u32 {
        self.path_index[path.0 as usize]
    }

    /// Which root a path is, if it is one.
    pub(super) fn root_of(&self, path: u32) -> Option<Root> {
        match &self.program.paths[path as usize] {
            ProgramPath::Fixed(buffer) if buffer.place().is_root() => Some(buffer.place().root),
            _ => None,
        }
    }

    pub(super) fn path_op(&mut self, line: &Line, kind: Kind, code: Code, path: PathId) -> Op {
        let mut op = self.operation_of(line, kind, code);
        op.a = self.path(path);
        op.flags |= self.lookup_flags();
        if self.root_of(op.a).is_some() {
            op.flags |= flag::SCAFFOLD;
        }
        op
    }

    pub(super) fn nt_create(
        &mut self,
        line: &Line,
        path: PathId,
        options: u32,
        disposition: u32,
        handle: u32,
    ) {
        let mut op = self.path_op(line, Kind::NtCreateX, Code::Create, path);
        if self.resolves() {
            op.flags |= flag::FOLLOW_UP;
        }
        op.length = match disposition {
            0 | 5 => create::CREATE | create::TRUNCATE,
            1 => 0,
            2 if line.status == Status::Fail => {
                create::CREATE | create::EXCLUSIVE | create::DISPOSITION_CREATE
            }
            2 => create::CREATE | create::DISPOSITION_CREATE,
            3 => create::CREATE,
            4 => create::TRUNCATE,
            _ => {
                let what = format!("disposition {disposition} is none");
                let help = "0 supersede, 1 open, 2 create, 3 open-if, 4 overwrite, 5 overwrite-if";
                self.problem(line.number, 3, what, help);
                0
            }
        };
        let directory = options & 1 != 0;
        if directory {
            op.length |= create::DIRECTORY;
        }
        op.b = self.give_slot(line, Key::Number(handle), op.a);
        if line.status != Status::Fail {
            let has = |bit| op.length & bit != 0;
            let (path, makes, cuts) = (op.a, has(create::CREATE), has(create::TRUNCATE));
            match (directory, makes) {
                (true, _) => self.change(Change::Directory { path }),
                (false, true) => self.change(Change::Create { path, cuts }),
                (false, false) => {}
            }
        }
        self.push(op, line);
    }

    /// The slot that an open gives; none where it must fail.
    pub(super) fn give_slot(&mut self, line: &Line, key: Key, path: u32) -> u32 {
        if line.status == Status::Fail || self.is_dead() {
            return NO_SLOT;
        }
        let (slot, again) = self.handles.open(key, line.number);
        if let Some(earlier) = again
            && self.file.dialect != Dialect::Smb5
        {
            let name = self.key_name(key);
            let what = format!("{name} is opened again without a close (last opened at line {earlier})");
            self.warn(line.number, what, "the older one is closed first");
        }
        self.space.open(slot, path);
        slot
    }

    /// The slot of a handle that must be open; absent after a problem, or where a slice leaves it out.
    pub(super) fn take_slot(&mut self, line: &Line, key: Key) -> Option<u32> {
        if self.is_dead() {
            return Some(NO_SLOT);
        }
        let what = match self.handles.used(key, line.number) {
            Use::Open(slot) => return Some(slot),
            Use::Closed(at) => format!("{} was closed at line {at}", self.key_name(key)),
            Use::Never => format!("{} is used before any open gave it", self.key_name(key)),
        };
        if self.options.slice {
            self.program.sliced = self.program.sliced.saturating_add(self.times);
        } else {
            let help = "if this is a slice of a longer loadfile, give --slice";
            // SMBclose REQUEST Handle 7
            let token = if self.file.dialect == Dialect::Smb1 { 3 } else { 1 };
            self.problem(line.number, token, what, help);
        }
        None
    }

    pub(super) fn on_handle(&mut self, line: &Line, kind: Kind, handle: u32) {
        let key = Key::Number(handle);
        let Some(slot) = self.take_slot(line, key) else {
            return;
        };
        let code = match kind {
            Kind::Flush => Code::Flush,
            Kind::QueryFileInformation => Code::QueryFile,
            Kind::SetFileInformation => Code::SetFile,
            _ => Code::Close,
        };
        if code == Code::Close {
            self.handles.close(key, line.number);
        }
        let mut op = self.operation_of(line, kind, code);
        op.a = slot;
        if code == Code::Flush && self.file.dialect == Dialect::Nb2 && !self.options.flush_fsync {
            op.flags |= flag::NO_CALL; // 2.x made none
        }
        self.push(op, line);
    }

    pub(super) fn smb_open(&mut self, line: &Line, path: PathId, handle: u32, size: u64) {
        let mut op = self.path_op(line, Kind::SmbOpenX, Code::SmbOpen, path);
        op.offset = size;
        op.length = create::CREATE | if size == 0 { create::TRUNCATE } else { 0 };
        op.b = self.give_slot(line, Key::Number(handle), op.a);
        self.grown_by_open(op.a, size);
        self.push(op, line);
    }

    pub(super) fn grown_by_open(&mut self, path: u32, size: u64) {
        if size > 0 {
            self.program.max_write = self.program.max_write.max(FILL);
        }
        let cuts = size == 0;
        self.change(Change::Create { path, cuts });
        self.change(Change::Resize { path, size });
    }

    pub(super) fn sized(&mut self, line: &Line, kind: Kind, path: PathId, size: u64) {
        // A size that differs from the trace's is no mismatch in smb1, so SMBgetatr keeps none.
        let code = if kind == Kind::SmbCreate {
            Code::SmbCreate
        } else {
            Code::QueryPath
        };
        let mut op = self.path_op(line, kind, code, path);
        if kind == Kind::SmbCreate {
            op.offset = size;
            op.length = create::CREATE | if size == 0 { create::TRUNCATE } else { 0 };
            self.grown_by_open(op.a, size);
        } else {
            self.recorded_size(line, op.a, size);
        }
        self.push(op, line);
    }

    pub(super) fn find(&mut self, line: &Line, path: PathId, max: u32) {
        let mut op = self.path_op(line, Kind::FindFirst, Code::Find, path);
        op.length = max;
        if self.file.dialect == Dialect::Nb2 {
            // 2.x read the whole parent directory, with or without a wildcard.
            op.flags |= flag::FOLLOW_UP;
            op.length = u32::MAX;
        }
        self.push(op, line);
    }
}

/// Whether the outcome of a kind is checked (the last column of the semantics tables).
fn is_checked(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Close
            | Kind::QueryFileInformation
            | Kind::QueryFsInformation
            | Kind::FindFirst
            | Kind::SmbClose
    )
}
