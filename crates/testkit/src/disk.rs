use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The files of a directory tree, by path.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The entries of all directories, by path.
type Entries = BTreeMap<PathBuf, usize>;

/// The changes of directory entries in one step, which is atomic.
type EntryChange = Vec<(PathBuf, Option<usize>)>;

/// Inodes and directory entries, each in two versions: as programs see them and as on disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    inodes: Vec<Inode>,
    seen: Entries,
    synced: Entries,
    pending: Vec<EntryChange>,
}

/// A file, directory or symlink without its name.
#[derive(Clone, Debug)]
pub(crate) struct Inode {
    pub(crate) node: InodeKind,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
}

#[derive(Clone, Debug)]
pub(crate) enum InodeKind {
    /// `is_rewritten` if it was written in place since the last sync, not only appended to.
    File {
        data: Vec<u8>,
        synced: Option<Vec<u8>>,
        is_rewritten: bool,
    },
    Dir,
    Symlink(PathBuf),
}

impl Inode {
    pub(crate) fn write_over(&mut self, bytes: Vec<u8>) {
        if let InodeKind::File { data, is_rewritten, .. } = &mut self.node {
            *data = bytes;
            *is_rewritten = true;
        }
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if let InodeKind::File { data, .. } = &mut self.node {
            data.extend_from_slice(bytes);
        }
    }

    pub(crate) fn sync(&mut self) {
        if let InodeKind::File { data, synced, is_rewritten } = &mut self.node {
            *synced = Some(data.clone());
            *is_rewritten = false;
        }
    }

    /// Returns every content that a power cut may leave; empty if this is not a file.
    fn possible_contents(&self) -> BTreeSet<Vec<u8>> {
        match &self.node {
            InodeKind::File { data, synced: Some(synced), .. } if data == synced => {
                BTreeSet::from([data.clone()])
            }
            InodeKind::File { data, synced, is_rewritten } => {
                let synced = synced.clone().unwrap_or_default();
                // Data that was synced before an append stays.
                let kept = if *is_rewritten { 0 } else { synced.len() };
                let start = |len: usize| data.iter().take(len).copied().collect();
                BTreeSet::from([
                    synced,
                    start(kept),
                    start(usize::midpoint(kept, data.len())),
                    data.clone(),
                ])
            }
            InodeKind::Dir | InodeKind::Symlink(_) => BTreeSet::new(),
        }
    }
}

impl Disk {
    pub(crate) fn add(&mut self, node: InodeKind, mode: u32) -> usize {
        self.inodes.push(Inode { node, mode, owner: (0, 0) });
        self.inodes.len() - 1
    }

    pub(crate) fn add_file(&mut self, mode: u32) -> usize {
        self.add(InodeKind::File { data: Vec::new(), synced: None, is_rewritten: false }, mode)
    }

    pub(crate) fn lookup(&self, path: &Path) -> Option<usize> {
        self.seen.get(path).copied()
    }

    pub(crate) fn inode(&self, number: usize) -> &Inode {
        self.inodes.get(number).expect("inode numbers come from this disk")
    }

    pub(crate) fn inode_mut(&mut self, number: usize) -> &mut Inode {
        self.inodes.get_mut(number).expect("inode numbers come from this disk")
    }

    /// Returns the paths of the entries of `dir`.
    pub(crate) fn entries(&self, dir: &Path) -> impl Iterator<Item = &PathBuf> {
        self.seen.keys().filter(move |path| path.parent() == Some(dir))
    }

    /// Changes entries as programs see them, but not on disk.
    pub(crate) fn change(&mut self, change: EntryChange) {
        apply(&mut self.seen, &change);
        self.pending.push(change);
    }

    /// Writes every entry change in `dir` to disk.
    pub(crate) fn sync_dir(&mut self, dir: &Path) {
        let concerns =
            |change: &EntryChange| change.iter().any(|(path, _)| path.parent() == Some(dir));
        for change in self.pending.extract_if(.., |change| concerns(change)) {
            apply(&mut self.synced, &change);
        }
    }

