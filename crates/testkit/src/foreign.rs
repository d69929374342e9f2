use std::path::{Path, PathBuf};

use crate::disk::Disk;

/// An action of a program that takes no lock and syncs nothing.
#[derive(Clone, Debug)]
pub enum Foreign {
    /// Truncates the file in place and writes these bytes into it.
    Overwrite(PathBuf, Vec<u8>),
    /// Writes these bytes to another file and renames it over this one, as many editors do.
    RenameOver(PathBuf, Vec<u8>),
    /// Removes the file.
    Delete(PathBuf),
}

impl Foreign {
    pub(crate) fn act(self, disk: &mut Disk) {
        match self {
            Self::Overwrite(path, bytes) => {
                let inode = disk.lookup(&path).unwrap_or_else(|| create(disk, &path));
                disk.inode_mut(inode).write_over(bytes);
            }
            Self::RenameOver(path, bytes) => {
                let inode = create(disk, &path);
                disk.inode_mut(inode).write_over(bytes);
            }
            Self::Delete(path) => {
                if disk.lookup(&path).is_some() {
                    disk.change(vec![(path, None)]);
                }
            }
        }
    }
}

fn create(disk: &mut Disk, path: &Path) -> usize {
    let inode = disk.add_file(0o644);
    disk.change(vec![(path.to_owned(), Some(inode))]);
    inode
}
