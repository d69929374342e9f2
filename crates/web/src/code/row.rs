//! Rows of code on a page.

use std::ops::Range;

use skein_highlight::Language;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CodeLayout {
    Unified,
    /// Side by side.
    Split,
    Whole,
}

impl CodeLayout {
    /// Returns the CSS class of a table.
    pub(crate) fn css(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::Split => "split",
            Self::Whole => "whole",
        }
    }

    /// Returns the number of columns of a table.
    pub(crate) fn columns(self) -> u8 {
        match self {
            Self::Split => 4,
            Self::Unified => 3,
            Self::Whole => 2,
        }
    }
}

/// The parts of a file that are shown, and their layout.
pub(crate) struct RowOptions<'a> {
    pub(crate) layout: CodeLayout,
    pub(crate) language: Option<Language>,
    /// Lines of the new side to show in addition to the changed ones, counted from 0.
    pub(crate) open: &'a [Range<u32>],
    /// Lines of the new side that threads are on, counted from 0.
    pub(crate) marks: &'a [Range<u32>],
}

/// A row of code; `T` is shown between lines. Numbers are counted from 1.
pub(crate) enum Row<T> {
    /// Folded lines, by their numbers on the new side.
    Fold {
        from: u32,
        to: u32,
        count: usize,
        section: String,
    },
    One {
        css: &'static str,
        marked: bool,
        old: Option<u32>,
        new: Option<u32>,
        html: String,
    },
    /// A line of each side.
    Two {
        left: RowSide,
        right: RowSide,
    },
    Threads(Vec<T>),
}

#[derive(Clone)]
pub(crate) struct RowSide {
    pub(crate) css: &'static str,
    pub(crate) marked: bool,
    pub(crate) number: Option<u32>,
    pub(crate) html: String,
}

/// Rows in one table.
pub(crate) type RowChunk<T> = Vec<Row<T>>;
