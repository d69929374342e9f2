//! Runs queries.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skein_catalog::rows::unlisted;
use skein_format::time::Time;
use skein_model::view::{ThreadBody, ThreadRow, ThreadView};
use skein_model::{Kind, Progress};
use skein_query::Scorer;
use skein_workspace::{Workspace, discover_in, registry};

use super::cache::{DirVersions, SearchCache};
use super::folder::{Folder, draft_folders, folders};
use super::hit::{Hits, SearchHit, show};
use super::query::Query;
use super::rank::{best, stats};
use super::reviews;
use super::scan::{FileSource, Match, MatchOrigin, ThreadMatcher, scan_folder};
use super::sessions::SessionFile;
use super::shared_threads;
use super::thread::Thread;

/// Where to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchScope {
    /// In one workspace.
    Here,
    /// In all workspaces known on this machine.
    Everywhere,
}

/// The folders and session maps that are searched.
#[derive(Debug)]
pub struct Searcher {
    workspaces: Vec<Arc<Workspace>>,
    folders: Vec<Folder>,
    maps: Vec<SessionFile>,
    /// The time by which threads are ranked.
    now: Time,
}

/// Which of the hits to return.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The number of hits to skip.
    pub offset: usize,
    /// The maximum number of hits.
    pub limit: usize,
    /// The maximum length of a snippet, in characters.
    pub width: usize,
}

impl Searcher {
    /// Lists the folders of a workspace, or of all known workspaces.
    pub fn new(workspace: Workspace, reach: SearchScope, all_worktrees: bool) -> Self {
        let (env, now) = (workspace.env.clone(), workspace.env.clock.now());
        let mut workspaces = vec![workspace];
        if reach == SearchScope::Everywhere {
            let roots = registry::roots(&env);
            workspaces.extend(roots.iter().map(|root| discover_in(&env, root)));
        }
        let mut searcher =
            Self { workspaces: Vec::new(), folders: Vec::new(), maps: Vec::new(), now };
        // A folder that belongs to several workspaces is searched once.
        let mut seen: Vec<PathBuf> = Vec::new();
        let mut is_new = |path: &PathBuf| {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            let new = !seen.contains(&real);
            seen.extend(new.then_some(real));
            new
        };
        for workspace in workspaces {
            let workspace = Arc::new(workspace);
            let new = folders(&workspace, all_worktrees).into_iter();
            searcher.folders.extend(new.filter(|folder| is_new(&folder.dir)));
            if let Some(file) = workspace.sessions.file().map(Path::to_owned).filter(&mut is_new) {
                searcher.maps.push(SessionFile { file, workspace: Arc::clone(&workspace) });
            }
            searcher.workspaces.push(workspace);
        }
        searcher
    }

    /// Adds the drafts of the user; an agent gets none.
    #[must_use]
    pub fn with_drafts(mut self, all_worktrees: bool) -> Self {
        for workspace in &self.workspaces {
            for folder in draft_folders(workspace, all_worktrees) {
                if !self.folders.iter().any(|other| other.dir == folder.dir) {
                    self.folders.push(folder);
                }
            }
        }
        self
    }

    /// Runs a query and reports progress.
    pub fn query(&self, query: &Query, page: Page, progress: &dyn Progress) -> Hits {
        self.answer(query, page, FileSource::Disk(progress))
    }

    /// Runs a query on files in memory. A folder whose version is known and has not changed since the
    /// last query is not read.
    pub fn query_cached(
        &self,
        query: &Query,
        page: Page,
        cache: &SearchCache,
        versions: &DirVersions<'_>,
    ) -> Hits {
        self.answer(query, page, FileSource::Memory(cache, versions))
    }

    fn answer(&self, query: &Query, page: Page, files: FileSource<'_>) -> Hits {
        let judge = ThreadMatcher::new(query);
        let query_of_files = query.of_review_files();
        let of_review_files = query_of_files.as_ref().map(ThreadMatcher::new);
        let mut hits = Hits::default();
        let mut matches = Vec::new();
        let mut threads = 0;
        let wanted = self.folders.iter().filter(|folder| query.filter.wants(folder.kind()));
        for (source, folder) in wanted.enumerate() {
            let (judge, is_partial) = match &of_review_files {
                Some(of_review_files) if folder.kind() == Kind::Review => (of_review_files, true),
                _ => (&judge, false),
            };
            match scan_folder(folder, source, judge, files) {
                Ok(mut found) => {
                    if is_partial {
                        reviews::retain(folder, query, &mut found.matches);
                    }
                    threads += found.threads;
                    matches.extend(found.matches);
                }
                Err(error) => hits.diagnostics.push(unlisted(&error)),
            }
        }
        shared_threads::keep_one_of_each(&mut matches);
        let maps = self.maps.iter().filter(|_| query.filter.wants(Kind::Session));
        for (source, map) in (self.folders.len()..).zip(maps) {
            let (sessions, problems) = map.matches(source, &judge);
            threads += sessions.len();
            matches.extend(sessions);
            hits.diagnostics.extend(problems);
        }
        hits.total = matches.len();
        let clauses = query.clauses.iter().filter(|clause| !clause.not).count();
        let scorer = Scorer::new(&stats(&matches, threads, clauses));
        let shown = page.offset.saturating_add(page.limit);
        let best = best(matches, &scorer, shown, self.now.as_millis());
        for found in best.iter().skip(page.offset) {
            match read_again(found, &judge, page.width) {
                Some(hit) => hits.hits.push(hit),
                // It was changed or removed since the scan.
                None => hits.total = hits.total.saturating_sub(1),
            }
        }
        hits
    }
}

/// Returns the hit of a match; `None` if the thread no longer matches.
fn read_again(found: &Match<'_>, judge: &ThreadMatcher<'_>, width: usize) -> Option<SearchHit> {
    let how = (found.score, width);
    let name = found.name.as_str();
    let (folder, read) = match &found.origin {
        MatchOrigin::File(folder) => (folder, folder.read(name)?),
        MatchOrigin::Unreadable(folder, reason) => (folder, Err(reason.clone())),
        MatchOrigin::Session(root, row) => {
            let view = ThreadView { row: ThreadRow::clone(row), body: ThreadBody::Session {} };
            return show(&Thread::session(row), view, *root, judge, how);
        }
    };
    let root = match folder.kind() {
        Kind::Checkpoint => &folder.workspace.checkpoints.root,
        _ => &folder.workspace.reviews.root,
    };
    let (thread, view) = match &read {
        Ok(bytes) => (folder.thread(name, bytes), folder.view(name, bytes.clone())),
        Err(reason) => (folder.unknown(name), folder.unreadable(name, reason)),
    };
    show(&thread, view, Some(root), judge, how)
}
