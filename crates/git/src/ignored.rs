//! Which paths git passes over, and which it does not.

use std::collections::BTreeSet;

use crate::pathspec::pathspecs;
use crate::repo::Repo;
use crate::run::{RunError, answer, feed, split};

/// Makes git interpret the argument as a path, even if it begins like an option.
const TOP: &str = ":(top)";

impl Repo {
    /// Returns the folders that hold a file that git does not ignore, and all folders above them, by name.
    ///
    /// Files that were deleted and not yet removed from the index count too. The top itself is the
    /// empty path. A folder whose name is not UTF-8 is left out.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn folders(&self, exclude: &[String]) -> Result<BTreeSet<String>, RunError> {
        let mut folders = BTreeSet::from([String::new()]);
        for path in self.files(exclude)? {
            let mut rest = path.as_str();
            while let Some((folder, _)) = rest.rsplit_once('/') {
                // Its parents were added together with it.
                if folder.len() + 1 < path.len() && !folders.insert(folder.to_owned()) {
                    break;
                }
                rest = folder;
            }
        }
        Ok(folders)
    }

    /// Returns the files that git does not ignore, tracked or not, except those below the paths named; names that are not UTF-8 are
    /// left out.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn files(&self, exclude: &[String]) -> Result<BTreeSet<String>, RunError> {
        let mut command = self.git();
        command
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"])
            .args(pathspecs(&[], exclude));
        let paths = self.finish(command)?;
        Ok(split(&paths).filter_map(|path| String::from_utf8(path.to_vec()).ok()).collect())
    }

    /// Returns those of the paths that git passes over because a rule says so.
    ///
    /// A tracked file is never ignored.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or one of the paths lies behind a symbolic link.
    pub fn ignored(&self, paths: &[String]) -> Result<BTreeSet<String>, RunError> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut command = self.git();
        command.args(["check-ignore", "--stdin", "-z"]);
        let input: String = paths.iter().map(|path| format!("{TOP}{path}\0")).collect();
        let stdout = answer(feed(command, self.top(), input.as_bytes()))?.unwrap_or_default();
        let shown = |path: &[u8]| String::from_utf8(path.to_vec()).ok();
        let paths = split(&stdout).filter_map(shown);
        Ok(paths.filter_map(|path| Some(path.strip_prefix(TOP)?.to_owned())).collect())
    }
}
