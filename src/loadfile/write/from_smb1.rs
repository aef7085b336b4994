//! smb1 as nb3: the sizes of files are followed, so that each outcome can be stated.

use super::check::unquotable;
use super::line::Writer;
use super::tree::{FileId, Node, Tree};
use super::{WriteError, WriteOptions, WriteReport, problem, refuse};
use crate::loadfile::Loadfile;
use crate::loadfile::fault::{Collector, shown};
use crate::op::{Action, Kind, Line, Number, PathId, Status};
use rustc_hash::FxHashMap;
use std::io::{Result, Write};

/// The most bytes that one line writes to fill a file.
const FILL: u64 = 65_535;
/// The largest file that is filled; smb1 itself ends at 4 GiB.
const LARGEST_FILE: u64 = 1 << 40;

const DIRECTORY: u32 = 0x1;
const ORDINARY_FILE: u32 = 0x40;

/// How NTCreateX opens.
#[derive(Debug, Clone, Copy)]
enum Disposition {
    Open = 1,
    Create = 2,
    OpenIf = 3,
    OverwriteIf = 5,
}

struct Conversion<'a, 'o> {
    loadfile: &'a Loadfile,
    writer: Writer<'o>,
    tree: Tree,
    /// Open handles; a directory's has no file.
    handles: FxHashMap<u32, Option<FileId>>,
    /// Opens a file that exists or not, without cutting it.
    keeping: Disposition,
    problems: Collector,
}

