//! From a line's action to an operation: which code, which flags, which slot.

use super::compile::Compiler;
use super::handles::{Key, Use};
use super::{Code, Dynamic, MAX_TRANSFER, NO_SLOT, Op, PlaceBuf, ProgramPath, Root, create, flag};
use crate::loadfile::Dialect;
use crate::op::{Action, Base, Expression, Kind, Line, Number, PathId, Status, Step};

/// Largest single SMB 1 write, and what files are filled with at an open, bytes.
const FILL: u32 = 65_536;

/// What the value before a `+y` is taken to be at most, for the space estimate, bytes.
const PREVIOUS_BOUND: u64 = 1 << 24;

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
                    op.flags |= flag::SCAFFOLD; // no call: 2.x made none
                }
                self.push(op, line);
            }
            _ => {}
        }
    }

    /// Whether paths are looked up first, as a case-insensitive server does.
    fn resolves(&self) -> bool {
        match self.file.dialect {
            Dialect::Nb3 => true,
            _ => self.options.resolve == Some(true),
        }
    }

    fn lookup_flags(&self) -> u8 {
        if !self.resolves() {
            return 0;
        }
        let scan = self.options.resolve.or(self.file.resolve).unwrap_or(true);
        flag::STAT_FIRST | if scan { flag::SCAN } else { 0 }
    }

    fn operation_of(&mut self, line: &Line, kind: Kind, code: Code) -> Op {
        let mut op = self.op(line, code);
        op.kind = self.kind(kind);
        if is_checked(kind) {
            op.flags |= flag::CHECKED;
        }
        op
    }

    fn path(&self, path: PathId) -> u32 {
        self.path_index[path.0 as usize]
    }

    /// Which root a path is, if it is one.
    fn root_of(&self, path: u32) -> Option<Root> {
        match &self.program.paths[path as usize] {
            ProgramPath::Fixed(buffer) if is_scaffold(buffer) => Some(buffer.place().root),
            _ => None,
        }
    }

    fn path_op(&mut self, line: &Line, kind: Kind, code: Code, path: PathId) -> Op {
        let mut op = self.operation_of(line, kind, code);
        op.a = self.path(path);
        op.flags |= self.lookup_flags();
        if self.root_of(op.a).is_some() {
            op.flags |= flag::SCAFFOLD;
        }
        op
    }

    fn nt_create(&mut self, line: &Line, path: PathId, options: u32, disposition: u32, handle: u32) {
        let mut op = self.path_op(line, Kind::NtCreateX, Code::Create, path);
        if self.file.dialect == Dialect::Nb3 {
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
        let (slot, flags) = self.give_slot(line, Key::Number(handle), op.a);
        op.b = slot;
        if line.status != Status::Fail {
            let (path, makes, cuts) = (op.a, op.length & create::CREATE != 0, flags_cut(op.length));
            self.with_space(|space, named| match (directory, makes) {
                (true, _) => space.make_directory(named(path)),
                (false, true) => space.create(named(path), cuts),
                (false, false) => {}
            });
        }
        op.flags |= flags;
        self.push(op, line);
    }

    /// The slot that an open gives; none where it must fail.
    fn give_slot(&mut self, line: &Line, key: Key, path: u32) -> (u32, u8) {
        if line.status == Status::Fail || self.is_dead() {
            return (NO_SLOT, 0);
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
        (slot, 0)
    }

    /// The slot of a handle that must be open; absent after a problem, or where a slice leaves it out.
    fn take_slot(&mut self, line: &Line, key: Key) -> Option<u32> {
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
            self.problem(line.number, 1, what, help);
        }
        None
    }

    fn on_handle(&mut self, line: &Line, kind: Kind, handle: u32) {
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
            op.flags |= flag::SCAFFOLD; // no call: 2.x made none
        }
        self.push(op, line);
    }

    fn smb_open(&mut self, line: &Line, path: PathId, handle: u32, size: u64) {
        let mut op = self.path_op(line, Kind::SmbOpenX, Code::SmbOpen, path);
        op.offset = size;
        op.length = create::CREATE | if size == 0 { create::TRUNCATE } else { 0 };
        op.b = self.give_slot(line, Key::Number(handle), op.a).0;
        self.grown_by_open(op.a, size);
        self.push(op, line);
    }

    fn grown_by_open(&mut self, path: u32, size: u64) {
        if size > 0 {
            self.program.max_write = self.program.max_write.max(FILL);
        }
        self.with_space(|space, named| {
            space.create(named(path), size == 0);
            space.resize(named(path), size);
        });
    }

    fn sized(&mut self, line: &Line, kind: Kind, path: PathId, size: u64) {
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
        }
        self.push(op, line);
    }

    fn transfer(&mut self, line: &Line, kind: Kind, handle: u32, numbers: Dynamic) {
        let Some(slot) = self.take_slot(line, Key::Number(handle)) else {
            return;
        };
        let code = if kind.reads() { Code::Read } else { Code::Write };
        let mut op = self.operation_of(line, kind, code);
        op.a = slot;
        match self.file.dialect {
            Dialect::Nb3 => op.flags |= flag::CHECK_BYTES,
            _ => op.flags |= flag::COUNT_REQUESTED,
        }
        let path = self.space.path_of(slot);
        self.data(line, op, numbers, path, 1);
    }

    fn path_transfer(&mut self, line: &Line, kind: Kind, path: PathId, range: (Number, Number), stable: u32) {
        let (offset, size) = range;
        let returned = Number::Fixed(u64::from(stable));
        let numbers = Dynamic {
            offset,
            size,
            returned,
        };
        let index = self.path(path);
        let smb5 = self.file.dialect == Dialect::Smb5;
        let (code, target) = if smb5 && !self.file.has_random_strings {
            let Some(slot) = self.take_slot(line, Key::Path(index)) else {
                return;
            };
            (if kind.reads() { Code::Read } else { Code::Write }, slot)
        } else {
            self.program.opens_by_path = true;
            let code = match (smb5, kind.reads()) {
                (true, true) => Code::ReadOpen,
                (true, false) => Code::WriteOpen,
                (false, true) => Code::ReadPath,
                (false, false) => Code::WritePath,
            };
            (code, index)
        };
        let mut op = self.operation_of(line, kind, code);
        op.a = target;
        if stable > 0 {
            op.flags |= flag::FOLLOW_UP;
        }
        self.data(line, op, numbers, Some(index), 1);
    }

    /// Puts a read's or write's numbers into the operation, or beside it where they are worked out each time.
    fn data(&mut self, line: &Line, mut op: Op, numbers: Dynamic, path: Option<u32>, token: usize) {
        let reads = self.program.kinds[op.kind as usize].reads();
        let size = self.bound(numbers.size);
        if size > MAX_TRANSFER {
            let what = "a single read or write may not be larger than 1 GiB";
            self.problem(line.number, token + 2, what, "end a random size with %N");
            return;
        }
        let size = match self.options.trunc_io {
            Some(limit) => size.min(u64::from(limit)),
            None => size,
        };
        let largest = if reads {
            &mut self.program.max_read
        } else {
            &mut self.program.max_write
        };
        *largest = (*largest).max(size as u32);
        let dynamic = self.program.tracks_previous || !numbers.are_fixed();
        op.length = size as u32;
        op.returned = match numbers.returned {
            Number::Fixed(returned) => returned.min(size) as u32,
            Number::Expression(_) => 0,
        };
        if let Number::Fixed(offset) = numbers.offset {
            op.offset = offset;
        }
        if dynamic {
            op.flags |= flag::DYNAMIC;
            op.b = self.program.dynamics.len() as u32;
            self.program.dynamics.push(numbers);
        }
        let offset = self.offset_bound(numbers.offset);
        if !reads && let Some(path) = path {
            let end = offset.saturating_add(size);
            let times = self.times;
            self.with_space(|space, named| space.write(named(path), end, size, times));
        }
        self.push(op, line);
    }

    fn lock(&mut self, line: &Line, kind: Kind, handle: u32, offset: Number, size: Number) {
        let Some(slot) = self.take_slot(line, Key::Number(handle)) else {
            return;
        };
        let code = if kind == Kind::LockX {
            Code::Lock
        } else {
            Code::Unlock
        };
        let mut op = self.operation_of(line, kind, code);
        op.a = slot;
        self.range(line, op, offset, size);
    }

    fn path_lock(&mut self, line: &Line, kind: Kind, path: PathId, offset: Number, size: Number) {
        let code = match kind {
            Kind::Lock4 => Code::LockPath,
            Kind::Unlock4 => Code::UnlockPath,
            _ => Code::TestLockPath,
        };
        self.program.opens_by_path = true;
        let mut op = self.operation_of(line, kind, code);
        op.a = self.path(path);
        self.range(line, op, offset, size);
    }

    fn range(&mut self, line: &Line, mut op: Op, offset: Number, size: Number) {
        let numbers = Dynamic {
            offset,
            size,
            returned: Number::Fixed(0),
        };
        if self.program.tracks_previous || !numbers.are_fixed() {
            op.flags |= flag::DYNAMIC;
            op.b = self.program.dynamics.len() as u32;
            self.program.dynamics.push(numbers);
        }
        if let (Number::Fixed(offset), Number::Fixed(size)) = (offset, size) {
            op.offset = offset;
            op.set_range_length(size);
        }
        self.push(op, line);
    }

    fn find(&mut self, line: &Line, path: PathId, max: u32) {
        let mut op = self.path_op(line, Kind::FindFirst, Code::Find, path);
        op.length = max;
        if self.file.dialect == Dialect::Nb2 {
            // 2.x read the whole parent directory, with or without a wildcard.
            op.flags |= flag::FOLLOW_UP;
            op.length = u32::MAX;
        }
        self.push(op, line);
    }

    fn smb5_open(&mut self, line: &Line, path: PathId, flags: u32) {
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
            op.b = self.give_slot(line, Key::Path(op.a), op.a).0;
        }
        if line.status != Status::Fail && flags & smb5::CREATE != 0 {
            let (path, cuts) = (op.a, flags & smb5::TRUNCATE != 0);
            self.with_space(|space, named| space.create(named(path), cuts));
        }
        self.push(op, line);
    }

    fn on_path(&mut self, line: &Line, kind: Kind, path: PathId) {
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
        self.space_of_path(line, code, op.a);
        self.push(op, line);
    }

    fn space_of_path(&mut self, line: &Line, code: Code, path: u32) {
        if line.status == Status::Fail {
            return;
        }
        self.with_space(|space, named| match code {
            Code::Unlink | Code::Rmdir => space.remove(named(path)),
            Code::Mkdir => space.make_directory(named(path)),
            Code::CreateFile => space.create(named(path), false),
            Code::Deltree => space.remove_tree(named(path), named),
            _ => {}
        });
    }

    fn smb5_close(&mut self, line: &Line, path: PathId) {
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

    fn two_paths(&mut self, line: &Line, kind: Kind, first: PathId, second: PathId) {
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
            self.with_space(|space, named| match code {
                Code::Rename => space.rename(named(first), named(second)),
                Code::Symlink => space.create(named(first), false),
                _ => {}
            });
        }
        self.push(op, line);
    }

    /// The largest value that an offset can have; the next `+y` adds to it.
    fn offset_bound(&mut self, offset: Number) -> u64 {
        let added = match offset {
            Number::Fixed(_) => None,
            Number::Expression(id) => match &self.file.expressions[id.0 as usize] {
                Expression {
                    base: Base::Previous,
                    steps,
                } => match steps[..] {
                    [Step::Add(y)] => Some(y),
                    _ => None,
                },
                _ => None,
            },
        };
        let (last, fixed_times) = self.last_offset;
        self.last_offset = match added {
            // It runs so often for each time that the offset was fixed.
            Some(y) => {
                let turns = self.times / fixed_times.max(1);
                (last.saturating_add(y.saturating_mul(turns.max(1))), fixed_times)
            }
            None => (self.bound(offset), self.times),
        };
        self.last_offset.0
    }

    /// The largest value that a number can have.
    fn bound(&self, number: Number) -> u64 {
        let id = match number {
            Number::Fixed(value) => return value,
            Number::Expression(id) => id,
        };
        let expression = &self.file.expressions[id.0 as usize];
        let start = match expression.base {
            Base::Random => u64::MAX,
            // Unknown, but grown from a number of the file by the additions counted below.
            Base::Previous => PREVIOUS_BOUND,
        };
        expression.steps.iter().fold(start, |bound, step| match *step {
            Step::Modulo(y) => bound.min(y - 1),
            Step::Floor(_) => bound,
            Step::Add(y) if expression.base == Base::Previous => {
                bound.saturating_add(y.saturating_mul(self.times))
            }
            Step::Add(y) => bound.saturating_add(y),
            Step::AddChild | Step::AddChildren => bound.saturating_add(1 << 20),
        })
    }
}

impl Dynamic {
    /// Whether every number is known now.
    fn are_fixed(&self) -> bool {
        [self.offset, self.size, self.returned]
            .iter()
            .all(|number| matches!(number, Number::Fixed(_)))
    }
}

fn flags_cut(flags: u32) -> bool {
    flags & create::TRUNCATE != 0
}

fn is_scaffold(buffer: &PlaceBuf) -> bool {
    let place = buffer.place();
    place.is_root() || (place.root == Root::Shared && place.path.to_bytes() == b"clients")
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
