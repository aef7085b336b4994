//! What the bystander does: save, browse, append, and wait for a timer. Everything that is timed is here.

use super::failure::Failure;
use super::think::Thinking;
use super::tree::{
    self, DIRECTORIES, DIRECTORY, DOCUMENT, DOCUMENT_BYTES, DRAFT, FILE, FILE_BYTES, FILES, LOG, LOG_BYTES,
    MODE, TREE,
};
use crate::measure::clock::Nanos;
use crate::measure::probe::Activity;
use crate::replay::{dirents, sleep};
use nix::fcntl::{AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{Mode, fstatat};
use nix::unistd::{UnlinkatFlags, close, unlinkat};
use std::ffi::CString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// How long the timer sleeps.
const SLEEP: Duration = Duration::from_millis(10);
/// A line of the log.
const LINE: &[u8] =
    b"2000-01-01T00:00:00Z host service[1]: something that somebody may want to read later on\n";

/// One activity, with what it needs open.
pub enum Errand {
    Save(Save),
    Browse(Browse),
    Append(Append),
    Timer,
}

impl Errand {
    /// Opens what an activity needs. To be called in its own thread, after that has a descriptor table of its own.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(activity: Activity, directory: BorrowedFd<'_>) -> Result<Errand, Failure> {
        Ok(match activity {
            Activity::Save => Errand::Save(Save::open(directory)?),
            Activity::Browse => Errand::Browse(Browse::open(directory)?),
            Activity::Append => Errand::Append(Append::open(directory)?),
            Activity::Timer => Errand::Timer,
        })
    }

    /// Does it once, and answers how long it took (of the timer: how late it was).
    ///
    /// # Errors
    /// Something failed, or came out otherwise than it must.
    pub fn run(&mut self, start: Nanos, thinking: &mut Thinking) -> Result<Duration, Failure> {
        match self {
            Errand::Save(save) => save.run(start),
            Errand::Browse(browse) => {
                let directory = thinking.below(DIRECTORIES);
                let file = thinking.below(FILES);
                browse.run(start, directory, file)
            }
            Errand::Append(append) => append.run(start),
            Errand::Timer => Ok(wait_for_timer(start)),
        }
    }
}

/// Time since the start.
fn took(start: Nanos) -> Duration {
    Nanos::now().duration_since(start)
}

/// Saves a document as editors do: a new file, synced, takes the place of the old one.
pub struct Save {
    directory: OwnedFd,
    text: Box<[u8]>,
}

impl Save {
    fn open(directory: BorrowedFd<'_>) -> Result<Save, Failure> {
        let directory = openat(directory, c".", DIRECTORY, Mode::empty());
        Ok(Save {
            directory: directory.map_err(Failure::call("open its directory"))?,
            text: tree::content(DOCUMENT_BYTES),
        })
    }

    fn run(&mut self, start: Nanos) -> Result<Duration, Failure> {
        let saved = self.save();
        let took = took(start);
        if saved.is_err() {
            // So that it takes no room; the next one makes it anew in any case.
            let _ = unlinkat(&self.directory, DRAFT, UnlinkatFlags::NoRemoveDir);
        }
        saved.map(|()| took)
    }

    fn save(&self) -> Result<(), Failure> {
        let flags = FILE | OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_TRUNC;
        let draft = openat(&self.directory, DRAFT, flags, MODE);
        let mut draft = File::from(draft.map_err(Failure::call("make the new file"))?);
        draft
            .write_all(&self.text)
            .map_err(Failure::io("write the new file"))?;
        draft.sync_all().map_err(Failure::io("sync the new file"))?;
        close(draft).map_err(Failure::call("close the new file"))?;
        renameat(&self.directory, DRAFT, &self.directory, DOCUMENT)
            .map_err(Failure::call("rename the new file over the old"))
    }
}

/// Looks around in a directory: lists it, looks at each entry, reads one file.
pub struct Browse {
    tree: OwnedFd,
    directories: Vec<CString>,
    files: Vec<CString>,
    entries: Box<[u64]>,
    content: Box<[u8]>,
}

impl Browse {
    fn open(directory: BorrowedFd<'_>) -> Result<Browse, Failure> {
        let tree = openat(directory, TREE, DIRECTORY, Mode::empty());
        Ok(Browse {
            tree: tree.map_err(Failure::call("open its tree"))?,
            directories: (0..DIRECTORIES).map(tree::directory_name).collect(),
            files: (0..FILES).map(tree::file_name).collect(),
            entries: dirents::buffer(4096),
            content: vec![0; FILE_BYTES].into_boxed_slice(),
        })
    }

