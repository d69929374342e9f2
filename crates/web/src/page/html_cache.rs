//! Sections that were drawn before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::WebError;

/// How much is kept in bytes: so much that was asked for lately, and as much from before.
const CAPACITY: usize = 12 * 1024 * 1024;

/// What a section looks like depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) path: String,
    /// What the file says.
    pub(crate) content: String,
    /// The number of the section.
    pub(crate) version: u64,
    /// Whether everything is shown.
    pub(crate) all: bool,
}

/// Sections as HTML, of which those that nobody asks for any more are forgotten.
#[derive(Default)]
pub(crate) struct HtmlCache {
    kept: Mutex<Kept>,
    /// Held while a large one is drawn.
    large: Mutex<()>,
}

#[derive(Default)]
struct Kept {
    young: HashMap<Key, Arc<str>>,
    old: HashMap<Key, Arc<str>>,
    /// The bytes of the young ones.
    size: usize,
}

impl HtmlCache {
    /// Returns a section as it was drawn before, or draws it.
    pub(crate) fn get(
        &self,
        key: Key,
        is_large: bool,
        draw: impl FnOnce() -> Result<String, WebError>,
    ) -> Result<Arc<str>, WebError> {
        if let Some(html) = self.kept().find(&key) {
            return Ok(html);
        }
        // Others need not wait for a small one, and that two draw the same does no harm. Of large ones there is one at a time.
        let turn = is_large.then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(html) = turn.as_ref().and_then(|_| self.kept().find(&key)) {
            return Ok(html);
        }
        let html: Arc<str> = draw()?.into();
        self.kept().keep(key, html.clone());
        Ok(html)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn find(&mut self, key: &Key) -> Option<Arc<str>> {
        if let Some(html) = self.young.get(key) {
            return Some(html.clone());
        }
        let html = self.old.remove(key)?;
        self.keep(key.clone(), html.clone());
        Some(html)
    }

    fn keep(&mut self, key: Key, html: Arc<str>) {
        if self.size + html.len() > CAPACITY {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
        self.size += html.len();
        self.young.insert(key, html);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(version: u64) -> Key {
        Key { path: "a.rs".to_owned(), content: String::new(), version, all: false }
    }

    /// Asks for a section of so many bytes, and returns whether it was drawn.
    fn ask(drawn: &HtmlCache, version: u64, size: usize) -> bool {
        let mut was_drawn = false;
        let html = drawn.get(key(version), false, || {
            was_drawn = true;
            Ok("x".repeat(size))
        });
        assert_eq!(html.unwrap().len(), size);
        was_drawn
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let drawn = HtmlCache::default();
        assert!(ask(&drawn, 1, 10));
        assert!(!ask(&drawn, 1, 10));
        assert!(ask(&drawn, 2, CAPACITY));
        assert!(!ask(&drawn, 1, 10));
        assert!(ask(&drawn, 3, CAPACITY));
        assert!(!ask(&drawn, 1, 10));
        assert!(ask(&drawn, 2, CAPACITY));
    }
}
