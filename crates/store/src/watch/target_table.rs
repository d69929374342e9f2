use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::Target;
use crate::temp::is_temp_name;

/// The targets of a watch, indexed by directory.
///
/// Every event is looked up here, and there may be thousands of targets.
pub(super) struct TargetTable<T> {
    targets: Vec<Target<T>>,
    /// Indices into `targets`, by directory.
    by_dir: HashMap<PathBuf, Vec<usize>>,
    /// The directories of the targets and all their ancestors.
    above: HashSet<PathBuf>,
}

impl<T: Copy + PartialEq> TargetTable<T> {
    pub(super) fn new(targets: Vec<Target<T>>) -> Self {
        let (by_dir, above) = (HashMap::new(), HashSet::new());
        let mut table = Self { targets: Vec::new(), by_dir, above };
        for target in targets {
            table.add(target);
        }
        table
    }

    pub(super) fn add(&mut self, target: Target<T>) {
        let index = self.targets.len();
        for dir in target.dir.ancestors() {
            if !self.above.insert(dir.to_owned()) {
                break;
            }
        }
        self.by_dir.entry(target.dir.clone()).or_default().push(index);
        self.targets.push(target);
    }

    pub(super) fn targets(&self) -> &[Target<T>] {
        &self.targets
    }

    /// Returns whether `path` is the directory of a target, or an ancestor of one.
    pub(super) fn is_above(&self, path: &Path) -> bool {
        self.above.contains(path)
    }

    /// Returns the tags of the targets that accept the file `path`.
    pub(super) fn tags(&self, path: &Path) -> Vec<T> {
        let mut tags = Vec::new();
        let Some(name) = path.file_name().filter(|name| !is_temp_name(name)) else {
            return tags;
        };
        let (Some(name), Some(dir)) = (name.to_str(), path.parent()) else { return tags };
        for target in self.by_dir.get(dir).into_iter().flatten() {
            let target = self.targets.get(*target).filter(|target| (target.accepts)(name));
            tags.extend(target.map(|target| target.tag));
        }
        tags.dedup();
        tags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, above: bool, tags: &[char]) {
        let target =
            |dir: &str, tag, accepts| Target { dir: dir.into(), tag, accepts, is_optional: false };
        let table = TargetTable::new(vec![
            target("/a/b", 's', |_| true),
            target("/a/b", 'r', |name| name.ends_with(".md")),
            target("/a/c/d", 's', |_| true),
        ]);
        let path = Path::new(path);
        assert_eq!((table.is_above(path), table.tags(path)), (above, tags.to_vec()));
    }

    #[test]
    fn a_path_is_found_by_its_directory() {
        check("/a/b/x.rs", false, &['s']);
        check("/a/b/x.md", false, &['s', 'r']);
        check("/a/b/x/y.md", false, &[]);
        check("/a/c", true, &[]);
        check("/a/b", true, &[]);
        check("/", true, &[]);
        check("/e", false, &[]);
    }
}