    /// Writes everything to disk.
    pub(crate) fn sync_all(&mut self) {
        self.inodes.iter_mut().for_each(Inode::sync);
        self.synced = self.seen.clone();
        self.pending.clear();
    }

    /// Returns the files that programs see.
    pub(crate) fn files(&self) -> Files {
        self.seen
            .iter()
            .filter_map(|(path, inode)| match &self.inode(*inode).node {
                InodeKind::File { data, .. } => Some((path.clone(), data.clone())),
                InodeKind::Dir | InodeKind::Symlink(_) => None,
            })
            .collect()
    }

    /// Returns every tree of files that a power cut may leave.
    pub(crate) fn survivors(&self) -> BTreeSet<Files> {
        let mut survivors = BTreeSet::new();
        for kept in subsets(&self.pending) {
            let mut entries = self.synced.clone();
            kept.into_iter().for_each(|change| apply(&mut entries, change));
            survivors.extend(self.contents(&reachable(&entries)));
        }
        survivors
    }

    /// Returns every combination of the possible contents of the files at `entries`.
    fn contents(&self, entries: &Entries) -> Vec<Files> {
        let mut trees = vec![Files::new()];
        for (path, inode) in entries {
            let possible_contents = self.inode(*inode).possible_contents();
            if possible_contents.is_empty() {
                continue;
            }
            trees = trees
                .iter()
                .flat_map(|tree| {
                    possible_contents.iter().map(|bytes| {
                        let mut tree = tree.clone();
                        tree.insert(path.clone(), bytes.clone());
                        tree
                    })
                })
                .collect();
        }
        trees
    }
}

fn apply(entries: &mut Entries, change: &EntryChange) {
    for (path, inode) in change {
        match inode {
            Some(inode) => entries.insert(path.clone(), *inode),
            None => entries.remove(path),
        };
    }
}

/// Returns the entries whose parent directories all exist.
fn reachable(entries: &Entries) -> Entries {
    let exists = |path: &Path| path.parent().is_none() || entries.contains_key(path);
    entries
        .iter()
        .filter(|(path, _)| path.ancestors().all(exists))
        .map(|(path, inode)| (path.clone(), *inode))
        .collect()
}

/// Returns every subset of `changes`, each in the original order.
fn subsets(changes: &[EntryChange]) -> Vec<Vec<&EntryChange>> {
    let mut subsets = vec![Vec::new()];
    for change in changes {
        let with: Vec<_> = subsets
            .iter()
            .map(|subset: &Vec<_>| subset.iter().copied().chain([change]).collect())
            .collect();
        subsets.extend(with);
    }
    subsets
}

#[cfg(test)]
mod tests {
    use super::{Disk, InodeKind};
    use std::path::{Path, PathBuf};

    #[test]
    fn data_and_names_are_lost_independently() {
        let mut disk = Disk::default();
        let root = disk.add(InodeKind::Dir, 0o755);
        disk.change(vec![(PathBuf::from("/"), Some(root))]);
        disk.sync_all();
        let file = disk.add_file(0o644);
        disk.inode_mut(file).append(b"ab");
        disk.change(vec![(PathBuf::from("/a"), Some(file))]);

        let left = |disk: &Disk| -> Vec<Option<String>> {
            let survivors = disk.survivors();
            let bytes = survivors.iter().map(|files| files.get(Path::new("/a")));
            bytes.map(|b| b.map(|b| String::from_utf8_lossy(b).into_owned())).collect()
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(left(&disk), [None, some(""), some("a"), some("ab")]);
        disk.inode_mut(file).sync();
        assert_eq!(left(&disk), [None, some("ab")]);
        disk.sync_dir(Path::new("/"));
        assert_eq!(left(&disk), [some("ab")]);
    }
}
