//! Replays the bundled load `client` in memory and holds it to the totals of `loadfiles/README.md`.

use rbench::bundled;
use rbench::loadfile::{Dialect, Loadfile, ReadOptions, Source, parse};
use rbench::op::{Action, Base, Kind, Line, Number, PathId, Status, Step};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Files take whole blocks of this many bytes.
const BLOCK: u64 = 4096;
const ROOT: &str = r"\clients\client1";
/// Upper bounds of the size histograms, in bytes.
const BOUNDS: [u64; 8] = [64, 512, 1024, 2048, 4096, 8192, 16384, 65536];

fn client() -> Loadfile {
    let text = bundled::text("client").expect("the default load is bundled");
    parse(Source::new("client", text), &ReadOptions::default()).expect("the bundled load has no errors")
}

/// One execution of a line, with offset and size worked out.
#[derive(Clone, Copy)]
struct Execution<'a> {
    line: &'a Line,
    offset: u64,
    size: u64,
    measured: bool,
}

/// The executions of one pass, in order, loops and repetitions written out.
fn flatten(load: &Loadfile) -> Vec<Execution<'_>> {
    let mut flat = Flat {
        load,
        steps: Vec::new(),
        measured: true,
    };
    flat.run(&load.lines);
    flat.steps
}

struct Flat<'a> {
    load: &'a Loadfile,
    steps: Vec<Execution<'a>>,
    measured: bool,
}

impl<'a> Flat<'a> {
    fn run(&mut self, lines: &'a [Line]) {
        let mut at = 0;
        while at < lines.len() {
            match lines[at].action {
                Action::Loop { count } => {
                    let end = at + loop_length(&lines[at..]);
                    for _ in 0..count {
                        self.run(&lines[at + 1..end]);
                    }
                    at = end;
                }
                Action::Repeat { count } => {
                    at += 1;
                    for _ in 0..count {
                        self.step(&lines[at]);
                    }
                }
                Action::Prepare => self.measured = false,
                Action::EndPrepare => self.measured = true,
                _ => self.step(&lines[at]),
            }
            at += 1;
        }
    }

    fn step(&mut self, line: &'a Line) {
        let (offset, size) = match line.action {
            Action::Transfer {
                offset,
                size,
                returned,
                ..
            } => {
                let size = fixed(size, line);
                assert_eq!(
                    fixed(returned, line),
                    size,
                    "line {}: a short transfer",
                    line.number
                );
                (self.offset(offset, line), size)
            }
            _ => (0, 0),
        };
        let measured = self.measured;
        self.steps.push(Execution {
            line,
            offset,
            size,
            measured,
        });
    }

    /// `+y` must follow a transfer of the same kind on the same handle: only then does everyone read it alike.
    fn offset(&self, offset: Number, line: &Line) -> u64 {
        let id = match offset {
            Number::Fixed(value) => return value,
            Number::Expression(id) => id,
        };
        let expression = &self.load.expressions[id.0 as usize];
        assert_eq!(expression.base, Base::Previous, "line {}", line.number);
        let [Step::Add(distance)] = expression.steps[..] else {
            panic!("line {}: an offset that is no plain +y", line.number);
        };
        let last = self.steps.last().expect("an operation before +y");
        assert_eq!(target(line), target(last.line), "line {}", line.number);
        last.offset + distance
    }
}

fn fixed(number: Number, line: &Line) -> u64 {
    match number {
        Number::Fixed(value) => value,
        Number::Expression(_) => panic!("line {}: a size that is not fixed", line.number),
    }
}

fn target(line: &Line) -> Option<(Kind, u32)> {
    match line.action {
        Action::Transfer { kind, handle, .. } => Some((kind, handle)),
        _ => None,
    }
}

/// Distance from a LOOP to its ENDLOOP.
fn loop_length(lines: &[Line]) -> usize {
    let mut depth = 0;
    for (index, line) in lines.iter().enumerate() {
        match line.action {
            Action::Loop { .. } => depth += 1,
            Action::EndLoop if depth == 1 => return index,
            Action::EndLoop => depth -= 1,
            _ => {}
        }
    }
    panic!("line {}: LOOP without ENDLOOP", lines[0].number)
}

