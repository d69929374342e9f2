use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{Kind, Target};
use crate::temp::is_temp_name;

/// The targets of a watch, found by directory.
///
/// Every event of the system is looked up here, and there may be thousands of targets.
#[derive(Default)]
pub(super) struct Table {
    targets: Vec<Target>,
    /// The places in `targets`, by their directory.
    by_dir: HashMap<PathBuf, Vec<usize>>,
    /// The directories of the targets and all those above them.
    above: HashSet<PathBuf>,
}

impl Table {
    pub(super) fn new(targets: Vec<Target>) -> Self {
        let mut table = Self::default();
        for target in targets {
            table.add(target);
        }
        table
    }

    pub(super) fn add(&mut self, target: Target) {
        let index = self.targets.len();
        for dir in target.dir.ancestors() {
            if !self.above.insert(dir.to_owned()) {
                break;
            }
        }
        self.by_dir.entry(target.dir.clone()).or_default().push(index);
        self.targets.push(target);
    }

    pub(super) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Returns whether `path` is the directory of a target, or above one.
    pub(super) fn is_above(&self, path: &Path) -> bool {
        self.above.contains(path)
    }

    /// Returns what `path` is to the targets that it is a file of, each kind once.
    pub(super) fn kinds(&self, path: &Path) -> Vec<Kind> {
        let mut kinds = Vec::new();
        let Some(name) = path.file_name().filter(|name| !is_temp_name(name)) else {
            return kinds;
        };
        let (Some(name), Some(dir)) = (name.to_str(), path.parent()) else { return kinds };
        for target in self.by_dir.get(dir).into_iter().flatten() {
            let target = self.targets.get(*target).filter(|target| (target.accepts)(name));
            kinds.extend(target.map(|target| target.kind));
        }
        kinds.dedup();
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, above: bool, kinds: &[Kind]) {
        let target = |dir: &str, kind, accepts| Target { dir: dir.into(), kind, accepts };
        let table = Table::new(vec![
            target("/a/b", Kind::Source, |_| true),
            target("/a/b", Kind::Review, |name| name.ends_with(".md")),
            target("/a/c/d", Kind::Source, |_| true),
        ]);
        let path = Path::new(path);
        assert_eq!((table.is_above(path), table.kinds(path)), (above, kinds.to_vec()));
    }

    #[test]
    fn a_path_is_found_by_its_directory() {
        check("/a/b/x.rs", false, &[Kind::Source]);
        check("/a/b/x.md", false, &[Kind::Source, Kind::Review]);
        check("/a/b/x/y.md", false, &[]);
        check("/a/c", true, &[]);
        check("/a/b", true, &[]);
        check("/", true, &[]);
        check("/e", false, &[]);
    }
}
