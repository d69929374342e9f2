//! What the files under review said when they were last read.

use std::collections::BTreeMap;

use skein_store::Stamp;

use crate::discover::Reviews;
use crate::placement::{Sources, Text};

/// Files by their paths from the root of the reviews.
#[derive(Default)]
pub(super) struct Known(BTreeMap<String, Said>);

struct Said {
    stamp: Option<Stamp>,
    /// None of a file that is missing or no text.
    mark: Option<u64>,
}

impl Said {
    fn of(text: Option<&Text>, reviews: &Reviews, path: &str) -> Self {
        match text {
            Some(text) => Self { stamp: text.stamp, mark: Some(text.mark()) },
            None => Self { stamp: Stamp::of(&reviews.root.join(path)), mark: None },
        }
    }
}

impl Known {
    /// Takes over what was just read of files that were never read before.
    ///
    /// Of the others only [`Known::read`] may tell, or else a change that nobody was told of would be forgotten.
    pub(super) fn learn(&mut self, reviews: &Reviews, sources: &Sources) {
        for (path, text) in sources {
            if !self.0.contains_key(path) {
                self.0.insert(path.clone(), Said::of(text.as_deref(), reviews, path));
            }
        }
    }

    /// Reads a file again; returns whether it says something else, none where it was never read.
    pub(super) fn read(&mut self, reviews: &Reviews, path: &str) -> Option<bool> {
        let known = self.0.get_mut(path)?;
        let said = Said::of(Text::read(reviews, path).as_ref(), reviews, path);
        let changed = said.mark != known.mark;
        *known = said;
        Some(changed)
    }

    /// Returns the paths of files that may not be as they were read.
    pub(super) fn suspects(&self, reviews: &Reviews) -> Vec<String> {
        let is_same =
            |path: &str, said: &Said| match (said.stamp, Stamp::of(&reviews.root.join(path))) {
                (Some(earlier), Some(stamp)) => stamp.proves(&earlier),
                (None, None) => true,
                _ => false,
            };
        let other = self.0.iter().filter(|(path, said)| !is_same(path, said));
        other.map(|(path, _)| path.clone()).collect()
    }
}
