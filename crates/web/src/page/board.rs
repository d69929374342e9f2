//! The threads as pages show them, kept from one request to the next.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use skein_live::ThreadSnapshot;
use skein_model::view::{RowDetail, ThreadBody, ThreadView};

use super::card::version;
use super::which::Which;
use crate::markdown::{html_for, plain};
use skein_highlight::Language;

/// How many characters of a title are shown.
const TITLE: usize = 160;

/// All threads and drafts, and which of them are on a file.
pub(crate) struct ThreadIndex {
    pub(crate) threads: Arc<ThreadSnapshot>,
    /// The threads by file and line, then the drafts.
    pub(crate) notes: Vec<Arc<IndexedThread>>,
    files: BTreeMap<String, Vec<Arc<IndexedThread>>>,
}

/// A thread with what takes long to work out about it.
pub(crate) struct IndexedThread {
    view: Arc<ThreadView>,
    /// Another one as soon as the thread looks different.
    pub(crate) version: u64,
    /// Whether it is the turn of the reader, or of any reviewer.
    pub(super) waits_on_reader: bool,
    title: OnceLock<String>,
    gist: OnceLock<String>,
    said: OnceLock<Vec<String>>,
}

/// The last board; a thread that has not changed keeps its note on the next one.
#[derive(Default)]
pub(crate) struct ThreadIndexCache(Mutex<Option<Arc<ThreadIndex>>>);

impl ThreadIndexCache {
    /// Returns the board of some threads for the one reader that there is.
    pub(crate) fn for_reader(
        &self,
        threads: Arc<ThreadSnapshot>,
        reader: &str,
    ) -> Arc<ThreadIndex> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(board) = last.as_ref().filter(|board| Arc::ptr_eq(&board.threads, &threads)) {
            return board.clone();
        }
        let board = Arc::new(ThreadIndex::new(threads, last.as_deref(), reader));
        *last = Some(board.clone());
        board
    }
}

impl ThreadIndex {
    fn new(threads: Arc<ThreadSnapshot>, last: Option<&Self>, reader: &str) -> Self {
        let last = last.iter().flat_map(|board| &board.notes);
        let known: HashMap<*const ThreadView, &Arc<IndexedThread>> =
            last.map(|note| (Arc::as_ptr(&note.view), note)).collect();
        let note = |view: &Arc<ThreadView>| match known.get(&Arc::as_ptr(view)) {
            Some(note) => Arc::clone(note),
            None => Arc::new(IndexedThread::new(view.clone(), reader)),
        };
        let notes: Vec<Arc<IndexedThread>> =
            threads.views.iter().chain(&threads.drafts).map(note).collect();
        let mut files: BTreeMap<String, Vec<Arc<IndexedThread>>> = BTreeMap::new();
        for note in &notes {
            let Some(path) = note.path() else { continue };
            match files.get_mut(path) {
                Some(on) => on.push(note.clone()),
                None => drop(files.insert(path.to_owned(), vec![note.clone()])),
            }
        }
        Self { threads, notes, files }
    }

    /// Returns the threads on a file whose code has a place.
    pub(crate) fn on(&self, path: &str) -> &[Arc<IndexedThread>] {
        self.files.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the files that threads are on, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }

    /// Returns the thread or the draft with this id.
    pub(crate) fn get(&self, id: &str) -> Option<&IndexedThread> {
        self.notes.iter().find(|note| note.row.id == id).map(AsRef::as_ref)
    }
}

impl IndexedThread {
    fn new(view: Arc<ThreadView>, reader: &str) -> Self {
        let waits_on_reader =
            matches!(&view.row.detail, RowDetail::Review(detail) if detail.waits_on(reader));
        let (title, gist, said) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { version: version(&view), waits_on_reader, view, title, gist, said }
    }

    /// Returns what the thread is about, in a few words.
    pub(crate) fn title(&self) -> &str {
        self.title.get_or_init(|| plain(&self.row.title, TITLE))
    }

    /// Returns what a list shows of the thread: what it is about, or the answer where that waits for the reader.
    pub(crate) fn gist(&self) -> &str {
        self.gist.get_or_init(|| {
            let answer = match &self.body {
                ThreadBody::Review(body)
                    if Which::Reviewer.takes(self) && body.comments.len() > 1 =>
                {
                    body.comments.last().map(|last| plain(&last.body, TITLE))
                }
                _ => None,
            };
            answer.filter(|text| !text.is_empty()).unwrap_or_else(|| self.title().to_owned())
        })
    }

    /// Returns the comments as HTML.
    pub(crate) fn said(&self) -> &[String] {
        let language = || self.path().and_then(|path| Language::detect(path, ""));
        let said = || match &self.body {
            ThreadBody::Review(body) => {
                let language = language();
                body.comments.iter().map(|one| html_for(&one.body, language)).collect()
            }
            _ => Vec::new(),
        };
        self.said.get_or_init(said)
    }
}

impl Deref for IndexedThread {
    type Target = ThreadView;

    fn deref(&self) -> &ThreadView {
        &self.view
    }
}
