//! A file on a page: its code, with the threads between the lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Html;
use skein_model::view::DiffFile;

use super::board::IndexedThread;
use super::card::{ThreadCard, Viewer};
use super::html_cache::{HtmlCache, Key};
use super::visit::ViewOptions;
use crate::code::{Chunk, DiffRows, Layout, Row, Shown, is_generated, rows};
use crate::error::WebError;
use crate::request::QueryParams;
use crate::site::AppState;
use skein_highlight::Language;

/// Files with more changed lines than this are shown when they are asked for.
const MAX_SHOWN_LINES: usize = 1_500;

/// Of files with more lines than this one is drawn at a time.
const LARGE_FILE: usize = 10_000;

/// A file with its threads.
#[derive(Template)]
#[template(path = "section.html")]
pub(crate) struct Section {
    pub(crate) anchor: String,
    pub(crate) path: String,
    pub(crate) href: String,
    pub(crate) old_path: Option<String>,
    pub(crate) status: &'static str,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) lines: usize,
    pub(crate) viewed: bool,
    pub(crate) content: String,
    pub(crate) can_comment: bool,
    pub(crate) read_only: bool,
    pub(crate) is_whole: bool,
    pub(crate) layout_class: &'static str,
    pub(crate) columns: u8,
    pub(crate) body: SectionBody,
    pub(crate) on_file: Vec<ThreadCard>,
    pub(crate) apart: Vec<ThreadCard>,
    pub(crate) version: u64,
    /// All of it as it was drawn before, so that nothing else needs to be drawn.
    pub(crate) drawn: Option<Arc<str>>,
}

/// What is shown of a file.
pub(crate) enum SectionBody {
    /// It comes when it is scrolled to.
    Waits,
    /// It comes when it is asked for, and why.
    Folded(&'static str),
    /// There is no text, and why.
    Said(&'static str),
    /// Its rows.
    Loaded(Vec<Chunk<ThreadCard>>),
}

impl SectionBody {
    fn is_loaded(&self) -> bool {
        !matches!(self, Self::Waits)
    }
}

/// What a section is made of.
pub(crate) struct Material<'a> {
    pub(crate) file: &'a DiffFile,
    /// What tells the changes of the file from others.
    pub(crate) mark: u64,
    /// The new side of the file.
    pub(crate) text: Option<&'a [String]>,
    /// A key of the file's content.
    pub(crate) content: &'a str,
    /// The threads whose code is in it.
    pub(crate) notes: &'a [Arc<IndexedThread>],
    pub(crate) viewed: bool,
    /// Whether the new side is the file as it is, so that threads have their place in it.
    pub(crate) is_worktree: bool,
    pub(crate) layout: Layout,
    pub(crate) viewer: Viewer<'a>,
}

/// How much of a section is wanted.
pub(crate) enum Wanted<'a> {
    /// Its heading.
    Head,
    /// What one sees without asking for more.
    Usual,
    /// Everything that can be shown, with these lines unfolded, counted from 0.
    All(&'a [Range<u32>]),
}

impl Section {
    /// Makes the section of a file.
    pub(crate) fn new(material: &Material<'_>, wanted: &Wanted<'_>) -> Self {
        let Material { file, layout, viewer, .. } = *material;
        let mut section = Self {
            anchor: anchor(&file.path),
            path: file.path.clone(),
            href: crate::encode::encode(&file.path),
            old_path: file.old_path.clone(),
            status: file.status,
            added: file.added,
            removed: file.removed,
            lines: file.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum(),
            viewed: material.viewed,
            content: material.content.to_owned(),
            can_comment: material.is_worktree
                && !viewer.read_only
                && file.status != "deleted"
                && !file.binary,
            read_only: viewer.read_only,
            is_whole: layout == Layout::Whole,
            layout_class: match layout {
                Layout::Unified => "unified",
                Layout::Split => "split",
                Layout::Whole => "whole",
            },
            columns: match layout {
                Layout::Split => 4,
                Layout::Unified => 3,
                Layout::Whole => 2,
            },
            body: SectionBody::Waits,
            on_file: Vec::new(),
            apart: Vec::new(),
            version: version(material),
            drawn: None,
        };
        section.body = match (wanted, section.reason(material)) {
            (Wanted::Head, _) => SectionBody::Waits,
            (Wanted::Usual, Some(why)) => {
                section.apart = cards(material);
                SectionBody::Folded(why)
            }
            (Wanted::Usual, None) => section.fill(material, &[]),
            (Wanted::All(open), _) => section.fill(material, open),
        };
        section
    }

