//! Where commented code is now.
//!
//! [`Placer`] feeds `skein-anchor` with texts: the file as it was, from git or from the thread itself, and as it is. It follows
//! renames and code that went to another file, and remembers what it found in the cache directory.

mod cache;
mod elsewhere;
mod memory;
mod old_text;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use skein_anchor::{Old, State};
use skein_format::review::{Range, ReviewDoc};
use skein_git::{CommitId, Objects, Repo};

use crate::discover::{Reviews, Workspace};
use crate::env::Env;
use crate::review::source::cut;
use crate::view::{Excerpt, Placement};
use cache::Key;
use old_text::OldText;

pub(crate) use memory::Memory;
pub(crate) use text::Text;

/// Files that were read; none for one that is missing, binary or too large.
pub(crate) type Sources = BTreeMap<String, Option<Rc<Text>>>;

/// Files of commits by their names, and how much text that is; many threads are about the same file.
type Blobs = (BTreeMap<(String, String), Option<Rc<[u8]>>>, usize);

/// So much text of files of commits is kept.
const MOST_BLOBS: usize = 32 * 1024 * 1024;

/// The places of changed files in their list, by the hash of a line that they have.
type Lines = HashMap<u64, Vec<usize>>;

/// Places threads; one placer for many threads reads each file once.
pub(crate) struct Placer<'a> {
    workspace: &'a Workspace,
    reviews: &'a Reviews,
    repo: Option<Repo>,
    prefix: String,
    sources: Sources,
    blobs: Blobs,
    /// In which changed files a line stands, by the commit that they differ from.
    lines: BTreeMap<String, Lines>,
    memory: Memory,
}

/// What the file that a thread names says of its code.
enum Home {
    /// Where it is.
    Here(Placement),
    /// It was this text, and is not in the file, which may be gone itself.
    Away { old: OldText, path: String, exists: bool },
}

impl<'a> Placer<'a> {
    /// Prepares to place threads of one store.
    pub(crate) fn new(workspace: &'a Workspace, reviews: &'a Reviews, env: &Env) -> Self {
        Self::resume(workspace, reviews, Memory::open(workspace, env))
    }

    /// Prepares to place threads of one store, with what another placer of the workspace learned.
    pub(crate) fn resume(workspace: &'a Workspace, reviews: &'a Reviews, memory: Memory) -> Self {
        let own = reviews.root == workspace.reviews.root;
        let repo = own.then(|| workspace.repo()).flatten();
        let prefix = workspace.prefix();
        let (sources, lines) = (Sources::new(), BTreeMap::new());
        let blobs = Blobs::default();
        Self { workspace, reviews, repo, prefix, sources, blobs, lines, memory }
    }

    /// Says where the code of a thread is now; none for a thread that cannot be used.
    pub(crate) fn place(&mut self, doc: &ReviewDoc) -> Option<Placement> {
        Some(match self.at_home(doc)? {
            Home::Here(placement) => placement,
            Home::Away { old, path, exists } => self.elsewhere(doc, &old, path, exists),
        })
    }

    /// Returns whether the code of a thread has left its file, so that all others would have to be looked through.
    pub(crate) fn is_away(&mut self, doc: &ReviewDoc) -> bool {
        matches!(self.at_home(doc), Some(Home::Away { .. }))
    }

    /// Looks for code in its own file.
    fn at_home(&mut self, doc: &ReviewDoc) -> Option<Home> {
        let head = doc.head();
        let path = head.path.as_ref().filter(|_| head.usable)?.to_string();
        let source = self.source(&path);
        let Some(range) = head.range else {
            return Some(Home::Here(self.whole_file(doc, path, source.is_some())));
        };
        if let Some(source) = &source {
            let known = self.commit(doc).is_some();
            if let Some(confidence) = stands(source, range, doc, known) {
                let lines = Some((range.start_line, range.end_line));
                return Some(Home::Here(placed(State::Exact, path, lines, confidence)));
            }
            let key = Key::of(doc, self.commit(doc).as_ref(), source);
            let known = self.memory.cache.get(&key);
            if let Some(known) = known.filter(|known| known.state != State::Gone) {
                let skein_anchor::Placement { state, lines, confidence } = known;
                return Some(Home::Here(placed(state, path, lines, confidence)));
            }
            let old = self.old_text(doc, &path, range);
            let found = known.unwrap_or_else(|| skein_anchor::place(&old.as_old(), &source.bytes));
            if found.state == State::Unverified {
                return Some(Home::Here(unverified(doc, path)));
            }
            if known.is_none() {
                self.memory.cache.put(key, found);
            }
            if found.state == State::Gone {
                return Some(Home::Away { old, path, exists: true });
            }
            return Some(Home::Here(placed(found.state, path, found.lines, found.confidence)));
        }
        // Something stands there that may not be looked into, or is no text.
        if self.reviews.root.join(&path).symlink_metadata().is_ok() {
            return Some(Home::Here(unverified(doc, path)));
        }
        let old = self.old_text(doc, &path, range);
        Some(Home::Away { old, path, exists: false })
    }

    /// Keeps what was found for the next time; a cache that cannot be written is no loss.
    pub(crate) fn finish(mut self) {
        self.memory.save();
    }

    /// Returns what was learned, for the next placer, and the files that were read.
    pub(crate) fn rest(self) -> (Memory, Sources) {
        (self.memory, self.sources)
    }

