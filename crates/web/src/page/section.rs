//! A file on a page: its code, with the threads between the lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use askama::Template;
use skein_highlight::Language;
use skein_model::view::{DiffFile, DiffStatus};

use super::card::{ThreadCard, code_of};
use crate::code::{CodeLayout, DiffRows, Row, RowChunk, RowOptions, is_generated, rows};
use crate::encode::encode;
use crate::error::WebError;
use crate::escape::shown_name;
use crate::html_cache::{HtmlCache, HtmlKey};
use crate::thread_index::IndexedThread;
use crate::viewer::PageViewer;

/// Files with more changed lines are shown on request.
const MAX_SHOWN_LINES: usize = 1_500;

/// The style sheet has a class for each multiple of this height, in lines, up to `MAX_HEIGHT_STEPS`.
const HEIGHT_STEP: usize = 10;
const MAX_HEIGHT_STEPS: usize = 24;

/// Files with more lines are rendered one at a time.
const LARGE_FILE_LINES: usize = 10_000;

/// A file with its threads.
#[derive(Template)]
#[template(path = "section.html")]
pub(crate) struct Section {
    pub(crate) anchor: String,
    pub(crate) path: String,
    /// The path as it is shown.
    pub(crate) shown: String,
    href: String,
    /// The path before a rename, as it is shown.
    old_path: Option<String>,
    /// The modes before and after, if they differ.
    modes: Option<(String, String)>,
    pub(crate) status: &'static str,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    lines: usize,
    pub(crate) viewed: bool,
    content: String,
    can_comment: bool,
    read_only: bool,
    layout: CodeLayout,
    body: SectionBody,
    on_file: Vec<ThreadCard>,
    apart: Vec<ThreadCard>,
    version: u64,
    /// The whole section, if it is cached.
    cached_html: Option<Arc<str>>,
}

/// The content of a section.
enum SectionBody {
    /// The code is fetched when it is scrolled to.
    Waits,
    /// The code is shown on request, for this reason.
    Folded(&'static str),
    /// There is no code, for this reason.
    NoCode(Cow<'static, str>),
    Loaded(Vec<RowChunk<ThreadCard>>),
}

/// The data that a section is made from.
pub(crate) struct FileSource<'a> {
    pub(crate) file: &'a DiffFile,
    /// The new side of the file.
    pub(crate) text: Option<&'a [String]>,
    /// The hash of the file.
    pub(crate) content: &'a str,
    /// The size of a file without text, if it is in the worktree.
    pub(crate) byte_len: Option<u64>,
    /// The threads whose code is in the file.
    pub(crate) threads: &'a [Arc<IndexedThread>],
    pub(crate) viewed: bool,
    /// Whether the new side is the worktree, so that threads have a location in it.
    pub(crate) is_worktree: bool,
    pub(crate) layout: CodeLayout,
    pub(crate) viewer: PageViewer<'a>,
}

/// The parts of a section that are rendered.
pub(crate) enum SectionDetail<'a> {
    /// Its heading.
    Head,
    /// The default: long or generated files are folded.
    Normal,
    /// Everything, with these lines unfolded, counted from 0.
    All(&'a [Range<u32>]),
}

impl Section {
    fn new(source: &FileSource<'_>, detail: &SectionDetail<'_>) -> Self {
        let FileSource { file, layout, viewer, .. } = *source;
        let is_writable = source.is_worktree && !viewer.read_only;
        let mut section = Self {
            anchor: format!("f-{:x}", hash(|hasher| file.path.hash(hasher))),
            path: file.path.clone(),
            shown: shown_name(&file.path),
            href: encode(&file.path),
            old_path: file.old_path.as_deref().map(shown_name),
            modes: file.old_mode.clone().zip(file.new_mode.clone()),
            status: if layout == CodeLayout::Whole { "whole" } else { file.status.as_str() },
            added: file.added,
            removed: file.removed,
            lines: file.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum(),
            viewed: source.viewed,
            content: source.content.to_owned(),
            can_comment: is_writable && file.status != DiffStatus::Deleted && !file.binary,
            read_only: viewer.read_only,
            layout,
            body: SectionBody::Waits,
            on_file: Vec::new(),
            apart: Vec::new(),
            version: version(source),
            cached_html: None,
        };
        section.body = match (detail, section.fold_reason(source)) {
            (SectionDetail::Head, _) => SectionBody::Waits,
            (SectionDetail::Normal, Some(reason)) => {
                section.apart = cards(source).collect();
                SectionBody::Folded(reason)
            }
            (SectionDetail::Normal, None) => section.fill(source, &[]),
            (SectionDetail::All(open), _) => section.fill(source, open),
        };
        section
    }