    fn run(&mut self, start: Nanos, directory: usize, file: usize) -> Result<Duration, Failure> {
        let name = self.directories[directory].as_c_str();
        let directory = openat(&self.tree, name, DIRECTORY, Mode::empty())
            .map_err(Failure::call("open a directory of the tree"))?;
        let mut seen = 0;
        let mut entries = dirents::Dirents::new(directory.as_fd(), &mut self.entries);
        while let Some(entry) = entries
            .next()
            .map_err(Failure::call("list a directory of the tree"))?
        {
            if !entry.is_dot() {
                fstatat(&directory, entry.name, AtFlags::AT_SYMLINK_NOFOLLOW)
                    .map_err(Failure::call("look at a file of the tree"))?;
                seen += 1;
            }
        }
        let file = openat(
            &directory,
            self.files[file].as_c_str(),
            FILE | OFlag::O_RDONLY,
            Mode::empty(),
        );
        let mut file = File::from(file.map_err(Failure::call("open a file of the tree"))?);
        file.read_exact(&mut self.content)
            .map_err(Failure::io("read a file of the tree"))?;
        drop((file, directory));
        let took = took(start);
        if seen != FILES {
            return Err(Failure::of(format!(
                "a directory of the tree has {seen} entries in place of {FILES}"
            )));
        }
        Ok(took)
    }
}

/// Appends a line to a log, and has it on the disk.
pub struct Append {
    log: File,
}

impl Append {
    fn open(directory: BorrowedFd<'_>) -> Result<Append, Failure> {
        let flags = FILE | OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_APPEND;
        let log = openat(directory, LOG, flags, MODE).map_err(Failure::call("open its log"))?;
        Ok(Append { log: File::from(log) })
    }

    fn run(&mut self, start: Nanos) -> Result<Duration, Failure> {
        self.log
            .write_all(LINE)
            .map_err(Failure::io("append to the log"))?;
        self.log.sync_data().map_err(Failure::io("sync the log"))?;
        let took = took(start);
        // Not timed: nobody waits for it.
        let about = self.log.metadata().map_err(Failure::io("look at the log"))?;
        if about.len() >= LOG_BYTES {
            self.log.set_len(0).map_err(Failure::io("cut the log"))?;
        }
        Ok(took)
    }
}

/// Sleeps, and answers how much later than asked for it woke up.
fn wait_for_timer(start: Nanos) -> Duration {
    let due = start.after(SLEEP);
    loop {
        sleep::until(due);
        let now = Nanos::now();
        if now >= due {
            return now.duration_since(due);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errand(activity: Activity, directory: &File) -> Errand {
        Errand::open(activity, directory.as_fd()).unwrap()
    }

    #[test]
    fn each_activity_does_what_it_says_and_leaves_its_directory_as_large_as_before() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap();
        tree::make(directory.as_fd()).unwrap();
        let mut thinking = Thinking::new(Duration::ZERO, 1, 1);
        for activity in Activity::ALL {
            let mut errand = errand(activity, &directory);
            for _ in 0..3 {
                errand.run(Nanos::now(), &mut thinking).unwrap();
            }
        }
        let document = std::fs::read(scratch.path().join("document")).unwrap();
        assert_eq!(document, &*tree::content(DOCUMENT_BYTES));
        assert!(!scratch.path().join("document.new").exists());
        let log = std::fs::read(scratch.path().join("log")).unwrap();
        assert_eq!(log, LINE.repeat(3));
    }

    #[test]
    fn the_log_starts_anew_when_it_is_long() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap();
        let mut errand = errand(Activity::Append, &directory);
        let log = scratch.path().join("log");
        let long = std::fs::OpenOptions::new().write(true).open(&log).unwrap();
        long.set_len(LOG_BYTES).unwrap();
        let mut thinking = Thinking::new(Duration::ZERO, 1, 1);
        errand.run(Nanos::now(), &mut thinking).unwrap();
        assert_eq!(std::fs::metadata(&log).unwrap().len(), 0);
    }

    #[test]
    fn a_tree_that_someone_has_changed_is_an_error() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap();
        tree::make(directory.as_fd()).unwrap();
        let Errand::Browse(mut browse) = errand(Activity::Browse, &directory) else {
            unreachable!()
        };
        browse.run(Nanos::now(), 3, 4).unwrap();
        std::fs::remove_file(scratch.path().join("tree/d03/f05")).unwrap();
        let failed = browse.run(Nanos::now(), 3, 4).unwrap_err().to_string();
        assert_eq!(failed, "a directory of the tree has 19 entries in place of 20");
        std::fs::remove_file(scratch.path().join("tree/d03/f04")).unwrap();
        let failed = browse.run(Nanos::now(), 3, 4).unwrap_err().to_string();
        assert_eq!(
            failed,
            "cannot open a file of the tree: No such file or directory (ENOENT)"
        );
    }

    #[test]
    fn no_symbolic_link_is_followed() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        for name in ["document.new", "log"] {
            std::os::unix::fs::symlink(outside.path(), scratch.path().join(name)).unwrap();
        }
        assert!(Errand::open(Activity::Append, directory.as_fd()).is_err());
        let Errand::Save(mut save) = errand(Activity::Save, &directory) else {
            unreachable!()
        };
        assert!(save.run(Nanos::now()).is_err());
        assert_eq!(outside.as_file().metadata().unwrap().len(), 0);
    }
}
