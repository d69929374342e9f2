//! The versions of the files under review that were last read.

use std::collections::BTreeMap;
use std::rc::Rc;

use skein_catalog::placement::{SourceText, SourceTexts};
use skein_store::{Stamp, is_executable};
use skein_workspace::ReviewStore;

use crate::tracked_dir::is_unchanged;

/// Files by their paths from the root of the reviews.
#[derive(Default)]
pub(super) struct SourceVersions(BTreeMap<String, SourceVersion>);

struct SourceVersion {
    stamp: Option<Stamp>,
    content: ContentState,
    /// Whether it can be run, which git compares too.
    executable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentState {
    Text(u64),
    /// The file is missing, or no text.
    Nothing,
    /// Threads were placed in different versions, so they must be placed again.
    Outdated,
}

impl SourceVersion {
    fn from_text(text: Option<&SourceText>, reviews: &ReviewStore, path: &str) -> Self {
        let file = reviews.root.join(path);
        let executable = file.symlink_metadata().is_ok_and(|meta| is_executable(&meta));
        match text {
            Some(text) => {
                Self { stamp: text.stamp, content: ContentState::Text(text.mark()), executable }
            }
            None => {
                Self { stamp: Stamp::from_path(&file), content: ContentState::Nothing, executable }
            }
        }
    }
}

impl SourceVersions {
    /// Returns the versions of files that were read to place threads.
    pub(super) fn from_texts(reviews: &ReviewStore, sources: &SourceTexts) -> Self {
        let version = |(path, text): (&String, &Option<Rc<SourceText>>)| {
            (path.clone(), SourceVersion::from_text(text.as_deref(), reviews, path))
        };
        Self(sources.iter().map(version).collect())
    }

    /// Adds versions that were read later.
    ///
    /// A file with another version is outdated until it is read again: other threads may have been
    /// placed in the earlier version.
    pub(super) fn absorb(&mut self, other: Self) {
        for (path, version) in other.0 {
            match self.0.get_mut(&path) {
                Some(known) if known.content != version.content => {
                    known.content = ContentState::Outdated;
                }
                Some(_) => {}
                None => drop(self.0.insert(path, version)),
            }
        }
    }

    /// Returns the files that must be read again.
    pub(super) fn outdated(&self) -> impl Iterator<Item = &String> {
        let outdated =
            self.0.iter().filter(|(_, version)| version.content == ContentState::Outdated);
        outdated.map(|(path, _)| path)
    }

    /// Reads a file again; returns whether it has changed, none if it was never read.
    pub(super) fn read(&mut self, reviews: &ReviewStore, path: &str) -> Option<bool> {
        let known = self.0.get_mut(path)?;
        let version =
            SourceVersion::from_text(SourceText::read(reviews, path).as_ref(), reviews, path);
        let changed = (version.content, version.executable) != (known.content, known.executable);
        *known = version;
        Some(changed)
    }

    /// Returns the paths of files that may have changed.
    pub(super) fn suspects(&self, reviews: &ReviewStore) -> Vec<String> {
        let is_same = |path: &str, known: &SourceVersion| {
            is_unchanged(known.stamp, Stamp::from_path(&reviews.root.join(path)))
        };
        let other = self.0.iter().filter(|(path, version)| !is_same(path, version));
        other.map(|(path, _)| path.clone()).collect()
    }
}