    /// Returns the section of a file, with the cached HTML if nothing has changed.
    pub(crate) fn cached(
        source: &FileSource<'_>,
        detail: &SectionDetail<'_>,
        cache: &HtmlCache,
    ) -> Result<Self, WebError> {
        let open = match detail {
            SectionDetail::Head => return Ok(Self::new(source, detail)),
            SectionDetail::Normal => None,
            SectionDetail::All(open) => Some(open.to_vec()),
        };
        let mut section = Self::new(source, &SectionDetail::Head);
        let (path, content) = (section.path.clone(), section.content.clone());
        let key = HtmlKey { path, content, version: section.version, open };
        let render = || Self::new(source, detail).render().map_err(|_| WebError::broken());
        let is_large = source.text.is_some_and(|text| text.len() > LARGE_FILE_LINES);
        section.cached_html = Some(cache.get(key, is_large, render)?);
        Ok(section)
    }

    /// Returns the length of the cached HTML, in bytes.
    pub(crate) fn html_len(&self) -> usize {
        self.cached_html.as_ref().map_or(0, |html| html.len())
    }

    pub(crate) fn html(&self) -> Result<Cow<'_, str>, askama::Error> {
        match &self.cached_html {
            Some(html) => Ok(Cow::Borrowed(html)),
            None => self.render().map(Cow::Owned),
        }
    }

    /// Returns about how many rows the page gets with this section: the lines of its hunks, unless it is shown only on request.
    pub(crate) fn row_count(&self, source: &FileSource<'_>) -> usize {
        if self.fold_reason(source).is_some() { 0 } else { self.lines }
    }

    /// Returns why a file is shown only on request.
    fn fold_reason(&self, source: &FileSource<'_>) -> Option<&'static str> {
        if is_generated(&self.path, source.text.unwrap_or_default()) {
            Some("This file is generated.")
        } else if self.added + self.removed > MAX_SHOWN_LINES {
            Some("This is a large change.")
        } else if source.file.diff_disabled {
            Some("The attributes of the repository disable the diff of this file.")
        } else {
            None
        }
    }

    fn fill(&mut self, source: &FileSource<'_>, open: &[Range<u32>]) -> SectionBody {
        let file = source.file;
        let text = source.text.unwrap_or_default();
        let (mut at, marks) = self.sort_cards(source);
        let whole = source.layout == CodeLayout::Whole;
        let body = if file.binary {
            SectionBody::NoCode(binary_text(&file.path, source.byte_len).into())
        } else if whole && text.is_empty() {
            SectionBody::NoCode("This file is empty.".into())
        } else if file.hunks.is_empty() && !whole && file.status == DiffStatus::Renamed {
            SectionBody::NoCode("Only the name has changed.".into())
        } else if file.hunks.is_empty() && !whole {
            SectionBody::NoCode(if self.modes.is_some() {
                "Only the mode has changed.".into()
            } else {
                "This file is empty.".into()
            })
        } else {
            let diffed =
                if whole { DiffRows::unchanged(text) } else { DiffRows::new(file, source.text) };
            let language = Language::detect(&file.path, text.first().map_or("", String::as_str));
            let options = RowOptions { layout: source.layout, language, open, marks: &marks };
            SectionBody::Loaded(rows(&diffed, &options, &mut at))
        };
        self.apart.extend(at.into_values().flatten());
        body
    }

    /// Sorts cards into those on the whole file, those at a line, and those without a location. Returns those at a line, and the lines.
    fn sort_cards(
        &mut self,
        source: &FileSource<'_>,
    ) -> (BTreeMap<u32, Vec<ThreadCard>>, Vec<Range<u32>>) {
        let mut at: BTreeMap<u32, Vec<ThreadCard>> = BTreeMap::new();
        let mut marks = Vec::new();
        for (card, thread) in cards(source).zip(source.threads) {
            let lines = match source.is_worktree {
                true => card.lines(),
                false => lines_on_side(source.text.unwrap_or_default(), thread),
            };
            match lines {
                Some(lines) if card.is_placed() => {
                    at.entry(lines.end - 1).or_default().push(card);
                    marks.push(lines);
                }
                None if card.is_placed() && card.lines().is_none() => self.on_file.push(card),
                _ => self.apart.push(card),
            }
        }
        (at, marks)
    }
}

/// Returns where the code of a thread is in a text that is not that of the worktree, for which threads are placed: at the same lines, or
/// at the only ones with the same text.
fn lines_on_side(text: &[String], thread: &IndexedThread) -> Option<Range<u32>> {
    let body = thread.review_body()?;
    let place = body.placement.as_ref()?;
    let code: Vec<&str> = code_of(body, place)?.collect();
    let is_at = |start: usize| {
        let lines = text.get(start..start + code.len());
        lines.is_some_and(|lines| lines.iter().eq(code.iter()))
    };
    let here = place.start_line? as usize;
    let start = if is_at(here) {
        here
    } else {
        let mut starts = (0..text.len()).filter(|start| is_at(*start));
        let only = starts.next()?;
        if starts.next().is_some() {
            return None;
        }
        only
    };
    let count = u32::try_from(code.len()).ok().filter(|count| *count > 0)?;
    let start = u32::try_from(start).ok()?;
    Some(start..start + count)
}

fn cards<'a>(source: &FileSource<'a>) -> impl Iterator<Item = ThreadCard> + use<'a> {
    let viewer = source.viewer;
    source.threads.iter().map(move |thread| ThreadCard::new(thread, viewer))
}

