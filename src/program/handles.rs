//! Handles of a loadfile become slots of the program.
//!
//! A handle that occurs inside a loop keeps its slot for good, so that each turn of the loop finds the same
//! slots; others give their slot back when they are closed, so that a client needs no more slots than handles
//! are open at once.

use rustc_hash::{FxHashMap, FxHashSet};

/// What gives a slot: a handle's number, or (smb5) a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    Number(u32),
    Path(u32),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    slot: u32,
    open: bool,
    pinned: bool,
    /// Line of the last open or close.
    line: u32,
}

/// What a use of a handle found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Open(u32),
    /// Closed at this line.
    Closed(u32),
    Never,
}

#[derive(Debug, Default)]
struct Frame {
    opened: FxHashSet<Key>,
    /// Used before it was opened in the body, with the first such line.
    required: FxHashMap<Key, u32>,
}

/// Slots in the course of the lines.
#[derive(Debug, Default)]
pub struct Handles {
    entries: FxHashMap<Key, Entry>,
    /// Where handles that gave their slot back were closed last.
    closed: FxHashMap<Key, u32>,
    free: Vec<u32>,
    slots: u32,
    open: u32,
    peak: u32,
    frames: Vec<Frame>,
    pinned: FxHashSet<Key>,
}

impl Handles {
    /// Slots, knowing which handles occur inside loops.
    pub fn new(pinned: FxHashSet<Key>) -> Handles {
        Handles {
            pinned,
            ..Handles::default()
        }
    }

    /// An open gives the handle: its slot, and the line of an open that was never closed.
    pub fn open(&mut self, key: Key, line: u32) -> (u32, Option<u32>) {
        for frame in &mut self.frames {
            frame.opened.insert(key);
        }
        if let Some(entry) = self.entries.get_mut(&key) {
            let again = entry.open.then_some(entry.line);
            if !entry.open {
                self.open += 1;
                self.peak = self.peak.max(self.open);
            }
            entry.open = true;
            entry.line = line;
            return (entry.slot, again);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        // Paths are few and may come back at any time.
        let pinned = matches!(key, Key::Path(_)) || self.pinned.contains(&key);
        let entry = Entry {
            slot,
            open: true,
            pinned,
            line,
        };
        self.entries.insert(key, entry);
        self.open += 1;
        self.peak = self.peak.max(self.open);
        (slot, None)
    }

    /// An operation uses the handle.
    pub fn used(&mut self, key: Key, line: u32) -> Use {
        for frame in self.frames.iter_mut().rev() {
            if frame.opened.contains(&key) {
                break;
            }
            frame.required.entry(key).or_insert(line);
        }
        match self.entries.get(&key) {
            Some(entry) if entry.open => Use::Open(entry.slot),
            Some(entry) => Use::Closed(entry.line),
            None => self
                .closed
                .get(&key)
                .map_or(Use::Never, |&line| Use::Closed(line)),
        }
    }

    /// The handle is closed; call after [`Handles::used`].
    pub fn close(&mut self, key: Key, line: u32) {
        let Some(entry) = self.entries.get_mut(&key) else {
            return;
        };
        if entry.open {
            self.open -= 1;
        }
        entry.open = false;
        entry.line = line;
        if !entry.pinned {
            self.free.push(entry.slot);
            self.entries.remove(&key);
            self.closed.insert(key, line);
        }
    }

    /// A loop's body starts.
    pub fn enter_loop(&mut self) {
        self.frames.push(Frame::default());
    }

    /// A loop's body ends; answers lines whose handle is closed by then, so that the next turn would miss it.
    pub fn leave_loop(&mut self, turns: u64) -> Vec<(Key, u32)> {
        let Some(frame) = self.frames.pop() else {
            return Vec::new();
        };
        if turns < 2 {
            return Vec::new();
        }
        let closed = |key: &Key| self.entries.get(key).is_some_and(|entry| !entry.open);
        let missing = frame.required.into_iter().filter(|(key, _)| closed(key));
        let mut missing: Vec<_> = missing.collect();
        missing.sort_by_key(|&(_, line)| line);
        missing
    }

    /// Handles that are still open, with the lines of their opens, in line order.
    pub fn left_open(&self) -> Vec<(Key, u32)> {
        let open = self.entries.iter().filter(|(_, entry)| entry.open);
        let mut left: Vec<_> = open.map(|(&key, entry)| (key, entry.line)).collect();
        left.sort_by_key(|&(_, line)| line);
        left
    }

    /// All handles are closed (the end of a pass).
    pub fn close_all(&mut self) {
        for (key, line) in self.left_open() {
            self.close(key, line);
        }
    }

    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Most handles open at once.
    pub fn peak(&self) -> u32 {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Key = Key::Number(7);
    const B: Key = Key::Number(8);

    #[test]
    fn a_slot_is_used_again_after_its_close() {
        let mut handles = Handles::default();
        assert_eq!(handles.open(A, 1), (0, None));
        handles.close(A, 2);
        assert_eq!(handles.open(B, 3), (0, None));
        assert_eq!((handles.slots(), handles.peak()), (1, 1));
        assert_eq!(handles.used(A, 4), Use::Closed(2));
        assert_eq!(handles.used(Key::Number(9), 5), Use::Never);
    }

    #[test]
    fn opening_again_without_a_close_keeps_the_slot_and_tells_the_line() {
        let mut handles = Handles::default();
        handles.open(A, 1);
        assert_eq!(handles.open(A, 5), (0, Some(1)));
        assert_eq!(handles.left_open(), vec![(A, 5)]);
    }

    #[test]
    fn a_handle_closed_inside_a_loop_and_used_at_its_start_is_missed_in_the_second_turn() {
        let mut handles = Handles::new([A].into_iter().collect());
        handles.open(A, 1);
        handles.enter_loop();
        assert_eq!(handles.used(A, 3), Use::Open(0));
        handles.close(A, 3);
        assert_eq!(handles.leave_loop(2), vec![(A, 3)]);
    }

    #[test]
    fn a_handle_opened_again_in_the_loop_is_there_in_the_second_turn() {
        let mut handles = Handles::new([A].into_iter().collect());
        handles.open(A, 1);
        handles.enter_loop();
        handles.used(A, 3);
        handles.close(A, 3);
        assert_eq!(handles.open(A, 4), (0, None));
        assert_eq!(handles.leave_loop(2), vec![]);
    }
}