    /// Makes the section of a file, and takes what was drawn before where nothing has changed.
    pub(crate) fn kept(
        material: &Material<'_>,
        wanted: &Wanted<'_>,
        drawn: &HtmlCache,
    ) -> Result<Self, WebError> {
        let all = match wanted {
            Wanted::Usual => false,
            Wanted::All([]) => true,
            Wanted::Head | Wanted::All(_) => return Ok(Self::new(material, wanted)),
        };
        let mut section = Self::new(material, &Wanted::Head);
        let (path, content) = (section.path.clone(), section.content.clone());
        let key = Key { path, content, version: section.version, all };
        let draw = || {
            let whole = Self::new(material, wanted).render();
            whole.map_err(|_| WebError::broken())
        };
        let is_large = material.text.is_some_and(|text| text.len() > LARGE_FILE);
        section.drawn = Some(drawn.get(key, is_large, draw)?);
        Ok(section)
    }

    /// Returns how many bytes of HTML it is known to have.
    pub(crate) fn size(&self) -> usize {
        self.drawn.as_ref().map_or(0, |html| html.len())
    }

    /// Returns the section as HTML.
    pub(crate) fn html(&self) -> Result<Cow<'_, str>, askama::Error> {
        match &self.drawn {
            Some(html) => Ok(Cow::Borrowed(html)),
            None => self.render().map(Cow::Owned),
        }
    }

    /// Returns why a file is shown only when it is asked for.
    fn reason(&self, material: &Material<'_>) -> Option<&'static str> {
        if is_generated(&self.path, material.text.unwrap_or_default()) {
            Some("This file was generated.")
        } else if self.added + self.removed > MAX_SHOWN_LINES {
            Some("This is a large change.")
        } else {
            None
        }
    }

    fn fill(&mut self, material: &Material<'_>, open: &[Range<u32>]) -> SectionBody {
        let file = material.file;
        let text = material.text.unwrap_or_default();
        let (mut at, marks) = self.sort(material);
        let whole = material.layout == Layout::Whole;
        let body = if file.binary {
            SectionBody::Said("It is binary, or too large to be shown.")
        } else if whole && text.is_empty() {
            SectionBody::Said("It is empty.")
        } else if file.hunks.is_empty() && !whole && file.status == "renamed" {
            SectionBody::Said("Only its name changed.")
        } else if file.hunks.is_empty() && !whole {
            SectionBody::Said("It is empty, or only its mode changed.")
        } else {
            let diffed =
                if whole { DiffRows::unchanged(text) } else { DiffRows::new(file, material.text) };
            let language = Language::detect(&file.path, text.first().map_or("", String::as_str));
            let shown = Shown { layout: material.layout, language, open, marks: &marks };
            SectionBody::Loaded(rows(&diffed, &shown, &mut at))
        };
        self.apart.extend(at.into_values().flatten());
        body
    }

    /// Sorts cards into those on the whole file, those at a line and those without a place.
    fn sort(
        &mut self,
        material: &Material<'_>,
    ) -> (BTreeMap<u32, Vec<ThreadCard>>, Vec<Range<u32>>) {
        let mut at: BTreeMap<u32, Vec<ThreadCard>> = BTreeMap::new();
        let mut marks = Vec::new();
        for card in cards(material) {
            match card.lines() {
                Some(lines) if card.is_placed() && material.is_worktree => {
                    at.entry(lines.end - 1).or_default().push(card);
                    marks.push(lines);
                }
                None if card.is_placed() => self.on_file.push(card),
                _ => self.apart.push(card),
            }
        }
        (at, marks)
    }
}

fn cards(material: &Material<'_>) -> Vec<ThreadCard> {
    material.notes.iter().map(|note| ThreadCard::new(note, material.viewer)).collect()
}

/// Sends the section of a file, whole.
pub(super) async fn fragment(
    State(site): State<Arc<AppState>>,
    request: Request,
) -> Result<Html<String>, WebError> {
    let (parts, _) = request.into_parts();
    let (visit, pairs) =
        (ViewOptions::from_request(&site, &parts), QueryParams::from_uri(&parts.uri));
    site.run(move |site| {
        let name = pairs.get("name").ok_or_else(|| WebError::missing_field("name"))?;
        let section = if pairs.get("whole").is_some() {
            super::file::section(site, name, &Wanted::All(&[]))?.0
        } else {
            super::review::section(site, &visit, &pairs, name)?
        };
        let _room = site.budget.reserve(section.size())?;
        section.html().map(|html| Html(html.into_owned())).map_err(|_| WebError::broken())
    })
    .await
}

/// Returns the name by which links find a file on the page.
pub(crate) fn anchor(path: &str) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("f-{:x}", hasher.finish())
}

/// Returns a number that is another one as soon as the section looks different.
fn version(material: &Material<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (material.mark, material.viewed).hash(&mut hasher);
    (material.is_worktree, material.viewer.read_only, material.layout as u8).hash(&mut hasher);
    if material.layout == Layout::Whole {
        // Of a changed file the changed places tell all: what is between them is as it was.
        material.content.hash(&mut hasher);
    }
    for note in material.notes {
        note.version.hash(&mut hasher);
    }
    hasher.finish()
}
