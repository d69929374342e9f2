//! Long lists, a page at a time.

use crate::request::QueryParams;

/// Which part of a list is shown.
pub(super) struct Pager {
    /// The number of the page, from 1.
    page: usize,
    length: usize,
    all: usize,
    /// What is counted.
    pub(super) what: &'static str,
    /// The addresses of the pages before and after.
    pub(super) newer: Option<String>,
    pub(super) older: Option<String>,
}

impl Pager {
    /// Finds the part that an address asks for; one behind the end is the last one.
    pub(super) fn new(
        pairs: &QueryParams,
        (what, all, length): (&'static str, usize, usize),
        href: impl Fn(&[(&str, String)]) -> String,
    ) -> Self {
        let last = all.div_ceil(length).max(1);
        let asked = pairs.get("page").and_then(|page| page.parse().ok()).unwrap_or(1);
        let page = asked.clamp(1, last);
        let link = |page: usize| match page {
            1 => href(&[]),
            _ => href(&[("page", page.to_string())]),
        };
        let newer = (page > 1).then(|| link(page - 1));
        let older = (page < last).then(|| link(page + 1));
        Self { page, length, all, what, newer, older }
    }

    /// Returns how many come before what is shown.
    pub(super) fn before(&self) -> usize {
        (self.page - 1) * self.length
    }

    /// Returns whether there is more than one page.
    pub(super) fn is_long(&self) -> bool {
        self.newer.is_some() || self.older.is_some()
    }

    /// Says what is shown.
    pub(super) fn said(&self) -> String {
        let to = (self.before() + self.length).min(self.all);
        format!("{}–{to} of {} {}", self.before() + 1, self.all, self.what)
    }
}
