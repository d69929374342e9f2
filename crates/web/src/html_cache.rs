//! The HTML of code that was shown recently.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::WebError;

/// The maximum size of the cache, in bytes.
const CAPACITY: usize = 24 * 1024 * 1024;

/// The cache key of the HTML of a file.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct HtmlKey {
    pub(crate) path: String,
    /// The hash of the file.
    pub(crate) content: String,
    pub(crate) version: u64,
    /// The lines that were unfolded, if everything is shown.
    pub(crate) open: Option<Vec<Range<u32>>>,
}

#[derive(Default)]
pub(crate) struct HtmlCache {
    entries: Mutex<(usize, HashMap<HtmlKey, Arc<str>>)>,
    /// Held while a large file is rendered.
    large: Mutex<()>,
}

impl HtmlCache {
    /// Returns the HTML of a file, and renders it if it is not cached.
    pub(crate) fn get(
        &self,
        key: HtmlKey,
        is_large: bool,
        render: impl FnOnce() -> Result<String, WebError>,
    ) -> Result<Arc<str>, WebError> {
        if let Some(html) = self.find(&key) {
            return Ok(html);
        }
        // Large files are rendered one at a time, to limit memory. Small ones may be rendered twice.
        let turn = is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(html) = turn.as_ref().and_then(|_| self.find(&key)) {
            return Ok(html);
        }
        let html: Arc<str> = render()?.into();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let (size, by_key) = &mut *entries;
        if *size + html.len() > CAPACITY {
            by_key.clear();
            *size = 0;
        }
        *size += html.len();
        by_key.insert(key, html.clone());
        Ok(html)
    }

    fn find(&self, key: &HtmlKey) -> Option<Arc<str>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).1.get(key).cloned()
    }
}
