//! Where a loadfile's path leads: which root, and the path below it.
//!
//! The same mapping serves the compiler and, for paths that are put together at run time, the clients.

use std::ffi::CStr;

/// The longest path below a root, with its terminating NUL (Linux's PATH_MAX).
pub const PATH_CAPACITY: usize = 4096;
/// The longest component of a path (Linux's NAME_MAX).
const NAME_MAX: usize = 255;

/// The directory that a path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Root {
    /// `DIR/clients` itself; only the path `.` is ever used there.
    Clients,
    /// `DIR/clients/clientN`.
    Client,
    /// `DIR/clients/shared`.
    Shared,
}

impl Root {
    /// A path of client number `client` as it is below `DIR/clients`, for people.
    pub fn shown(self, client: u32, path: &str) -> String {
        match self {
            Root::Client => format!("client{client}/{path}"),
            Root::Shared => format!("shared/{path}"),
            Root::Clients => ".".to_owned(),
        }
    }
}

/// Why a path cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("a path may not hold the component `..`")]
    DotDot,
    #[error("a path may not hold a NUL byte")]
    Nul,
    #[error("a component of a path may not be longer than 255 bytes")]
    LongComponent,
    #[error("a path may not be longer than 4095 bytes")]
    Long,
}

/// A borrowed path below a root.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub root: Root,
    pub path: &'a CStr,
    /// The directory that holds the last component, below the same root.
    pub parent: &'a CStr,
    /// The last component.
    pub last: &'a CStr,
}

impl Place<'_> {
    /// Whether this is a root itself, which exists before the release and until the end.
    pub fn is_root(&self) -> bool {
        self.path.to_bytes() == b"."
    }
}

/// An owned path below a root; filled again and again without allocating once its buffers have grown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceBuf {
    root: Root,
    /// NUL-terminated, as is `parent`.
    path: Vec<u8>,
    parent: Vec<u8>,
    /// Where the last component starts in `path`.
    last: usize,
    names_client: bool,
}

impl PlaceBuf {
    /// An empty place with room for any path.
    pub fn with_full_capacity() -> PlaceBuf {
        let mut place = PlaceBuf {
            root: Root::Shared,
            path: Vec::with_capacity(PATH_CAPACITY),
            parent: Vec::with_capacity(PATH_CAPACITY),
            last: 0,
            names_client: false,
        };
        place.finish();
        place
    }

    /// Where `text`, a path as a loadfile spells it, leads for client number `client`.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn of(text: &[u8], client: u32) -> Result<PlaceBuf, PathError> {
        let mut place = PlaceBuf {
            root: Root::Shared,
            path: Vec::with_capacity(text.len() + 1),
            parent: Vec::new(),
            last: 0,
            names_client: false,
        };
        place.locate(text, client)?;
        Ok(place)
    }

    /// As [`PlaceBuf::of`], into this buffer.
    ///
    /// # Errors
    /// See [`PathError`]; the buffer then holds the shared root.
    pub fn locate(&mut self, text: &[u8], client: u32) -> Result<(), PathError> {
        self.clear();
        let located = self.fill(text, client);
        if located.is_err() {
            self.clear();
        }
        self.finish();
        located
    }

    /// Makes this the shared root, once it is finished.
    fn clear(&mut self) {
        self.path.clear();
        self.last = 0;
        self.names_client = false;
        self.root = Root::Shared;
    }

    fn fill(&mut self, text: &[u8], client: u32) -> Result<(), PathError> {
        if text.contains(&0) {
            return Err(PathError::Nul);
        }
        let separator = |byte: &u8| matches!(byte, b'/' | b'\\');
        let mut components = text.split(separator).filter(|c| !c.is_empty() && *c != b".");
        let mut ahead = components.clone();
        if ahead.next().is_some_and(|c| c.eq_ignore_ascii_case(b"clients")) {
            match ahead.next() {
                None => {
                    self.root = Root::Clients;
                    components = ahead;
                }
                Some(second) if second.eq_ignore_ascii_case(b"client1") => {
                    self.root = Root::Client;
                    components = ahead;
                }
                // One directory, however it is spelled: nothing in a load makes it.
                Some(_) => {
                    self.push(b"clients", client)?;
                    components.next();
                }
            }
        }
        for component in components {
            self.push(component, client)?;
        }
        Ok(())
    }

    fn push(&mut self, component: &[u8], client: u32) -> Result<(), PathError> {
        if component == b".." {
            return Err(PathError::DotDot);
        }
        if component.len() > NAME_MAX {
            return Err(PathError::LongComponent);
        }
        if self.path.len() + component.len() + 2 + 8 > PATH_CAPACITY {
            return Err(PathError::Long);
        }
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.last = self.path.len();
        if component.eq_ignore_ascii_case(b"client1") {
            self.names_client = true;
            self.path.extend_from_slice(b"client");
            push_decimal(&mut self.path, u64::from(client));
        } else {
            self.path.extend_from_slice(component);
        }
        Ok(())
    }

    fn finish(&mut self) {
        if self.path.is_empty() {
            self.path.push(b'.');
        }
        self.parent.clear();
        match self.last {
            0 => self.parent.push(b'.'),
            last => self.parent.extend_from_slice(&self.path[..last - 1]),
        }
        self.path.push(0);
        self.parent.push(0);
    }

    /// Makes this the same place as another.
    pub fn copy_from(&mut self, place: Place<'_>) {
        self.root = place.root;
        self.path.clear();
        self.path.extend_from_slice(place.path.to_bytes_with_nul());
        self.parent.clear();
        self.parent.extend_from_slice(place.parent.to_bytes_with_nul());
        self.last = self.path.len() - place.last.to_bytes_with_nul().len();
        self.names_client = true;
    }

    /// Whether the path below the root differs from client to client.
    pub fn names_client(&self) -> bool {
        self.names_client
    }

    /// The place, for use in a call.
    #[inline]
    pub fn place(&self) -> Place<'_> {
        Place {
            root: self.root,
            path: c_string(&self.path),
            parent: c_string(&self.parent),
            last: c_string(&self.path[self.last..]),
        }
    }
}

