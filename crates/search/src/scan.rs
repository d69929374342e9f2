//! Reads threads and keeps those that match.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use skein_catalog::checkpoint_state::States;
use skein_model::view::ThreadRow;
use skein_model::{Filter, Progress};
use skein_query::{MatchCounts, Matcher};
use skein_store::{Chunk, ScanError, Visit, scan};
use skein_workspace::settings::Settings;

use super::cache::{CachedFile, CachedFolder, DirVersions, SearchCache, reasons};
use super::filter::{accepts, head_passes, needs_only_head};
use super::folder::{Folder, id};
use super::query::Query;
use super::thread::{Thread, ThreadHead};
use super::values::{TextField, values};

/// A thread that matches.
#[derive(Debug)]
pub(super) struct Match<'a> {
    pub(super) origin: MatchOrigin<'a>,
    /// The number of the folder or session map, in the order in which they are searched.
    pub(super) source: usize,
    /// The name of the file, or the id of the session.
    pub(super) name: String,
    pub(super) found: MatchCounts,
    /// When it was last changed, in milliseconds.
    pub(super) time: i64,
    /// The score; 0 until all threads were read.
    pub(super) score: f32,
}

/// The source of a thread.
#[derive(Debug)]
pub(super) enum MatchOrigin<'a> {
    File(&'a Folder),
    /// A file that cannot be read, and why.
    Unreadable(&'a Folder, String),
    Session(Option<&'a Path>, Box<ThreadRow>),
}

/// A query, prepared for matching many threads.
pub(super) struct ThreadMatcher<'a> {
    query: &'a Query,
    matcher: Matcher,
    /// Whether the filters need only the heads of threads.
    needs_only_head: bool,
}

impl<'a> ThreadMatcher<'a> {
    pub(super) fn new(query: &'a Query) -> Self {
        let mut filters = query.except.iter().chain([&query.filter]);
        let needs_only_head = filters.all(needs_only_head);
        Self { query, matcher: Matcher::new(&query.clauses), needs_only_head }
    }

    pub(super) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    /// Counts the matches in the texts of a thread; `None` if they do not match.
    pub(super) fn judge_texts(&self, values: &[TextField<'_>]) -> Option<MatchCounts> {
        self.matcher.judge(values.iter().map(TextField::text))
    }

    /// Counts the matches in a thread; `None` if its texts do not match or a filter excludes it.
    pub(super) fn judge(
        &self,
        thread: &Thread<'_>,
        settings: &Settings,
        states: &States,
    ) -> Option<MatchCounts> {
        self.is_accepted(thread, settings, states)
            .then(|| self.judge_texts(&values(thread)))
            .flatten()
    }

    /// Returns whether the thread in a file may match.
    fn may_match(&self, name: &str, bytes: &[u8]) -> bool {
        self.matcher.may_match(&[bytes, id(name).as_bytes()])
    }

    /// Returns whether the filters accept a thread; `None` if more than its head decides.
    fn judge_head(&self, head: ThreadHead<'_>, states: &States) -> Option<bool> {
        let Query { filter, except, .. } = self.query;
        let passes = |filter: &Filter| head_passes(filter, head, states);
        if filter.asks() && !passes(filter) {
            return Some(false);
        }
        self.needs_only_head.then(|| !except.iter().any(passes))
    }

    /// Returns whether the filters accept a thread.
    fn is_accepted(&self, thread: &Thread<'_>, settings: &Settings, states: &States) -> bool {
        let Query { filter, except, .. } = self.query;
        let accepts = |filter: &Filter| accepts(filter, thread, settings, states);
        (!filter.asks() || accepts(filter)) && !except.iter().any(accepts)
    }
}

/// The threads of a folder that match.
pub(super) struct FolderMatches<'a> {
    pub(super) matches: Vec<Match<'a>>,
    /// The number of threads in the folder.
    pub(super) threads: usize,
}

/// Where the content of files is read.
#[derive(Clone, Copy)]
pub(super) enum FileSource<'a> {
    Disk(&'a dyn Progress),
    Memory(&'a SearchCache, &'a DirVersions<'a>),
}

/// Reads every thread of a folder.
pub(super) fn scan_folder<'a>(
    folder: &'a Folder,
    source: usize,
    judge: &ThreadMatcher<'_>,
    files: FileSource<'_>,
) -> Result<FolderMatches<'a>, ScanError> {
    let found = match files {
        FileSource::Disk(progress) => scan_disk(folder, judge, progress)?,
        FileSource::Memory(cache, versions) => {
            match cache.folder(folder, versions(&folder.dir))? {
                Some(files) => scan_memory(folder, judge, &files),
                None => scan_disk(folder, judge, &())?,
            }
        }
    };
    let new = |origin, name, found, time| Match { origin, source, name, found, time, score: 0.0 };
    let found_in = |(name, found, time)| new(MatchOrigin::File(folder), name, found, time);
    let mut matches: Vec<_> = found.files.into_iter().map(found_in).collect();
    for (name, reason) in found.unreadable {
        let thread = folder.unknown(&name);
        if let Some(found) = judge.judge(&thread, &folder.workspace.settings, &folder.states) {
            let time = thread.time();
            matches.push(new(MatchOrigin::Unreadable(folder, reason), name, found, time));
        }
    }
    Ok(FolderMatches { matches, threads: found.threads })
}

