//! Files of /proc and /sys that are read again and again.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A file whose text the kernel makes anew for each reading; kept open, because opening costs more than reading.
#[derive(Debug)]
pub struct Source {
    file: Option<File>,
}

impl Source {
    /// A file that is not there, or that may not be read, has no text.
    pub fn open(path: impl AsRef<Path>) -> Source {
        Source {
            file: File::open(path).ok(),
        }
    }

    /// What it says now; absent where it cannot be read (the kernel's pressure files open, and fail when read, where
    /// it was started with `psi=0`).
    pub fn read<'b>(&self, buffer: &'b mut Vec<u8>) -> Option<&'b str> {
        let file = self.file.as_ref()?;
        let mut length = 0;
        loop {
            if length == buffer.len() {
                buffer.resize((length * 2).max(8192), 0);
            }
            match file.read_at(&mut buffer[length..], length as u64) {
                Ok(0) => return std::str::from_utf8(&buffer[..length]).ok(),
                Ok(count) => length += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_whole_and_anew_and_one_that_is_missing_is_absent() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mut buffer = Vec::new();
        assert_eq!(Source::open(&path).read(&mut buffer), None);
        let long = "0123456789".repeat(5000);
        std::fs::write(&path, &long).unwrap();
        let source = Source::open(&path);
        assert_eq!(source.read(&mut buffer), Some(long.as_str()));
        std::fs::write(&path, "short").unwrap();
        assert_eq!(source.read(&mut buffer), Some("short"));
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(source.read(&mut buffer), None);
        assert_eq!(Source::open(directory.path()).read(&mut buffer), None);
    }
}