/// A file's content that names and handles lead to; it lives as long as one of them does.
#[derive(Default)]
struct Inode {
    size: u64,
    named: bool,
    opens: u32,
}

struct Handle {
    inode: usize,
    last_write_end: Option<u64>,
}

/// What was executed outside PREPARE.
#[derive(Default)]
struct Totals {
    counts: BTreeMap<Kind, u64>,
    failed_stats: u64,
    write_sizes: [u64; 8],
    read_sizes: [u64; 8],
    bytes_written: u64,
    bytes_read: u64,
    sequential_writes: u64,
    sizes_at_open: Vec<u64>,
}

/// A client's tree and what happened to it.
#[derive(Default)]
struct Tree {
    directories: BTreeSet<String>,
    files: HashMap<String, usize>,
    inodes: Vec<Inode>,
    handles: HashMap<u32, Handle>,
    blocks: u64,
    peak_blocks: u64,
    peak_handles: usize,
    names: BTreeSet<String>,
    totals: Totals,
    /// Outcomes that are not as the load says: `line: what`.
    differed: Vec<String>,
}

fn parent(path: &str) -> &str {
    path.rsplit_once('\\').map_or("", |(parent, _)| parent)
}

fn bucket(size: u64) -> usize {
    BOUNDS
        .iter()
        .position(|&bound| size <= bound)
        .expect("at most 64 KiB")
}

impl Tree {
    fn new() -> Tree {
        let mut tree = Tree::default();
        tree.directories.extend([r"\clients".to_owned(), ROOT.to_owned()]);
        tree
    }

    /// Replays passes one after another on the same tree.
    fn replay(load: &Loadfile, passes: usize) -> Tree {
        let steps = flatten(load);
        let mut tree = Tree::new();
        for _ in 0..passes {
            tree.totals = Totals::default();
            for step in &steps {
                tree.execute(load, step);
            }
            let open = tree.handles.len();
            assert_eq!(open, 0, "handles open at the end of a pass");
        }
        tree
    }

    fn execute(&mut self, load: &Loadfile, step: &Execution) {
        let path = |id: PathId| -> String {
            let text = &load.paths[id.0 as usize].text;
            let path = std::str::from_utf8(text).expect("paths are ASCII").to_owned();
            assert!(
                path.starts_with(ROOT) || path == r"\clients",
                "{path} is elsewhere"
            );
            path
        };
        let (kind, done) = match step.line.action {
            Action::Create {
                path: id,
                options,
                disposition,
                handle,
            } => {
                assert_eq!(options & 1, 0, "directories are made with Mkdir");
                (
                    Kind::NtCreateX,
                    self.open(path(id), disposition, handle, step.measured),
                )
            }
            Action::Handle {
                kind: Kind::Close,
                handle,
                ..
            } => (Kind::Close, self.close(handle)),
            Action::Transfer { kind, handle, .. } => (kind, self.transfer(kind, handle, step)),
            Action::Path { kind, path: id, .. } => (kind, self.on_path(kind, &path(id))),
            Action::TwoPaths { kind, first, second } => (
                kind,
                kind == Kind::Rename && self.rename(&path(first), path(second)),
            ),
            ref other => panic!(
                "line {}: {other:?} is nothing that dbench 1.x executed",
                step.line.number
            ),
        };
        if done != (step.line.status == Status::Ok) {
            self.differed
                .push(format!("{}: {kind} gave {done}", step.line.number));
        }
        if step.measured {
            *self.totals.counts.entry(kind).or_default() += 1;
            self.totals.failed_stats += u64::from(kind == Kind::QueryPathInformation && !done);
        }
        self.peak_blocks = self.peak_blocks.max(self.blocks);
        self.peak_handles = self.peak_handles.max(self.handles.len());
    }