/// The name of a file that matches, the matches, and when the thread was last changed.
type FoundFile = (String, MatchCounts, i64);

/// The files of a folder that match.
struct FoundFiles {
    files: Vec<FoundFile>,
    /// The names of files that cannot be read, and why.
    unreadable: Vec<(String, String)>,
    /// The number of all files.
    threads: usize,
}

fn scan_disk(
    folder: &Folder,
    judge: &ThreadMatcher<'_>,
    progress: &dyn Progress,
) -> Result<FoundFiles, ScanError> {
    let (settings, states) = (&folder.workspace.settings, &folder.states);
    let (done, is_shown) = (AtomicUsize::new(0), progress.is_shown());
    let visit = |name: &str, chunk: Chunk<'_>| {
        if !chunk.whole {
            return Visit::More;
        }
        if is_shown {
            progress.step(done.fetch_add(1, Ordering::Relaxed), 0);
        }
        if !judge.may_match(name, chunk.bytes) {
            let whole = folder.looks_whole(chunk.bytes);
            return if whole { Visit::Done(None) } else { Visit::Broken(None) };
        }
        let thread = folder.thread(name, chunk.bytes);
        let found = judge.judge(&thread, settings, states).filter(|_| !folder.hides(name));
        // Most files do not match; a box keeps the results small.
        let found = found.map(|found| Box::new((name.to_owned(), found, thread.time())));
        if thread.is_usable() { Visit::Done(found) } else { Visit::Broken(found) }
    };
    let scan = scan(&folder.dir, &folder.options(), &visit)?;
    let threads = scan.values.len() + scan.unreadable.len();
    let files = scan.values.into_iter().flatten().map(|found| *found).collect();
    Ok(FoundFiles { files, unreadable: reasons(scan.unreadable), threads })
}

fn scan_memory(folder: &Folder, judge: &ThreadMatcher<'_>, cached: &CachedFolder) -> FoundFiles {
    let (settings, states) = (&folder.workspace.settings, &folder.states);
    let visit = |file: &CachedFile| {
        if !file.has_texts() && !judge.may_match(&file.name, &file.bytes) {
            return None;
        }
        let parse = |bytes| folder.thread(&file.name, bytes);
        let thread = file.texts(parse);
        let found = judge.matcher.judge_prepared(&thread.texts)?;
        let head = thread.head(id(&file.name));
        let is_accepted = judge.judge_head(head, states);
        let is_accepted =
            is_accepted.unwrap_or_else(|| judge.is_accepted(&parse(&file.bytes), settings, states));
        if !is_accepted || folder.hides(&file.name) {
            return None;
        }
        Some((file.name.to_string(), found, head.time()))
    };
    let threads = cached.files.len() + cached.unreadable.len();
    FoundFiles { files: cached.filter_map(visit), unreadable: cached.unreadable.clone(), threads }
}
