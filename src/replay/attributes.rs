//! Samba's DOS attributes, as `-x` reads and writes them.

use super::fs::Filesystem;
use nix::errno::Errno;

/// Length of Samba's DOS attribute, bytes.
pub(super) const ATTRIBUTE_BYTES: usize = 44;

pub(super) fn read_attribute<F: Filesystem>(fs: &mut F, file: &F::File) -> nix::Result<()> {
    let mut value = [0; ATTRIBUTE_BYTES];
    match fs.get_file_attribute(file, &mut value) {
        Ok(_) | Err(Errno::ENODATA) => Ok(()),
        Err(errno) => Err(errno),
    }
}

pub(super) fn renew_attribute<F: Filesystem>(fs: &mut F, file: &F::File) -> nix::Result<()> {
    read_attribute(fs, file)?;
    fs.set_file_attribute(file, &[0; ATTRIBUTE_BYTES])
}
