// temporary
use crate::result::Warning;
use std::ffi::CString;
use std::os::fd::*;
use std::path::Path;
use std::sync::atomic::AtomicBool;
pub struct HomeOptions { pub shared_subdirs: Vec<CString> }
pub struct Home { fd: OwnedFd, path: std::path::PathBuf }
#[derive(Debug, thiserror::Error)]
#[error("home: {0}")]
pub struct HomeError(#[from] std::io::Error);
pub enum CleanOutcome { Removed, Nothing, Incomplete(Vec<String>) }
impl Home {
    pub fn prepare(dir: &Path, clients: u32, o: &HomeOptions) -> Result<(Home, Vec<Warning>), HomeError> {
        let path = dir.join("clients");
        std::fs::create_dir(&path)?;
        std::fs::create_dir(path.join("shared"))?;
        for s in &o.shared_subdirs { std::fs::create_dir(path.join("shared").join(s.to_str().unwrap()))?; }
        for c in 0..clients { std::fs::create_dir(path.join(format!("client{c}")))?; }
        let fd = std::fs::File::open(&path)?.into();
        Ok((Home { fd, path }, vec![]))
    }
    pub fn clients_fd(&self) -> BorrowedFd<'_> { self.fd.as_fd() }
    pub fn client_root(&self, n: u32) -> nix::Result<OwnedFd> { Ok(std::fs::File::open(self.path.join(format!("client{n}"))).unwrap().into()) }
    pub fn shared_root(&self) -> nix::Result<OwnedFd> { Ok(std::fs::File::open(self.path.join("shared")).unwrap().into()) }
    pub fn is_kept(&self) -> bool { false }
    pub fn holds_symlinks(&self) -> bool { false }
    pub fn mark_kept(&mut self) -> Result<(), Warning> { Ok(()) }
    pub fn remove(self, _: &AtomicBool) -> Vec<Warning> { let _ = std::fs::remove_dir_all(&self.path); vec![] }
}
pub fn clean(_: &Path) -> Result<CleanOutcome, HomeError> { Ok(CleanOutcome::Nothing) }
