//! Whole files as lines.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use skein_catalog::source_text::{MAX_SOURCE_LEN, lines, without_bom};
use skein_format::path::WorkspacePath;
use skein_git::{DiffSide, Objects, is_binary};
use skein_review::{LocationError, Source};
use skein_store::{Revision, Stamp, read_inside};
use skein_workspace::Workspace;

use super::locked;

/// Maximum number of bytes of text that are kept.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A file as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The lines, without their ends.
    pub lines: Vec<String>,
    /// The hash of the content.
    pub content: String,
}

impl FileText {
    fn from_bytes(bytes: &[u8]) -> Self {
        let content = Revision::from_bytes(bytes).to_string();
        Self { lines: lines(without_bom(bytes)), content }
    }
}

/// Files of the worktree that were requested.
#[derive(Default)]
pub(super) struct FileCache(pub(super) Mutex<CachedTexts>);

#[derive(Default)]
pub(super) struct CachedTexts {
    texts: BTreeMap<String, (Stamp, Arc<FileText>)>,
    size: usize,
}

impl FileCache {
    /// Returns a file of the worktree as it is, by its path from the root of the reviews.
    pub(super) fn get(
        &self,
        workspace: &Workspace,
        path: &str,
    ) -> Result<Arc<FileText>, LocationError> {
        let reviews = &workspace.reviews;
        let safe = WorkspacePath::parse(path, &reviews.store_path)
            .map_err(|problem| LocationError::Path { text: path.to_owned(), problem })?;
        let stamp = Stamp::from_path(&reviews.root.join(safe.as_str()));
        let known = locked(&self.0).texts.get(safe.as_str()).cloned();
        if let (Some(stamp), Some((earlier, text))) = (&stamp, known)
            && stamp.proves(&earlier)
        {
            return Ok(text);
        }
        let bytes = Source::bytes(reviews, &safe)?;
        let text = Arc::new(FileText::from_bytes(&bytes));
        if let Some(stamp) = stamp {
            locked(&self.0).keep(safe.into_string(), stamp, &text, bytes.len());
        }
        Ok(text)
    }
}

impl CachedTexts {
    fn keep(&mut self, path: String, stamp: Stamp, text: &Arc<FileText>, size: usize) {
        if self.size + size > MAX_BYTES {
            *self = Self::default();
        }
        self.size += size;
        self.texts.insert(path, (stamp, text.clone()));
    }
}

/// Returns the revision of a file of the worktree, text or binary.
pub(super) fn content(workspace: &Workspace, path: &str) -> Option<String> {
    let reviews = &workspace.reviews;
    let safe = WorkspacePath::parse(path, &reviews.store_path).ok()?;
    let bytes = read_inside(&reviews.root, safe.as_str(), MAX_SOURCE_LEN).ok()?;
    Some(Revision::from_bytes(&bytes).to_string())
}

/// Reads a file of a side that is recorded; none if it is missing, binary or too large.
pub(super) fn of_side(
    workspace: &Workspace,
    objects: &mut Option<Objects>,
    side: &DiffSide,
    path: &str,
) -> Option<FileText> {
    let whole = format!("{}{path}", workspace.prefix());
    if objects.is_none() {
        *objects = Objects::start(&workspace.repo()?).ok();
    }
    let server = objects.as_mut()?;
    let bytes = match side {
        DiffSide::Commit(commit) => server.blob(commit, &whole),
        DiffSide::Index => server.staged(&whole),
        DiffSide::Tree(_) | DiffSide::Worktree => return None,
    };
    let Ok(bytes) = bytes else {
        // After an error the process may not answer any more.
        *objects = None;
        return None;
    };
    let bytes =
        bytes.filter(|bytes| u64::try_from(bytes.len()).is_ok_and(|len| len <= MAX_SOURCE_LEN))?;
    (!is_binary(&bytes)).then(|| FileText::from_bytes(&bytes))
}