    /// Returns a file of the workspace as it is; none where it is missing, binary or too large.
    pub(crate) fn source(&mut self, path: &str) -> Option<Rc<Text>> {
        if let Some(known) = self.sources.get(path) {
            return known.clone();
        }
        let read = Text::read(self.reviews, path).map(Rc::new);
        self.sources.insert(path.to_owned(), read.clone());
        read
    }

    /// Returns the code at a place, with some lines around it.
    pub(crate) fn code(&mut self, placement: &Placement) -> Option<Excerpt> {
        const AROUND: u32 = 3;
        let (start, end) = (placement.start_line?, placement.end_line?);
        let source = self.source(&placement.path)?;
        let from = start.saturating_sub(AROUND);
        let count = (end - from + 1 + AROUND) as usize;
        let lines = source.lines.iter().skip(from as usize).take(count).cloned().collect();
        Some(Excerpt { path: placement.path.clone(), start_line: from, lines })
    }

    fn whole_file(&mut self, doc: &ReviewDoc, path: String, exists: bool) -> Placement {
        if exists || self.workspace_has(&path) {
            return placed(State::Exact, path, None, 1.0);
        }
        match self.renamed(doc, &path) {
            Some(path) => placed(State::Moved, path, None, 0.9),
            None if self.reviews.root.join(&path).symlink_metadata().is_ok() => {
                unverified(doc, path)
            }
            None => placed(State::Gone, path, None, 0.9),
        }
    }

    fn workspace_has(&self, path: &str) -> bool {
        skein_store::open_inside(&self.reviews.root, path).is_ok()
    }

    fn old_text(&mut self, doc: &ReviewDoc, path: &str, range: Range) -> OldText {
        let blob = self.blob_then(doc, path);
        OldText::find(doc, range, blob.as_deref().unwrap_or_default())
    }

    /// Reads the file at the commit that the thread names.
    fn blob_then(&mut self, doc: &ReviewDoc, path: &str) -> Option<Rc<[u8]>> {
        let commit = self.commit(doc)?;
        let whole = format!("{}{path}", self.prefix);
        self.blob(&commit, &whole)
    }

    /// Reads a file of a commit, by its path from the top of the repository.
    fn blob(&mut self, commit: &CommitId, path: &str) -> Option<Rc<[u8]>> {
        let key = (commit.to_string(), path.to_owned());
        if let Some(known) = self.blobs.0.get(&key) {
            return known.clone();
        }
        let found: Option<Rc<[u8]>> = self.read_blob(commit, path).map(Into::into);
        let size = found.as_ref().map_or(0, |blob| blob.len());
        if self.blobs.1 + size > MOST_BLOBS {
            self.blobs = Blobs::default();
        }
        self.blobs.1 += size;
        self.blobs.0.insert(key, found.clone());
        found
    }

    fn read_blob(&mut self, commit: &CommitId, path: &str) -> Option<Vec<u8>> {
        let repo = self.repo.as_ref()?;
        if self.memory.objects.is_none() {
            self.memory.objects = Objects::start(repo).ok();
        }
        match self.memory.objects.as_mut()?.blob(commit, path) {
            Ok(blob) => blob,
            Err(_) => {
                self.memory.objects = None;
                None
            }
        }
    }

    /// Resolves the commit that the thread names.
    fn commit(&mut self, doc: &ReviewDoc) -> Option<CommitId> {
        let name = doc.head().git.base_ref.as_ref()?;
        if let Some(known) = self.memory.commits.get(name) {
            return known.clone();
        }
        let full = CommitId::parse(name);
        let found = full.or_else(|| self.repo.as_ref()?.resolve(name).ok().flatten());
        self.memory.commits.insert(name.clone(), found.clone());
        found
    }
}

fn placed(state: State, path: String, lines: Option<(u32, u32)>, confidence: f32) -> Placement {
    Placement {
        state: state.as_str(),
        path,
        start_line: lines.map(|(start, _)| start),
        end_line: lines.map(|(_, end)| end),
        confidence,
    }
}

/// Names the place that the thread names, for want of anything to check it against.
fn unverified(doc: &ReviewDoc, path: String) -> Placement {
    let lines = doc.head().range.map(|range| (range.start_line, range.end_line));
    placed(State::Unverified, path, lines, 0.0)
}

/// Returns how sure it is that the commented text stands in its place, with all that the thread knows around it.
///
/// The start of a line may be all that was commented on, or a whole line that was changed behind it: where the commit
/// is known, its text tells.
fn stands(source: &Text, range: Range, doc: &ReviewDoc, known: bool) -> Option<f32> {
    let context = doc.context()?;
    let lines = &source.lines;
    let (start, end) = (range.start_line as usize, range.end_line as usize);
    let there = lines.get(start..=end.max(start))?;
    let whole = there.join("\n") == context.selection;
    let part = cut(there, range) == context.selection && (range.start_character > 0 || !known);
    let before = start.checked_sub(context.before.len()).and_then(|from| lines.get(from..start))?;
    let after = lines.get(end + 1..).unwrap_or_default();
    let around = before == context.before && after.starts_with(&context.after);
    // A thread that keeps nothing around its text may stand on a copy of it.
    let alone = context.before.is_empty() && context.after.is_empty() && lines.len() > there.len();
    let sure = !alone && (whole || range.start_character > 0);
    ((whole || part) && around).then_some(if sure { 1.0 } else { 0.7 })
}

impl OldText {
    fn as_old(&self) -> Old<'_> {
        match self {
            Self::Whole { text, start, end } => Old::Whole { text, start: *start, end: *end },
            Self::Excerpt { before, selection, after, start } => {
                Old::Excerpt { before, selection, after, start: *start }
            }
        }
    }
}