/// Describes a file without text by its kind and its size, as far as they are known.
fn binary_text(path: &str, byte_len: Option<u64>) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_kind = (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let kind = is_kind.then(|| extension.to_ascii_uppercase());
    let size = byte_len.map(|bytes| match bytes {
        0..1_000 => super::count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        1_000_000.. => format!("{} MB", bytes.div_ceil(1_000_000)),
    });
    let facts: Vec<String> = kind.into_iter().chain(size).collect();
    match facts.is_empty() {
        true => "This file is binary, or too large to be shown.".to_owned(),
        false => format!("This file is binary, or too large to be shown: {}.", facts.join(", ")),
    }
}

/// Returns about how high the rows of a table are, in lines of code, as the style sheet has classes for it.
fn height_class(chunk: &RowChunk<ThreadCard>) -> usize {
    let height = |row: &Row<ThreadCard>| match row {
        Row::Threads(cards) => cards.iter().map(card_height).sum(),
        Row::Fold { .. } | Row::One { .. } | Row::Two { .. } => 1,
    };
    let lines: usize = chunk.iter().map(height).sum();
    lines.div_ceil(HEIGHT_STEP).clamp(1, MAX_HEIGHT_STEPS) * HEIGHT_STEP
}

/// Returns about how high a thread is, in lines of code: a heading, its comments and the buttons, or the heading alone.
fn card_height(card: &ThreadCard) -> usize {
    if card.open { 5 + 3 * card.comments.len() } else { 2 }
}

fn hash(write: impl FnOnce(&mut DefaultHasher)) -> u64 {
    let mut hasher = DefaultHasher::new();
    write(&mut hasher);
    hasher.finish()
}

/// Hashes everything that the section shows.
fn version(source: &FileSource<'_>) -> u64 {
    let file = source.file;
    hash(|hasher| {
        (&file.path, &file.old_path, file.status, file.binary, source.viewed).hash(hasher);
        (&file.old_mode, &file.new_mode, file.diff_disabled).hash(hasher);
        (source.is_worktree, source.viewer.read_only, source.layout).hash(hasher);
        for hunk in &file.hunks {
            // The line numbers follow from those of the header.
            hunk.header.hash(hasher);
            for line in &hunk.lines {
                hasher.write(line.kind.as_str().as_bytes());
                line.text.hash(hasher);
                line.marks.hash(hasher);
            }
        }
        if source.layout == CodeLayout::Whole || file.binary {
            // For a changed text, the hunks determine the rest.
            source.content.hash(hasher);
        }
        for thread in source.threads {
            thread.version.hash(hasher);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::binary_text;

    #[test]
    fn a_file_without_text_is_described_by_kind_and_size() {
        let check = |path: &str, byte_len: Option<u64>, expected: &str| {
            assert!(binary_text(path, byte_len).ends_with(expected), "{path}: {byte_len:?}");
        };
        check("a/b.png", Some(1), "shown: PNG, 1 byte.");
        check("a/b.png", Some(12_345), "shown: PNG, 13 KB.");
        check("a.b/c", Some(5_000_000), "shown: 5 MB.");
        check("a.b/c", None, "shown.");
    }
}
