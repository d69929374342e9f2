//! The folders of files that git does not ignore.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use skein_workspace::Workspace;

/// If there are more folders than this, only those of requested files are watched.
const MAX_WATCHED_FOLDERS: usize = 4000;
/// Maximum number of cached answers of git.
const MAX_ANSWERS: usize = 10_000;

/// What is known of folders and ignored paths, all from the root of the reviews.
#[derive(Default)]
pub(super) struct Folders {
    /// All folders with files that are not ignored; the inner none if there are too many.
    listed: Option<Option<BTreeSet<String>>>,
    /// Whether a path is ignored.
    answers: BTreeMap<String, bool>,
}

impl Folders {
    /// Lists the folders, unless that was done.
    pub(super) fn list(&mut self, workspace: &Workspace) {
        if self.listed.is_some() {
            return;
        }
        let found = workspace.repo().and_then(|repo| repo.folders(&workspace.own_paths()).ok());
        let prefix = workspace.prefix();
        let below = |folder: String| match folder.strip_prefix(&prefix) {
            Some(below) => Some(below.to_owned()),
            // The root itself, whose prefix ends with a slash.
            None => (format!("{folder}/") == prefix).then(String::new),
        };
        let found = found.map(|all| all.into_iter().filter_map(below).collect::<BTreeSet<_>>());
        self.listed = Some(found.filter(|all| all.len() <= MAX_WATCHED_FOLDERS));
    }

    /// Returns the folders that were listed; none if there are too many, or none were requested.
    pub(super) fn listed(&self) -> Option<&BTreeSet<String>> {
        self.listed.as_ref()?.as_ref()
    }

    /// Adds folders to those that were listed; returns those that were not among them.
    pub(super) fn add(&mut self, folders: BTreeSet<String>) -> BTreeSet<String> {
        let Some(Some(listed)) = &mut self.listed else { return BTreeSet::new() };
        let fresh = folders
            .into_iter()
            .filter(|folder| listed.len() < MAX_WATCHED_FOLDERS && listed.insert(folder.clone()));
        fresh.collect()
    }

    /// Returns those of the paths that git does not ignore, and that are not Skein's own.
    pub(super) fn wanted(
        &mut self,
        workspace: &Workspace,
        paths: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        let Some(repo) = workspace.repo() else { return paths.clone() };
        let (prefix, own) = (workspace.prefix(), workspace.own_paths());
        let whole = |path: &String| format!("{prefix}{path}");
        let is_own = |path: &String| {
            let path = whole(path);
            own.iter().any(|own| Path::new(&path).starts_with(own))
        };
        let unknown: Vec<String> = paths
            .iter()
            .filter(|path| !path.is_empty() && !self.answers.contains_key(*path))
            .cloned()
            .collect();
        // Where git cannot be asked, it ignores none.
        let asked: Vec<String> = unknown.iter().map(whole).collect();
        let ignored = repo.ignored(&asked).unwrap_or_default();
        if self.answers.len() + unknown.len() > MAX_ANSWERS {
            self.answers.clear();
        }
        let answers = unknown.into_iter().map(|path| (ignored.contains(&whole(&path)), path));
        self.answers.extend(answers.map(|(ignored, path)| (path, ignored)));
        let is_wanted =
            |path: &&String| !is_own(path) && !self.answers.get(*path).copied().unwrap_or(false);
        paths.iter().filter(is_wanted).cloned().collect()
    }
}