    /// Stricter than a run: 2 wants that the file is absent, and no handle is opened twice.
    fn open(&mut self, path: String, disposition: u32, handle: u32, measured: bool) -> bool {
        let existing = self.files.get(&path).copied();
        let inode = match (disposition, existing) {
            (1 | 5, Some(inode)) => inode,
            (2 | 5, None) if self.directories.contains(parent(&path)) => {
                self.inodes.push(Inode {
                    named: true,
                    ..Inode::default()
                });
                self.files.insert(path.clone(), self.inodes.len() - 1);
                self.inodes.len() - 1
            }
            _ => return false,
        };
        if disposition == 5 {
            self.resize(inode, 0);
        }
        if measured {
            self.totals.sizes_at_open.push(self.inodes[inode].size);
        }
        self.names.insert(path);
        self.inodes[inode].opens += 1;
        let opened = Handle {
            inode,
            last_write_end: None,
        };
        self.handles.insert(handle, opened).is_none()
    }

    fn close(&mut self, handle: u32) -> bool {
        let Some(handle) = self.handles.remove(&handle) else {
            return false;
        };
        self.inodes[handle.inode].opens -= 1;
        self.free_if_unused(handle.inode);
        true
    }

    fn transfer(&mut self, kind: Kind, handle: u32, step: &Execution) -> bool {
        let end = step.offset + step.size;
        let Some(open) = self.handles.get_mut(&handle) else {
            return false;
        };
        let inode = open.inode;
        let totals = &mut self.totals;
        if kind == Kind::ReadX {
            if step.measured {
                totals.read_sizes[bucket(step.size)] += 1;
                totals.bytes_read += step.size;
            }
            return end <= self.inodes[inode].size;
        }
        if step.measured {
            totals.write_sizes[bucket(step.size)] += 1;
            totals.bytes_written += step.size;
            totals.sequential_writes += u64::from(open.last_write_end == Some(step.offset));
        }
        open.last_write_end = Some(end);
        self.resize(inode, self.inodes[inode].size.max(end));
        true
    }

    fn on_path(&mut self, kind: Kind, path: &str) -> bool {
        match kind {
            Kind::QueryPathInformation => self.files.contains_key(path) || self.directories.contains(path),
            Kind::Unlink => self.remove_name(path),
            Kind::Mkdir if path == ROOT || path == r"\clients" => true,
            Kind::Mkdir => {
                self.directories.contains(parent(path)) && self.directories.insert(path.to_owned())
            }
            Kind::Rmdir => {
                let empty = !self.files.keys().any(|file| parent(file) == path);
                empty && self.directories.remove(path)
            }
            Kind::Deltree => {
                assert_eq!(path, ROOT);
                let names: Vec<String> = self.files.keys().cloned().collect();
                names.iter().all(|name| self.remove_name(name)) && {
                    self.directories
                        .retain(|directory| ROOT.starts_with(directory.as_str()));
                    true
                }
            }
            _ => panic!("{kind} is nothing that dbench 1.x executed"),
        }
    }

    fn rename(&mut self, old: &str, new: String) -> bool {
        if !self.directories.contains(parent(&new)) {
            return false;
        }
        let Some(inode) = self.files.remove(old) else {
            return false;
        };
        self.remove_name(&new);
        self.names.insert(new.clone());
        self.files.insert(new, inode);
        true
    }

    fn remove_name(&mut self, path: &str) -> bool {
        let Some(inode) = self.files.remove(path) else {
            return false;
        };
        self.inodes[inode].named = false;
        self.free_if_unused(inode);
        true
    }

    fn free_if_unused(&mut self, inode: usize) {
        if !self.inodes[inode].named && self.inodes[inode].opens == 0 {
            self.resize(inode, 0);
        }
    }

    fn resize(&mut self, inode: usize, size: u64) {
        let old = std::mem::replace(&mut self.inodes[inode].size, size);
        self.blocks = self.blocks - old.div_ceil(BLOCK) + size.div_ceil(BLOCK);
    }
}

/// Asserts that a figure is within a part of the wanted one.
fn near(what: &str, got: u64, wanted: u64, part: f64) {
    let off = got.abs_diff(wanted) as f64 / wanted as f64;
    assert!(
        off <= part,
        "{what}: {got}, wanted {wanted} within {:.1} %",
        part * 100.0
    );
}