/// Writes an smb1 loadfile.
///
/// # Errors
/// Lines that cannot be executed, and so have no outcome to state; a failing `out`.
pub(super) fn write(
    loadfile: &Loadfile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> std::result::Result<WriteReport, WriteError> {
    let mut conversion = Conversion {
        loadfile,
        writer: Writer::new(loadfile, out),
        tree: Tree::new(),
        handles: FxHashMap::default(),
        // dbench 4.0 takes 3 for a plain open, but 2 for one that creates.
        keeping: if options.flatten {
            Disposition::Create
        } else {
            Disposition::OpenIf
        },
        problems: Collector::default(),
    };
    if !options.flatten {
        conversion.writer.resolve(false)?;
    }
    conversion.writer.empty_first(options.flatten)?;
    for line in &loadfile.lines {
        conversion.line(line)?;
    }
    refuse(loadfile, conversion.problems)?;
    Ok(conversion.writer.report())
}

fn fixed(number: Number) -> u64 {
    match number {
        Number::Fixed(value) => value,
        // The dialect has no expressions.
        Number::Expression(_) => 0,
    }
}

fn stated(succeeds: bool) -> Status {
    if succeeds { Status::Ok } else { Status::Fail }
}

impl Conversion<'_, '_> {
    fn line(&mut self, line: &Line) -> Result<()> {
        if let Some(found) = unquotable(self.loadfile, line) {
            self.problems.push(found);
            return Ok(());
        }
        match line.action {
            Action::SmbOpen { path, handle, size } => {
                let path = self.path(path);
                self.open(line, &path, handle, size)
            }
            Action::Sized {
                kind: Kind::SmbCreate,
                path,
                size,
            } => {
                let path = self.path(path);
                let handle = self.free_handle();
                self.open(line, &path, handle, size)?;
                self.close(handle)
            }
            Action::Sized { path, .. } => {
                let path = self.path(path);
                let exists = self.tree.get(&path).is_some();
                self.writer.start(Kind::QueryPathInformation, &path)?;
                self.writer.rest(format_args!(" 1004"))?;
                self.writer.status(Kind::QueryPathInformation, stated(exists))
            }
            Action::Handle { handle, .. } => match self.handles.contains_key(&handle) {
                true => self.close(handle),
                false => self.not_open(line, handle),
            },
            Action::Transfer {
                kind,
                handle,
                offset,
                size,
                ..
            } => self.transfer(line, kind, handle, fixed(offset), fixed(size)),
            Action::Path { kind, path, .. } => {
                let path = self.path(path);
                self.path_operation(line, kind, &path)
            }
            Action::TwoPaths { first, second, .. } => {
                let (old, new) = (self.path(first), self.path(second));
                let succeeds = self.tree.rename(&old, &new);
                self.writer.start(Kind::Rename, &old)?;
                self.writer.rest(format_args!(" "))?;
                self.writer.quoted(&new)?;
                self.writer.status(Kind::Rename, stated(succeeds))
            }
            _ => {
                let help = "smb1 has reads, writes, opens and operations on paths";
                self.problems.push(problem(line, "no operation of smb1", help));
                Ok(())
            }
        }
    }

    /// A path as it is run: in upper case.
    fn path(&mut self, path: PathId) -> Vec<u8> {
        let text = self.loadfile.paths.get(path.0 as usize);
        text.map_or_else(Vec::new, |path| path.text.to_ascii_uppercase())
    }

    fn not_open(&mut self, line: &Line, handle: u32) -> Result<()> {
        let what = format!("the handle {handle} is used before any open gave it");
        let help = "start the trace where the file is opened";
        self.problems.push(problem(line, what, help));
        Ok(())
    }

    /// A handle that no open file has.
    fn free_handle(&self) -> u32 {
        const HIGHEST: u32 = 65_535;
        let mut handles = (1..=HIGHEST).rev().chain(HIGHEST..=u32::MAX);
        handles
            .find(|handle| !self.handles.contains_key(handle))
            .unwrap_or(0)
    }

    fn path_operation(&mut self, line: &Line, kind: Kind, path: &[u8]) -> Result<()> {
        let (kind, succeeds) = match kind {
            Kind::SmbUnlink => (Kind::Unlink, self.tree.unlink(path)),
            Kind::SmbRmdir => (Kind::Rmdir, self.tree.rmdir(path)),
            _ => {
                self.make_parents(line, path)?;
                let is_file = matches!(self.tree.get(path), Some(Node::File(_)));
                self.tree.add_directory(path);
                (Kind::Mkdir, !is_file)
            }
        };
        self.writer.start(kind, path)?;
        if kind == Kind::Unlink {
            self.writer.rest(format_args!(" 0x0"))?;
        }
        self.writer.status(kind, stated(succeeds))
    }

    /// Makes the directories above a path that the trace found there but never made.
    fn make_parents(&mut self, line: &Line, path: &[u8]) -> Result<bool> {
        let Some(missing) = self.tree.missing_parents(path) else {
            let what = format!("`{}` stands below a file", shown(path));
            let help = "the trace is damaged there; leave the line out";
            self.problems.push(problem(line, what, help));
            return Ok(false);
        };
        for directory in missing {
            self.tree.add_directory(&directory);
            self.writer.start(Kind::Mkdir, &directory)?;
            self.writer.status(Kind::Mkdir, Status::Ok)?;
        }
        Ok(true)
    }

    /// Opens a file and gives it the size that the reply says.
    fn open(&mut self, line: &Line, path: &[u8], handle: u32, size: u64) -> Result<()> {
        if self.handles.contains_key(&handle) {
            // Opening a handle again closes what it was.
            self.close(handle)?;
        }
        if size > LARGEST_FILE {
            let what = format!("a file of {size} bytes cannot be filled");
            self.problems
                .push(problem(line, what, "at most 1099511627776 bytes"));
            return Ok(());
        }
        if !self.make_parents(line, path)? {
            return Ok(());
        }
        if self.tree.get(path) == Some(Node::Directory) {
            self.handles.insert(handle, None);
            return self.create(path, DIRECTORY, Disposition::Open, handle);
        }
        self.tree.add_file(path);
        let Some(Node::File(file)) = self.tree.get(path) else {
            return Ok(());
        };
        self.handles.insert(handle, Some(file));
        let mut from = self.tree.size(file);
        let cut = size == 0 || from > size;
        if cut {
            from = 0;
        }
        let disposition = if cut {
            Disposition::OverwriteIf
        } else {
            self.keeping
        };
        self.create(path, ORDINARY_FILE, disposition, handle)?;
        self.tree.set_size(file, size);
        self.writer.count_fill(size - from);
        while from < size {
            let length = FILL.min(size - from);
            self.write_transfer(Kind::WriteX, handle, [from, length, length])?;
            from += length;
        }
        Ok(())
    }

    fn create(&mut self, path: &[u8], options: u32, disposition: Disposition, handle: u32) -> Result<()> {
        self.writer.start(Kind::NtCreateX, path)?;
        let disposition = disposition as u32;
        self.writer
            .rest(format_args!(" {options:#x} {disposition:#x} {handle}"))?;
        self.writer.status(Kind::NtCreateX, Status::Ok)
    }

    fn close(&mut self, handle: u32) -> Result<()> {
        if self.handles.remove(&handle).is_none() {
            return Ok(());
        }
        self.writer.rest(format_args!("{} {handle}", Kind::Close))?;
        self.writer.status(Kind::Close, Status::Ok)
    }

    fn transfer(&mut self, line: &Line, kind: Kind, handle: u32, offset: u64, size: u64) -> Result<()> {
        let file = match self.handles.get(&handle) {
            None => return self.not_open(line, handle),
            Some(None) => {
                let help = "only files hold data; leave the line out";
                self.problems.push(problem(line, "data of a directory", help));
                return Ok(());
            }
            Some(&Some(file)) => file,
        };
        let now = self.tree.size(file);
        if kind.reads() {
            let returned = size.min(now.saturating_sub(offset));
            return self.write_transfer(Kind::ReadX, handle, [offset, size, returned]);
        }
        if size > 0 {
            self.tree.set_size(file, now.max(offset.saturating_add(size)));
        }
        self.write_transfer(Kind::WriteX, handle, [offset, size, size])
    }

    fn write_transfer(&mut self, kind: Kind, handle: u32, numbers: [u64; 3]) -> Result<()> {
        let [offset, size, returned] = numbers;
        self.writer
            .rest(format_args!("{kind} {handle} {offset} {size} {returned}"))?;
        self.writer.status(kind, Status::Ok)
    }
}
