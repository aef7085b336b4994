//! Slots: what a loadfile's handles have become.

use crate::program::{NO_SLOT, Place, PlaceBuf, Program, ProgramPath};

/// One slot: an open file and the path that it was opened by.
#[derive(Debug)]
pub struct Slot<File> {
    file: Option<File>,
    path: u32,
    /// Where a path that was put together at run time led.
    own_place: Option<Box<PlaceBuf>>,
    /// Whether that is what is open now.
    is_own: bool,
}

impl<File> Default for Slot<File> {
    fn default() -> Self {
        Slot {
            file: None,
            path: NO_SLOT,
            own_place: None,
            is_own: false,
        }
    }
}

impl<File> Slot<File> {
    /// The open file; none when the open failed.
    #[inline(always)]
    pub fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    #[inline(always)]
    pub fn take(&mut self) -> Option<File> {
        self.file.take()
    }

    /// An open is under way: until it has succeeded, operations on the slot are skipped.
    #[inline(always)]
    pub fn fail(&mut self) {
        self.file = None;
    }

    #[inline]
    pub fn open(&mut self, file: File, path: u32, program: &Program, place: Place<'_>) {
        self.file = Some(file);
        self.path = path;
        self.is_own = matches!(program.paths[path as usize], ProgramPath::Assembled(_));
        if self.is_own {
            let own = self
                .own_place
                .get_or_insert_with(|| Box::new(PlaceBuf::with_full_capacity()));
            own.copy_from(place);
        }
    }

    /// Index of the path that it was opened by.
    pub fn path(&self) -> u32 {
        self.path
    }

    /// Where it was opened, if the program does not know.
    pub fn own_place(&self) -> Option<Place<'_>> {
        let own = self.own_place.as_ref().filter(|_| self.is_own);
        own.map(|place| place.place())
    }
}

/// Slots of a program, all closed.
pub fn empty_slots<File>(count: u32) -> Box<[Slot<File>]> {
    (0..count).map(|_| Slot::default()).collect()
}