#[test]
fn the_client_load_is_nb3_without_warnings_and_without_the_search_for_names() {
    let load = client();
    assert_eq!(load.dialect, Dialect::Nb3);
    assert_eq!(load.resolve, Some(false));
    assert_eq!(load.warnings, []);
    assert!(!load.has_random_strings);
}

#[test]
fn every_outcome_of_the_client_load_is_as_it_says_pass_after_pass() {
    let tree = Tree::replay(&client(), 3);
    assert_eq!(tree.differed, [] as [String; 0]);
}

#[test]
fn the_client_load_moves_the_bytes_of_dbench_1() {
    let totals = Tree::replay(&client(), 1).totals;
    near("bytes written", totals.bytes_written, 94_700_000, 0.001);
    near("bytes read", totals.bytes_read, 37_950_000, 0.001);
    let both = totals.bytes_written + totals.bytes_read;
    near("bytes", both, 132_650_000, 0.001);
}

#[test]
fn the_client_load_executes_as_many_operations_of_each_kind_as_dbench_1() {
    let totals = Tree::replay(&client(), 1).totals;
    let wanted = BTreeMap::from([
        (Kind::NtCreateX, 3_624),
        (Kind::Close, 3_617),
        (Kind::Rename, 195),
        (Kind::Unlink, 961),
        (Kind::Mkdir, 15),
        (Kind::Rmdir, 10),
        (Kind::QueryPathInformation, 6_393),
        (Kind::WriteX, 23_287),
        (Kind::ReadX, 4_698),
    ]);
    assert!(totals.counts.keys().eq(wanted.keys()), "{:?}", totals.counts);
    for (kind, count) in wanted {
        near(kind.name(), totals.counts[&kind], count, 0.02);
    }
    assert!(totals.failed_stats < totals.counts[&Kind::QueryPathInformation] / 5);
}

#[test]
fn the_client_load_has_the_transfer_sizes_of_dbench_1() {
    let totals = Tree::replay(&client(), 1).totals;
    let writes = [7_591, 3_032, 528, 2_504, 8_016, 445, 441, 730];
    let reads = [323, 503, 203, 464, 2_445, 178, 244, 338];
    for (index, bound) in BOUNDS.iter().enumerate() {
        near(
            &format!("writes up to {bound}"),
            totals.write_sizes[index],
            writes[index],
            0.05,
        );
        near(
            &format!("reads up to {bound}"),
            totals.read_sizes[index],
            reads[index],
            0.05,
        );
    }
    near("sequential writes", totals.sequential_writes, 8_428, 0.05);
}

#[test]
fn the_client_load_has_the_open_files_of_dbench_1() {
    let tree = Tree::replay(&client(), 2);
    assert_eq!(tree.peak_handles, 26);
    let mut sizes = tree.totals.sizes_at_open;
    sizes.sort_unstable();
    let empty = sizes.iter().filter(|&&size| size == 0).count();
    near("opens of empty files", empty as u64, sizes.len() as u64 / 3, 0.05);
    near("median size at open", sizes[sizes.len() / 2], 85_515, 0.15);
    near(
        "90th percentile of sizes at open",
        sizes[sizes.len() * 90 / 100],
        260_096,
        0.15,
    );
    near(
        "99th percentile of sizes at open",
        sizes[sizes.len() * 99 / 100],
        1_867_776,
        0.15,
    );
}

#[test]
fn the_client_load_needs_at_most_25_mb_on_disk() {
    let tree = Tree::replay(&client(), 2);
    let peak = tree.peak_blocks * BLOCK;
    assert!((18_000_000..=25_000_000).contains(&peak), "{peak} bytes");
    near("distinct files", tree.names.len() as u64, 194, 0.15);
    let directories: BTreeSet<&str> = tree.names.iter().map(|name| parent(name)).collect();
    assert_eq!(directories.len(), 11, "{directories:?}");
}
