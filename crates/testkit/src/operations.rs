//! The operations of the simulated file system, one step each.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use skein_store::{EntryKind, Fs, LockHandle, Meta, NewFile};

use crate::disk::InodeKind;
use crate::sim::{SimFs, SimMachine};

impl Fs for SimFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let machine = self.step("read")?;
        let path = machine.resolve(path)?;
        match &machine.disk.inode(machine.find(&path)?).node {
            InodeKind::File { data, .. } => Ok(data.clone()),
            InodeKind::Dir => Err(io::ErrorKind::IsADirectory.into()),
            InodeKind::Symlink(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn metadata(&self, path: &Path) -> io::Result<Meta> {
        let machine = self.step("metadata")?;
        let number = machine.find(path)?;
        let inode = machine.disk.inode(number);
        let (kind, len) = match &inode.node {
            InodeKind::File { data, .. } => (EntryKind::File, data.len()),
            InodeKind::Dir => (EntryKind::Dir, 0),
            InodeKind::Symlink(_) => (EntryKind::Symlink, 0),
        };
        let (uid, gid) = inode.owner;
        Ok(Meta {
            kind,
            mode: inode.mode,
            uid,
            gid,
            len: u64::try_from(len).unwrap_or(u64::MAX),
            inode: u64::try_from(number).unwrap_or(u64::MAX),
            mtime: SystemTime::UNIX_EPOCH,
            ctime: SystemTime::UNIX_EPOCH,
        })
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        let machine = self.step("canonicalize")?;
        let path = machine.resolve(path)?;
        machine.find(&path).map(|_| path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        let machine = self.step("list")?;
        let names = machine.disk.entries(dir).filter_map(|path| path.file_name());
        Ok(names.map(OsString::from).collect())
    }

    fn create(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        let mut machine = self.step("create")?;
        machine.check_free(path)?;
        let inode = machine.disk.add_file(mode);
        machine.disk.change(vec![(path.to_owned(), Some(inode))]);
        Ok(Box::new(SimFile { sim: self.clone(), inode }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("rename")?.move_entry(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut machine = self.step("rename_new")?;
        machine.check_free(to)?;
        machine.move_entry(from, to)
    }

    fn exchange(&self, a: &Path, b: &Path) -> io::Result<()> {
        let mut machine = self.step("exchange")?;
        if machine.cannot_exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let (at_a, at_b) = (machine.find(a)?, machine.find(b)?);
        machine.disk.change(vec![(a.to_owned(), Some(at_b)), (b.to_owned(), Some(at_a))]);
        Ok(())
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let mut machine = self.step("unlink")?;
        machine.find(path)?;
        machine.disk.change(vec![(path.to_owned(), None)]);
        Ok(())
    }

    fn make_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        let mut machine = self.step("make_dir")?;
        machine.check_free(path)?;
        let inode = machine.disk.add(InodeKind::Dir, mode);
        machine.disk.change(vec![(path.to_owned(), Some(inode))]);
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.step("sync_dir")?.disk.sync_dir(dir);
        Ok(())
    }

    fn try_lock(&self, dir: &Path) -> io::Result<LockHandle> {
        let mut machine = self.step("try_lock")?;
        machine.find(dir)?;
        if !machine.locked.insert(dir.to_owned()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(SimLock { sim: self.clone(), dir: dir.to_owned() }))
    }
}

impl SimMachine {
    fn find(&self, path: &Path) -> io::Result<usize> {
        self.disk.lookup(path).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(match &self.disk.inode(self.find(path)?).node {
            InodeKind::Symlink(target) => target.clone(),
            InodeKind::File { .. } | InodeKind::Dir => path.to_owned(),
        })
    }

    /// Checks that an entry can be created at `path`: its directory exists, and it does not.
    fn check_free(&self, path: &Path) -> io::Result<()> {
        self.find(path.parent().ok_or(io::ErrorKind::AlreadyExists)?)?;
        match self.disk.lookup(path) {
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
            None => Ok(()),
        }
    }

    fn move_entry(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let inode = self.find(from)?;
        self.disk.change(vec![(from.to_owned(), None), (to.to_owned(), Some(inode))]);
        Ok(())
    }
}

struct SimFile {
    sim: SimFs,
    inode: usize,
}

impl NewFile for SimFile {
    fn adopt(&mut self, like: &Meta) -> io::Result<()> {
        let mut machine = self.sim.step("adopt")?;
        let inode = machine.disk.inode_mut(self.inode);
        inode.mode = like.mode;
        inode.owner = (like.uid, like.gid);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sim.step("write")?.disk.inode_mut(self.inode).append(bytes);
        Ok(())
    }

    fn date_back(&mut self) -> io::Result<()> {
        self.sim.step("date_back").map(drop)
    }

    fn set_modified(&mut self, _mtime: SystemTime) -> io::Result<()> {
        self.sim.step("set_modified").map(drop)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sim.step("sync")?.disk.inode_mut(self.inode).sync();
        Ok(())
    }
}

struct SimLock {
    sim: SimFs,
    dir: PathBuf,
}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.sim.machine().locked.remove(&self.dir);
    }
}
