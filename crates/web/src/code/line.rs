//! A line of one or both sides of a comparison.

use std::borrow::Cow;

use skein_model::view::{DiffLineKind, LineMark};

/// A line; numbers are counted from 0.
#[derive(Clone, Debug)]
pub(crate) struct CodeLine<'a> {
    pub(crate) kind: DiffLineKind,
    pub(crate) old: Option<u32>,
    pub(crate) new: Option<u32>,
    pub(crate) text: Cow<'a, str>,
    /// The heading in git's output for the hunk that begins here.
    pub(crate) section: Option<&'a str>,
    pub(crate) marks: &'a [LineMark],
}

impl CodeLine<'_> {
    /// Returns the marks as elements without text, so that they are not part of a copied line.
    pub(crate) fn marks_html(&self) -> String {
        let html = |mark: &LineMark| format!("<u data-mark=\"{}\"></u>", mark.label());
        self.marks.iter().map(html).collect()
    }

    /// Returns the CSS class of its row.
    pub(crate) fn css(&self) -> &'static str {
        match self.kind {
            DiffLineKind::Context => "",
            DiffLineKind::Added => "add",
            DiffLineKind::Removed => "del",
        }
    }
}
