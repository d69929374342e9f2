//! Answers queries.

use std::path::PathBuf;
use std::sync::Arc;

use skein_index::{Index, IndexError, Matches, Stats};
use skein_store::walk;

use super::folder::{Folder, folders};
use super::fresh::Fresh;
use super::hit::{Hit, Hits, show};
use super::query::Query;
use super::rank::{Ranked, Thread, add, add_read, best, score_of};
use super::scan::{Judge, Scanned, scan_all, scan_odd, scan_some};
use super::sessions::{SessionFile, Shown};
use super::worth::{WORTH_INDEX, WORTH_UPDATE};
use crate::discover::Workspace;
use crate::env::Env;
use crate::kind::Kind;
use crate::progress::Progress;
use crate::read::unlisted;
use crate::view::Diag;

/// Knows where threads are kept, and answers what is asked of them.
#[derive(Debug)]
pub struct Searcher {
    shelves: Vec<Shelf>,
    maps: Vec<SessionFile>,
}

/// Which of the hits are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// How many of the best ones to pass over.
    pub offset: usize,
    /// How many to show at most.
    pub limit: usize,
    /// How many characters of the text around a match to show.
    pub width: usize,
}

/// A folder, and what of it is indexed.
#[derive(Debug)]
struct Shelf {
    folder: Folder,
    indexed: Option<(Index, Fresh)>,
}

/// What was found in one place.
struct Part<'a> {
    matches: Option<Matches<'a>>,
    read: Vec<Scanned>,
    shown: Vec<Shown>,
    /// How many threads were looked at one by one.
    looked_at: usize,
    /// Whether an index would have spared much of that.
    lacks_index: bool,
    /// What kept the place from being searched.
    problems: Vec<Diag>,
}

impl Searcher {
    /// Takes the places of some workspaces; a place that belongs to several is searched once.
    pub fn new(workspaces: Vec<Workspace>, env: &Env, all_worktrees: bool) -> Self {
        let mut searcher = Self { shelves: Vec::new(), maps: Vec::new() };
        let mut seen: Vec<PathBuf> = Vec::new();
        let mut is_new = |path: &PathBuf| {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            let new = !seen.contains(&real);
            seen.extend(new.then_some(real));
            new
        };
        for workspace in workspaces {
            let workspace = Arc::new(workspace);
            let new = folders(&workspace, env, all_worktrees);
            let new = new.into_iter().filter(|folder| is_new(&folder.dir));
            searcher.shelves.extend(new.map(|folder| Shelf { folder, indexed: None }));
            if let Some(file) = workspace.sessions.file.as_ref().filter(|file| is_new(file)) {
                searcher.maps.push(SessionFile { file: file.clone(), workspace });
            }
        }
        searcher
    }

    /// Opens what is indexed, and finds out what of it is still true.
    ///
    /// Without this all files are read.
    pub fn refresh(&mut self) {
        for shelf in &mut self.shelves {
            let index = Index::open(&shelf.folder.cache).ok().flatten();
            shelf.indexed = index.and_then(|index| {
                let walk = walk(&shelf.folder.dir, &shelf.folder.options()).ok()?;
                let fresh = Fresh::of(&walk, index.snapshot());
                Some((index, fresh))
            });
        }
    }

    /// Answers a query.
    pub fn query(&self, query: &Query, page: Page, env: &Env, progress: &dyn Progress) -> Hits {
        let judge = Judge::new(query);
        let parts = self.parts(query, &judge, progress);
        let words = query.clauses.iter().filter(|clause| !clause.not).count();
        let stats = stats(&parts, words);
        let ranked = self.ranked(&parts, &stats, &judge, env.clock.now().as_millis());
        let mut hits = Hits {
            hits: Vec::new(),
            total: ranked.len(),
            diagnostics: parts.iter().flat_map(|part| part.problems.clone()).collect(),
            lacking: self.lacking(&parts),
        };
        let wanted = page.offset.saturating_add(page.limit);
        for found in best(ranked, wanted).into_iter().skip(page.offset) {
            match self.shown(found, &parts, &judge, page.width) {
                Some(hit) => hits.hits.push(hit),
                // It was changed or removed a moment ago.
                None => hits.total = hits.total.saturating_sub(1),
            }
        }
        hits
    }

