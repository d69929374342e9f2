//! The write paths as one type, so that each kind of failure is tested on all of them.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use skein_store::{
    DirLock, Revision, create_new, is_temp_name, lock, move_to_trash, relocate, remove, replace,
    replace_exact,
};
use skein_testkit::{Files, SimFs};

pub(crate) const DIR: &str = "/store";
pub(crate) const DOC: &str = "/store/a.md";
pub(crate) const LINK: &str = "/links/a.md";
pub(crate) const COPY: &str = "/state/trash/20260123-a.md";
pub(crate) const OLD: &[u8] = b"the old document\n";
pub(crate) const NEW: &[u8] = b"the document that takes its place\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WritePath {
    Replace,
    ReplaceExact,
    ReplaceWithoutExchange,
    ReplaceThroughLink,
    Create,
    Remove,
    Trash,
    Relocate,
}

impl WritePath {
    pub(crate) const ALL: [Self; 8] = [
        Self::Replace,
        Self::ReplaceExact,
        Self::ReplaceWithoutExchange,
        Self::ReplaceThroughLink,
        Self::Create,
        Self::Remove,
        Self::Trash,
        Self::Relocate,
    ];

    /// A disk that is ready for this path, and the lock it needs.
    pub(crate) fn start(self) -> (SimFs, DirLock) {
        let mut sim = SimFs::new().with_dir(Path::new(DIR));
        if self != Self::Create {
            sim = sim.with_file(Path::new(DOC), OLD);
        }
        if self == Self::ReplaceWithoutExchange {
            sim = sim.without_exchange();
        }
        if self == Self::ReplaceThroughLink {
            sim = sim.with_dir(Path::new("/links")).with_link(Path::new(LINK), Path::new(DOC));
        }
        let guard = lock(&sim, Path::new(DIR), Duration::ZERO).unwrap();
        (sim, guard)
    }

    pub(crate) fn run(self, sim: &SimFs, guard: &DirLock) -> Result<(), Box<dyn Error>> {
        let (doc, expected) = (Path::new(DOC), Revision::from_bytes(OLD));
        match self {
            Self::Replace | Self::ReplaceWithoutExchange => {
                replace(sim, guard, doc, &expected, NEW)?;
            }
            Self::ReplaceExact => replace_exact(sim, guard, doc, OLD, NEW)?,
            Self::ReplaceThroughLink => {
                replace(sim, guard, Path::new(LINK), &expected, NEW)?;
            }
            Self::Create => {
                create_new(sim, guard, doc, NEW, 0o644)?;
            }
            Self::Remove => remove(sim, guard, doc, &expected)?,
            Self::Trash => {
                let dir = Path::new("/state/trash");
                assert_eq!(move_to_trash(sim, guard, dir, doc, "20260123")?, Path::new(COPY));
            }
            Self::Relocate => relocate(sim, guard, doc, Path::new(COPY))?,
        }
        Ok(())
    }

    /// The numbers and names of the operations of a run without failures.
    pub(crate) fn operations(self) -> Vec<(usize, &'static str)> {
        let (sim, guard) = self.start();
        let before = sim.operations();
        self.run(&sim, &guard).unwrap();
        sim.operation_names()
            .into_iter()
            .enumerate()
            .skip(before)
            .map(|(n, name)| (n + 1, name))
            .collect()
    }

    /// Asserts that the old or the new document is there and complete.
    pub(crate) fn assert_sound(self, files: &Files) {
        let (doc, copy) = (at(files, DOC), at(files, COPY));
        let sound = match self {
            Self::Replace
            | Self::ReplaceExact
            | Self::ReplaceWithoutExchange
            | Self::ReplaceThroughLink => doc == Some(OLD) || doc == Some(NEW),
            Self::Create => doc.is_none() || doc == Some(NEW),
            Self::Remove => doc.is_none() || doc == Some(OLD),
            Self::Trash | Self::Relocate => {
                [doc, copy].contains(&Some(OLD)) && (copy.is_none() || copy == Some(OLD))
            }
        };
        assert!(sound, "{self:?} left {files:?}");
        for path in files.keys().filter(|path| **path != *DOC && **path != *COPY) {
            assert!(is_temp_name(path.file_name().unwrap()), "{self:?} left {path:?}");
        }
    }

    /// Asserts that the change was made.
    pub(crate) fn assert_done(self, files: &Files) {
        let (doc, copy) = (at(files, DOC), at(files, COPY));
        match self {
            Self::Remove => assert_eq!(doc, None),
            Self::Trash | Self::Relocate => assert_eq!((doc, copy), (None, Some(OLD))),
            _ => assert_eq!(doc, Some(NEW), "{self:?}"),
        }
    }

    /// Asserts that the document is unchanged.
    pub(crate) fn assert_untouched(self, files: &Files) {
        let expected = (self != Self::Create).then_some(OLD);
        assert_eq!(at(files, DOC), expected, "{self:?} left {files:?}");
    }
}

pub(crate) fn at<'a>(files: &'a Files, path: &str) -> Option<&'a [u8]> {
    files.get(Path::new(path)).map(Vec::as_slice)
}

pub(crate) fn temps(files: &Files) -> Vec<&Path> {
    let is_temp = |path: &&Path| path.file_name().is_some_and(is_temp_name);
    files.keys().map(|path| path.as_path()).filter(is_temp).collect()
}

/// An error with all of its causes, as a user would see it.
pub(crate) fn explain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", explain(source)),
        None => error.to_string(),
    }
}