/// Appends a number in decimal digits, without formatting.
pub fn push_decimal(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

#[inline]
fn c_string(bytes: &[u8]) -> &CStr {
    debug_assert_eq!(bytes.iter().position(|&b| b == 0), Some(bytes.len() - 1));
    // SAFETY: `finish` has ended the buffer with a NUL, and `fill` has refused any other.
    unsafe { CStr::from_bytes_with_nul_unchecked(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, client: u32) -> (Root, String, String, String) {
        let buffer = PlaceBuf::of(text.as_bytes(), client).expect(text);
        let place = buffer.place();
        let owned = |c: &CStr| c.to_str().expect("text").to_owned();
        (
            place.root,
            owned(place.path),
            owned(place.parent),
            owned(place.last),
        )
    }

    #[test]
    fn the_client_directory_is_found_in_any_case_and_with_any_separators() {
        let expected = (Root::Client, "a/b".into(), "a".into(), "b".into());
        assert_eq!(shown(r"\clients\client1\a\b", 7), expected);
        assert_eq!(shown("/CLIENTS/Client1//a/./b", 7), expected);
    }

    #[test]
    fn roots_are_the_path_dot() {
        assert_eq!(shown(r"\clients", 0).0, Root::Clients);
        assert_eq!(
            shown("/clients/client1/", 0),
            (Root::Client, ".".into(), ".".into(), ".".into())
        );
        assert_eq!(shown("/", 0), (Root::Shared, ".".into(), ".".into(), ".".into()));
    }

    #[test]
    fn other_paths_are_shared_and_carry_the_clients_number() {
        assert_eq!(shown("/foo", 3).0, Root::Shared);
        assert_eq!(shown("/x/client1/y", 12).1, "x/client12/y");
        assert_eq!(shown("/clients/client2/y", 12).1, "clients/client2/y");
        assert_eq!(shown("/CLIENTS/Client2/y", 12).1, "clients/Client2/y");
        assert_eq!(shown("/client10", 12).1, "client10");
    }

    #[test]
    fn a_path_that_could_lead_out_is_refused() {
        assert_eq!(PlaceBuf::of(br"\clients\client1\..\x", 0), Err(PathError::DotDot));
        assert_eq!(PlaceBuf::of(b"/a\0b", 0), Err(PathError::Nul));
        assert_eq!(PlaceBuf::of(&[b'a'; 256], 0), Err(PathError::LongComponent));
        assert_eq!(PlaceBuf::of(&b"abc/".repeat(2000), 0), Err(PathError::Long));
    }

    #[test]
    fn a_buffer_that_could_not_be_filled_holds_the_shared_root() {
        let mut buffer = PlaceBuf::with_full_capacity();
        assert!(buffer.place().is_root());
        for text in [&b"/a/../b"[..], b"\\clients\\client1\\..", b"a\0b", &[b'a'; 300]] {
            buffer.locate(b"/clients/client1/a/b", 7).expect("a path");
            buffer.locate(text, 7).expect_err("no path");
            let place = buffer.place();
            assert_eq!((place.root, place.path, place.last), (Root::Shared, c".", c"."));
        }
    }
}
