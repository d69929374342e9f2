//! What the files under review said when they were last read.

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
    mark: ContentState,
    /// Whether it can be run, which git compares too.
    executable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentState {
    Text(u64),
    /// The file is missing, or no text.
    Nothing,
    /// Threads were placed in something else than was known, so that they must be placed again.
    Torn,
}

impl SourceVersion {
    fn from_text(text: Option<&SourceText>, reviews: &ReviewStore, path: &str) -> Self {
        let file = reviews.root.join(path);
        let executable = file.symlink_metadata().is_ok_and(|meta| is_executable(&meta));
        match text {
            Some(text) => {
                Self { stamp: text.stamp, mark: ContentState::Text(text.mark()), executable }
            }
            None => {
                Self { stamp: Stamp::from_path(&file), mark: ContentState::Nothing, executable }
            }
        }
    }
}

impl SourceVersions {
    /// Takes over what was read to place threads.
    ///
    /// A file that says something else than was known is torn until it is read again: other threads may have been
    /// placed in what it said before.
    pub(super) fn learn(&mut self, reviews: &ReviewStore, sources: &SourceTexts) {
        let said = |(path, text): (&String, &Option<Rc<SourceText>>)| {
            (path.clone(), SourceVersion::from_text(text.as_deref(), reviews, path))
        };
        self.absorb(Self(sources.iter().map(said).collect()));
    }

    /// Takes over what others have learned at the same time.
    pub(super) fn absorb(&mut self, other: Self) {
        for (path, said) in other.0 {
            match self.0.get_mut(&path) {
                Some(known) if known.mark != said.mark => known.mark = ContentState::Torn,
                Some(_) => {}
                None => drop(self.0.insert(path, said)),
            }
        }
    }

    /// Returns the files that must be read again.
    pub(super) fn torn(&self) -> impl Iterator<Item = &String> {
        let torn = self.0.iter().filter(|(_, said)| said.mark == ContentState::Torn);
        torn.map(|(path, _)| path)
    }

    /// Reads a file again; returns whether it says something else, none where it was never read.
    pub(super) fn read(&mut self, reviews: &ReviewStore, path: &str) -> Option<bool> {
        let known = self.0.get_mut(path)?;
        let said =
            SourceVersion::from_text(SourceText::read(reviews, path).as_ref(), reviews, path);
        let changed = (said.mark, said.executable) != (known.mark, known.executable);
        *known = said;
        Some(changed)
    }

    /// Returns the paths of files that may not be as they were read.
    pub(super) fn suspects(&self, reviews: &ReviewStore) -> Vec<String> {
        let is_same = |path: &str, known: &SourceVersion| {
            is_unchanged(known.stamp, Stamp::from_path(&reviews.root.join(path)))
        };
        let other = self.0.iter().filter(|(path, said)| !is_same(path, said));
        other.map(|(path, _)| path.clone()).collect()
    }
}
