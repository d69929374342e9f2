//! All review threads with their HTML and titles, cached between requests.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use skein_highlight::Language;
use skein_live::ThreadSnapshot;
use skein_model::Turn;
use skein_model::sanitize::escape_control;
use skein_model::view::ThreadView;

use crate::markdown::{html_for, plain};

/// The maximum number of characters of a title.
const MAX_TITLE_LEN: usize = 160;

/// All threads and drafts, and the threads on each file.
pub(crate) struct ThreadIndex {
    pub(crate) snapshot: Arc<ThreadSnapshot>,
    /// The threads by file and line, then the drafts.
    pub(crate) threads: Vec<Arc<IndexedThread>>,
    by_path: BTreeMap<String, Vec<Arc<IndexedThread>>>,
}

/// A thread with cached values that are expensive to compute.
pub(crate) struct IndexedThread {
    view: Arc<ThreadView>,
    /// Changes whenever the thread looks different.
    pub(crate) version: u64,
    /// Whether it waits on the reader, or on any reviewer.
    waits_on_reader: bool,
    title: OnceLock<String>,
    list_title: OnceLock<String>,
    comments: OnceLock<Vec<String>>,
}

/// The last index. A thread that has not changed is reused in the next one.
#[derive(Default)]
pub(crate) struct ThreadIndexCache(Mutex<Option<Arc<ThreadIndex>>>);

impl ThreadIndexCache {
    pub(crate) fn for_reader(
        &self,
        snapshot: Arc<ThreadSnapshot>,
        reader: &str,
    ) -> Arc<ThreadIndex> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = last.as_ref().filter(|last| Arc::ptr_eq(&last.snapshot, &snapshot)) {
            return index.clone();
        }
        let index = Arc::new(ThreadIndex::new(snapshot, last.as_deref(), reader));
        *last = Some(index.clone());
        index
    }
}

impl ThreadIndex {
    fn new(snapshot: Arc<ThreadSnapshot>, last: Option<&Self>, reader: &str) -> Self {
        let last = last.iter().flat_map(|last| &last.threads);
        let known: HashMap<*const ThreadView, &Arc<IndexedThread>> =
            last.map(|thread| (Arc::as_ptr(&thread.view), thread)).collect();
        let thread = |view: &Arc<ThreadView>| match known.get(&Arc::as_ptr(view)) {
            Some(thread) => Arc::clone(thread),
            None => Arc::new(IndexedThread::new(view.clone(), reader)),
        };
        let threads: Vec<Arc<IndexedThread>> =
            snapshot.views.iter().chain(&snapshot.drafts).map(thread).collect();
        let mut by_path: BTreeMap<String, Vec<Arc<IndexedThread>>> = BTreeMap::new();
        for thread in &threads {
            if let Some(path) = thread.path() {
                by_path.entry(path.to_owned()).or_default().push(thread.clone());
            }
        }
        Self { snapshot, threads, by_path }
    }

    /// Returns the threads whose code is in a file.
    pub(crate) fn on(&self, path: &str) -> &[Arc<IndexedThread>] {
        self.by_path.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the files with threads, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        self.by_path.keys()
    }

    /// Returns the thread or the draft with this id.
    pub(crate) fn get(&self, id: &str) -> Option<&IndexedThread> {
        self.threads.iter().find(|thread| thread.row.id == id).map(AsRef::as_ref)
    }

    pub(crate) fn count(&self, filter: ThreadFilter) -> usize {
        self.threads.iter().filter(|thread| filter.matches(thread)).count()
    }
}

/// Returns the first line of a comment as a title that cannot look like another one.
fn shown_title(text: &str) -> String {
    escape_control(&plain(text, MAX_TITLE_LEN)).into_owned()
}

impl IndexedThread {
    fn new(view: Arc<ThreadView>, reader: &str) -> Self {
        let waits_on_reader = view.row.review().is_some_and(|detail| detail.waits_on(reader));
        let (title, list_title, comments) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { version: version(&view), waits_on_reader, view, title, list_title, comments }
    }

    /// Returns the title as plain text.
    pub(crate) fn title(&self) -> &str {
        self.title.get_or_init(|| shown_title(&self.row.title))
    }

    /// Returns the text for a list: the title, or the last reply if it waits on the reader.
    pub(crate) fn list_title(&self) -> &str {
        self.list_title.get_or_init(|| {
            let waits = ThreadFilter::WaitingOnReader.matches(self);
            let body = self.review_body().filter(|body| waits && body.comments.len() > 1);
            let reply = body.and_then(|body| body.comments.last());
            let reply = reply.map(|reply| shown_title(&reply.body));
            reply.filter(|text| !text.is_empty()).unwrap_or_else(|| self.title().to_owned())
        })
    }

    /// Returns the comments as HTML.
    pub(crate) fn comments_html(&self) -> &[String] {
        self.comments.get_or_init(|| {
            let language = self.path().and_then(|path| Language::detect(path, ""));
            let comments = self.review_body().into_iter().flat_map(|body| &body.comments);
            comments.map(|one| html_for(&one.body, language)).collect()
        })
    }
}

impl Deref for IndexedThread {
    type Target = ThreadView;

    fn deref(&self) -> &ThreadView {
        &self.view
    }
}

/// A filter of threads, for lists and counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadFilter {
    Open,
    WaitingOnReader,
    /// Waiting on another person by name.
    WaitingOnOthers,
    WaitingOnAgent,
    Drafts,
    Resolved,
    All,
}

impl ThreadFilter {
    /// Returns whether a thread or a draft matches. Unusable ones never match.
    pub(crate) fn matches(self, thread: &IndexedThread) -> bool {
        let is = |status: &str| thread.row.status.as_deref() == Some(status);
        let waits_on = |whom: Turn| is("open") && thread.waiting_on() == Some(whom);
        thread.row.usable
            && match self {
                Self::Open => is("open"),
                Self::WaitingOnReader => waits_on(Turn::Reviewer) && thread.waits_on_reader,
                Self::WaitingOnOthers => waits_on(Turn::Reviewer) && !thread.waits_on_reader,
                Self::WaitingOnAgent => waits_on(Turn::Agent),
                Self::Drafts => is("draft"),
                Self::Resolved => is("resolved"),
                Self::All => true,
            }
    }
}

/// Hashes everything that a page shows of a thread.
fn version(view: &ThreadView) -> u64 {
    let mut hasher = DefaultHasher::new();
    let row = &view.row;
    (&row.id, &row.status, row.updated_at.map(|at| at.as_millis()), row.usable).hash(&mut hasher);
    row.diagnostics.len().hash(&mut hasher);
    if let Some(detail) = row.review() {
        (&detail.at, detail.waiting_on, detail.state, detail.resolved_by_agent).hash(&mut hasher);
        (&detail.waiting_on_name, detail.proposed_resolved).hash(&mut hasher);
        detail.other_branch().hash(&mut hasher);
        let claim = detail.claim.as_ref();
        claim.map(|claim| (claim.claimant(), claim.until.as_millis())).hash(&mut hasher);
    }
    if let Some(body) = view.review_body() {
        let place = body.placement.as_ref();
        place.map(|at| (&at.path, at.start_line, at.end_line, at.state)).hash(&mut hasher);
        for one in &body.comments {
            (&one.id, &one.author, one.agent, &one.body).hash(&mut hasher);
        }
        body.code.as_ref().map(|code| (code.start_line, &code.lines)).hash(&mut hasher);
        body.selection.hash(&mut hasher);
    }
    hasher.finish()
}
