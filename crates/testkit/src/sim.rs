use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::disk::{Disk, Files, InodeKind};
use crate::foreign::Foreign;

/// The error of every operation after the power cut.
const EIO: i32 = 5;

/// A file system in memory; clones share one disk.
#[derive(Clone)]
pub struct SimFs {
    machine: Arc<Mutex<SimMachine>>,
}

/// The disk and the events scheduled for it.
#[derive(Default)]
pub(crate) struct SimMachine {
    pub(crate) disk: Disk,
    /// The name of every operation so far.
    operation_names: Vec<&'static str>,
    cut: Option<usize>,
    faults: BTreeMap<usize, i32>,
    foreign_actions: BTreeMap<usize, Foreign>,
    pub(crate) locked: BTreeSet<PathBuf>,
    pub(crate) cannot_exchange: bool,
}

impl Default for SimFs {
    fn default() -> Self {
        Self::new()
    }
}

/// Setup and inspection; these methods do not count as operations.
impl SimFs {
    /// Returns a disk with only a root directory.
    pub fn new() -> Self {
        let empty = Self { machine: Arc::default() };
        empty.with_dir(Path::new("/"))
    }

    /// Adds a directory that is on disk.
    #[must_use]
    pub fn with_dir(self, path: &Path) -> Self {
        self.with(path, InodeKind::Dir, 0o755)
    }

    /// Adds a file that is on disk.
    #[must_use]
    pub fn with_file(self, path: &Path, bytes: &[u8]) -> Self {
        self.with(
            path,
            InodeKind::File { data: bytes.to_vec(), synced: None, is_rewritten: false },
            0o644,
        )
    }

    /// Adds a symlink that is on disk.
    #[must_use]
    pub fn with_link(self, path: &Path, target: &Path) -> Self {
        self.with(path, InodeKind::Symlink(target.to_owned()), 0o777)
    }

    /// Makes every exchange fail, as on a system that does not support it.
    #[must_use]
    pub fn without_exchange(self) -> Self {
        self.machine().cannot_exchange = true;
        self
    }

    fn with(self, path: &Path, node: InodeKind, mode: u32) -> Self {
        let mut machine = self.machine();
        let inode = machine.disk.add(node, mode);
        machine.disk.change(vec![(path.to_owned(), Some(inode))]);
        machine.disk.sync_all();
        drop(machine);
        self
    }

    /// Cuts the power after operation `number`: all that follow fail and change nothing.
    pub fn cut_after(&self, number: usize) {
        self.machine().cut = Some(number);
    }

    /// Makes operation `number` fail with the system error `errno`; operations count from 1.
    pub fn fail_at(&self, number: usize, errno: i32) {
        self.machine().faults.insert(number, errno);
    }

    /// Runs an action of another program right before operation `number`.
    pub fn interfere_at(&self, number: usize, foreign: Foreign) {
        self.machine().foreign_actions.insert(number, foreign);
    }

    /// Returns the number of operations so far.
    pub fn operations(&self) -> usize {
        self.machine().operation_names.len()
    }

    /// Returns the names of all operations so far, in order.
    pub fn operation_names(&self) -> Vec<&'static str> {
        self.machine().operation_names.clone()
    }

    /// Returns the files as programs see them.
    pub fn files(&self) -> Files {
        self.machine().disk.files()
    }

    /// Returns every state of the files that a power cut may leave.
    ///
    /// For each file with unsynced data, all, half or none of it, or the last synced version,
    /// remains. Unsynced entry changes are kept or lost one by one; a rename or an exchange is one
    /// change.
    pub fn survivors(&self) -> BTreeSet<Files> {
        self.machine().disk.survivors()
    }

    pub(crate) fn machine(&self) -> MutexGuard<'_, SimMachine> {
        self.machine.lock().expect("no operation panics while it holds the machine")
    }

    /// Counts an operation and triggers the events scheduled for it.
    pub(crate) fn step(&self, name: &'static str) -> io::Result<MutexGuard<'_, SimMachine>> {
        let mut machine = self.machine();
        machine.operation_names.push(name);
        let number = machine.operation_names.len();
        if machine.cut.is_some_and(|cut| number > cut) {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        if let Some(foreign) = machine.foreign_actions.remove(&number) {
            foreign.act(&mut machine.disk);
        }
        match machine.faults.remove(&number) {
            Some(errno) => Err(io::Error::from_raw_os_error(errno)),
            None => Ok(machine),
        }
    }
}
