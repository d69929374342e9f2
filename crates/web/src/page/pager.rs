//! Splits long lists into pages.

use crate::request::QueryParams;

/// The part of a list that is shown.
pub(super) struct Pager {
    /// The number of the page, from 1.
    page: usize,
    page_size: usize,
    total: usize,
    /// The name of the counted items.
    noun: &'static str,
    /// The texts of the links to the pages before and after.
    pub(super) labels: (&'static str, &'static str),
    /// The addresses of the pages before and after.
    pub(super) newer: Option<String>,
    pub(super) older: Option<String>,
}

impl Pager {
    /// Finds the part that the parameters request, or the last one if that is after the end.
    pub(super) fn new(
        params: &QueryParams,
        (noun, total, page_size): (&'static str, usize, usize),
        href: impl Fn(&str) -> String,
    ) -> Self {
        let last = total.div_ceil(page_size).max(1);
        let wanted = params.get("page").and_then(|page| page.parse().ok()).unwrap_or(1);
        let page = wanted.clamp(1, last);
        let link = |page: usize| if page == 1 { href("") } else { href(&page.to_string()) };
        let newer = (page > 1).then(|| link(page - 1));
        let older = (page < last).then(|| link(page + 1));
        let labels = ("← Newer", "Older →");
        Self { page, page_size, total, noun, labels, newer, older }
    }

    /// Replaces the texts of the links, for a list that is not sorted by time.
    pub(super) fn with_labels(self, before: &'static str, after: &'static str) -> Self {
        Self { labels: (before, after), ..self }
    }

    /// Returns the number of items before the first one that is shown.
    pub(super) fn before(&self) -> usize {
        (self.page - 1) * self.page_size
    }

    /// Returns whether there is more than one page.
    pub(super) fn is_long(&self) -> bool {
        self.newer.is_some() || self.older.is_some()
    }

    pub(super) fn summary(&self) -> String {
        let to = (self.before() + self.page_size).min(self.total);
        format!("{}–{to} of {} {}", self.before() + 1, self.total, self.noun)
    }
}