    /// Gives the directories that are searched.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.shelves.iter().map(|shelf| &shelf.folder)
    }

    /// Returns where the indexes belong that would have spared much reading.
    fn lacking(&self, parts: &[Part<'_>]) -> Vec<PathBuf> {
        let lacking = self.shelves.iter().zip(parts).filter(|(_, part)| part.lacks_index);
        lacking.map(|(shelf, _)| shelf.folder.cache.clone()).collect()
    }

    fn parts(&self, query: &Query, judge: &Judge<'_>, progress: &dyn Progress) -> Vec<Part<'_>> {
        let shelves = self.shelves.iter().map(|shelf| {
            if query.filter.wants(shelf.folder.kind()) {
                shelf.part(query, judge, progress)
            } else {
                Part::nothing()
            }
        });
        let maps = self.maps.iter().map(|map| {
            let wanted = query.filter.wants(Kind::Session);
            let (shown, problems) = if wanted { map.matches(judge) } else { Default::default() };
            Part { looked_at: shown.len(), shown, problems, ..Part::nothing() }
        });
        shelves.chain(maps).collect()
    }

    fn ranked(
        &self,
        parts: &[Part<'_>],
        stats: &Stats,
        judge: &Judge<'_>,
        now: i64,
    ) -> Vec<Ranked> {
        let mut all = Vec::new();
        for (shelf, part) in parts.iter().enumerate() {
            let new =
                |score, time: i64, thread| Ranked { score, time: time.min(now), shelf, thread };
            let read = part.read.iter().map(|one| (&one.found, one.time));
            let read = read.chain(part.shown.iter().map(|one| (&one.found, one.time)));
            all.extend(read.enumerate().map(|(number, (found, time))| {
                new(score_of(found, stats), time, Thread::Read(number))
            }));
            let indexed = self.shelves.get(shelf).and_then(|shelf| {
                Some((&shelf.folder, shelf.indexed.as_ref()?, part.matches.as_ref()?))
            });
            let Some((folder, (index, fresh), matches)) = indexed else { continue };
            let snapshot = index.snapshot();
            let settings = &folder.workspace.settings;
            let passes = |slot: u32| {
                let time = snapshot.time(slot);
                snapshot.facts(slot).is_ok_and(|facts| judge.passes(facts, time, settings))
            };
            let is_meant = |slot: u32| {
                fresh.is_live(slot)
                    && (!judge.asks() || passes(slot))
                    && !folder.hides(snapshot.name(slot))
            };
            for (slot, score) in matches.scored(stats) {
                if is_meant(slot) {
                    all.push(new(score, snapshot.time(slot), Thread::Indexed(slot)));
                }
            }
        }
        all
    }

    fn shown(
        &self,
        found: Ranked,
        parts: &[Part<'_>],
        judge: &Judge<'_>,
        width: usize,
    ) -> Option<Hit> {
        let part = parts.get(found.shelf)?;
        let Some(shelf) = self.shelves.get(found.shelf) else {
            let Thread::Read(number) = found.thread else { return None };
            let shown = part.shown.get(number)?;
            return show(&shown.read, &[], None, judge, (found.score, width));
        };
        let (read, bytes) = match found.thread {
            Thread::Indexed(slot) => {
                shelf.folder.read(shelf.indexed.as_ref()?.0.snapshot().name(slot))?
            }
            Thread::Read(number) => match part.read.get(number)? {
                Scanned { name, unreadable: Some(why), .. } => {
                    (shelf.folder.unreadable(name, why), Vec::new())
                }
                Scanned { name, .. } => shelf.folder.read(name)?,
            },
        };
        let root = match shelf.folder.kind() {
            Kind::Checkpoint => &shelf.folder.workspace.checkpoints.root,
            _ => &shelf.folder.workspace.reviews.root,
        };
        show(&read, &bytes, Some(root), judge, (found.score, width))
    }
}

impl Shelf {
    fn part(&self, query: &Query, judge: &Judge<'_>, progress: &dyn Progress) -> Part<'_> {
        if let Some((index, fresh)) = &self.indexed
            && let Some(matches) = self.find(index, query, judge)
        {
            let mut read = scan_some(&self.folder, &fresh.unindexed, judge);
            read.extend(scan_odd(&self.folder, &fresh.odd, judge));
            let looked_at = fresh.unindexed.len();
            let lacks_index = looked_at > WORTH_UPDATE;
            return Part {
                matches: Some(matches),
                read,
                looked_at,
                lacks_index,
                ..Part::nothing()
            };
        }
        match scan_all(&self.folder, judge, progress) {
            Ok(scan) => Part {
                read: scan.matches,
                looked_at: scan.threads,
                lacks_index: scan.threads >= WORTH_INDEX,
                ..Part::nothing()
            },
            Err(error) => Part { problems: vec![unlisted(&error)], ..Part::nothing() },
        }
    }

    /// Asks the index; none where it does not answer.
    fn find<'a>(&self, index: &'a Index, query: &Query, judge: &Judge<'_>) -> Option<Matches<'a>> {
        let snapshot = index.snapshot();
        let facts = match judge.asks() && !snapshot.is_empty() {
            true => snapshot.facts(0).map(drop),
            false => Ok(()),
        };
        let found = facts.and_then(|()| index.find(&query.clauses));
        if found.as_ref().is_err_and(IndexError::is_damage) {
            Index::discard(&self.folder.cache);
        }
        found.ok()
    }
}

impl Part<'_> {
    fn nothing() -> Self {
        Self {
            matches: None,
            read: Vec::new(),
            shown: Vec::new(),
            looked_at: 0,
            lacks_index: false,
            problems: Vec::new(),
        }
    }
}

fn stats(parts: &[Part<'_>], words: usize) -> Stats {
    let mut stats = Stats { docs: 0, lengths: [0; 3], frequencies: vec![0; words] };
    for part in parts {
        let found = part.read.iter().map(|one| &one.found);
        add_read(&mut stats, part.looked_at, found.chain(part.shown.iter().map(|one| &one.found)));
        if let Some(matches) = &part.matches {
            add(&mut stats, matches.docs(), matches.lengths(), matches.frequencies());
        }
    }
    stats
}
