//! What all clients of a run know together: the files that they have written, and what was found wrong.

use super::extents::Extents;
use crate::measure::clock::Nanos;
use crate::replay::fs::{Born, FileInfo};
use crate::replay::verification::{Corruption, EXAMPLES, Verification};
use rustc_hash::FxHashMap;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// Parts of the map with a lock each: with a thousand clients, two seldom want the same at a time.
const SHARDS: usize = 256;

/// Device and inode number: what tells a file from all others while it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub fn new(device: u64, inode: u64) -> Identity {
        Identity { device, inode }
    }
}

impl From<&FileInfo> for Identity {
    fn from(info: &FileInfo) -> Identity {
        Identity::new(info.device, info.inode)
    }
}

/// A file as the run knows it.
#[derive(Debug)]
pub struct WrittenFile {
    /// Within the run, from 1.
    pub number: u64,
    /// When its inode was made, where the file system tells.
    born: Option<Born>,
    /// When it became known.
    known_since: Nanos,
    extents: RwLock<Extents>,
}

/// How exact the times of inodes are at worst: a clock tick of a slow kernel, and some.
const TICK: Duration = Duration::from_millis(20);

impl WrittenFile {
    /// Whether an inode of this age is this file, and no other that has its number now. (Of one that has been known for
    /// less than a tick, another could have the same time.)
    pub fn is_surely(&self, born: Option<Born>, now: Nanos) -> bool {
        born.is_some() && born == self.born && now >= self.known_since.after(TICK)
    }

    /// Whether an inode of this age is another file.
    fn is_other(&self, born: Option<Born>) -> bool {
        matches!((born, self.born), (Some(now), Some(then)) if now != then)
    }

    /// Held during a read and its check, so that no write comes between them.
    pub fn reading(&self) -> RwLockReadGuard<'_, Extents> {
        self.extents.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held during a write or truncation and its note.
    pub fn writing(&self) -> RwLockWriteGuard<'_, Extents> {
        self.extents.write().unwrap_or_else(PoisonError::into_inner)
    }
}

type Shard = FxHashMap<Identity, Arc<WrittenFile>>;

/// The files of a run, and what was found.
///
/// The map holds each file once, and each handle holds it once more. A file leaves the map only when no handle is left:
/// otherwise a second handle would know another history than the first.
#[derive(Debug)]
pub struct Ledger {
    shards: Box<[Mutex<Shard>]>,
    files: AtomicU64,
    verification: Mutex<Verification>,
}

impl Default for Ledger {
    fn default() -> Self {
        Ledger {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            files: AtomicU64::new(0),
            verification: Mutex::default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    fn shard(&self, identity: Identity) -> MutexGuard<'_, Shard> {
        let hash = BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(identity);
        // The map itself uses the low and the highest bits.
        lock(&self.shards[(hash >> 32) as usize % SHARDS])
    }

    /// A file that is known.
    pub fn get(&self, identity: Identity) -> Option<Arc<WrittenFile>> {
        self.shard(identity).get(&identity).cloned()
    }

    /// The file of a new handle, known from `now` on; `born` is when its inode was made.
    pub fn open(&self, identity: Identity, born: Option<Born>, now: Nanos) -> Arc<WrittenFile> {
        let mut shard = self.shard(identity);
        if let Some(file) = shard.get(&identity).filter(|file| !file.is_other(born)) {
            return file.clone();
        }
        let file = Arc::new(WrittenFile {
            number: self.files.fetch_add(1, Ordering::Relaxed) + 1,
            born,
            known_since: now,
            extents: RwLock::default(),
        });
        shard.insert(identity, file.clone());
        file
    }

    /// A handle is given back. `gone`: its file has no name any more. Of the last handle's file nothing is kept when it
    /// is gone, or when nothing was ever known of it.
    pub fn close(&self, identity: Identity, file: Arc<WrittenFile>, gone: bool) {
        let mut shard = self.shard(identity);
        let is_known = shard
            .get(&identity)
            .is_some_and(|known| Arc::ptr_eq(known, &file));
        if is_known && Arc::strong_count(&file) == 2 && (gone || file.reading().is_untouched()) {
            shard.remove(&identity);
        }
    }

    /// Takes a file out that is about to go, if no handle has it open.
    pub fn take(&self, identity: Identity) -> Option<Arc<WrittenFile>> {
        let mut shard = self.shard(identity);
        let closed = shard
            .get(&identity)
            .is_some_and(|file| Arc::strong_count(file) == 1);
        if closed { shard.remove(&identity) } else { None }
    }

    /// Puts a file back that has not gone after all.
    pub fn restore(&self, identity: Identity, file: Arc<WrittenFile>) {
        self.shard(identity).entry(identity).or_insert(file);
    }

    /// What a client has checked in all.
    pub fn add_checked(&self, reads: u64, bytes: u64) {
        let mut verification = lock(&self.verification);
        verification.reads_checked += reads;
        verification.bytes_checked += bytes;
    }

    /// A read that did not give what was written.
    pub fn add_corruption(&self, corruption: Corruption) {
        let mut verification = lock(&self.verification);
        verification.corrupt_reads += 1;
        if verification.examples.len() < EXAMPLES {
            verification.examples.push(corruption);
        }
    }

    /// What was found; complete when all clients are gone.
    pub fn verification(&self) -> Verification {
        lock(&self.verification).clone()
    }

    /// How many files are known.
    #[cfg(test)]
    pub fn known(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }
}
