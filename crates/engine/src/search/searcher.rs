//! Answers queries.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skein_index::{Index, IndexError, Matches, Scorer, Stats};
use skein_store::walk;

use super::facts::Around;
use super::folder::{Folder, folders, id};
use super::fresh::Fresh;
use super::heads::Heads;
use super::hit::{Hit, Hits, show};
use super::query::Query;
use super::rank::{Best, Place, Ranked, add, add_read};
use super::reviews;
use super::scan::{Judge, Scanned, scan_all, scan_odd, scan_some};
use super::sessions::{SessionFile, Shown};
use super::thread::Thread;
use super::worth::{WORTH_INDEX, WORTH_UPDATE};
use crate::discover::Workspace;
use crate::env::Env;
use crate::kind::Kind;
use crate::progress::Progress;
use crate::read::unlisted;
use crate::view::Diag;
use crate::work::States;

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
            if let Some(file) = workspace.sessions.file().map(Path::to_owned).filter(&mut is_new) {
                searcher.maps.push(SessionFile { file, workspace });
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
        let judge = Judge::new(query, self.states(env));
        let parts = self.parts(query, &judge, env, progress);
        let words = query.clauses.iter().filter(|clause| !clause.not).count();
        let scorer = Scorer::new(&stats(&parts, words));
        let wanted = page.offset.saturating_add(page.limit);
        let name = |ranked: &Ranked| self.name(ranked, &parts);
        let tie = |a: &Ranked, b: &Ranked| name(a).cmp(&name(b));
        let best = Best::new(wanted, &tie);
        let best = self.rank(best, &parts, &scorer, (&judge, env.clock.now().as_millis()));
        let mut hits = Hits {
            hits: Vec::new(),
            total: best.total,
            diagnostics: parts.iter().flat_map(|part| part.problems.clone()).collect(),
            lacking: self.lacking(&parts),
        };
        for found in best.into_list().into_iter().skip(page.offset) {
            match self.shown(found, &parts, &judge, page.width) {
                Some(hit) => hits.hits.push(hit),
                // It was changed or removed a moment ago.
                None => hits.total = hits.total.saturating_sub(1),
            }
        }
        hits
    }

    /// Reads what became of the checkpoints of each workspace, apart from their files.
    fn states(&self, env: &Env) -> Vec<(Arc<Workspace>, States)> {
        let mut all: Vec<(Arc<Workspace>, States)> = Vec::new();
        for folder in self.folders().filter(|folder| folder.kind() == Kind::Checkpoint) {
            let workspace = &folder.workspace;
            if !all.iter().any(|(known, _)| Arc::ptr_eq(known, workspace)) {
                let states = States::read(&workspace.checkpoints, env.clock.now());
                all.push((Arc::clone(workspace), states));
            }
        }
        all
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

    fn parts(
        &self,
        query: &Query,
        judge: &Judge<'_>,
        env: &Env,
        progress: &dyn Progress,
    ) -> Vec<Part<'_>> {
        let of_review_files = query.of_review_files();
        let shelves =
            self.shelves.iter().map(|shelf| match (shelf.folder.kind(), &of_review_files) {
                (kind, _) if !query.filter.wants(kind) => Part::nothing(),
                (Kind::Review, Some(decided)) => {
                    let mut part = shelf.scanned(&Judge::new(decided, Vec::new()), progress);
                    reviews::retain(&shelf.folder, env, query, &mut part.read);
                    part
                }
                _ => shelf.part(query, judge, progress),
            });
        let maps = self.maps.iter().map(|map| {
            let wanted = query.filter.wants(Kind::Session);
            let (shown, problems) = if wanted { map.matches(judge) } else { Default::default() };
            Part { looked_at: shown.len(), shown, problems, ..Part::nothing() }
        });
        shelves.chain(maps).collect()
    }

    /// Ranks what was found; what says that it was changed later than now is taken as changed now.
    fn rank<'a>(
        &self,
        mut best: Best<'a>,
        parts: &[Part<'_>],
        scorer: &Scorer,
        (judge, now): (&Judge<'_>, i64),
    ) -> Best<'a> {
        for (shelf, part) in parts.iter().enumerate() {
            let new = |score, time: i64, place| Ranked { score, time: time.min(now), shelf, place };
            let read = part.read.iter().map(|one| (&one.found, one.time));
            let read = read.chain(part.shown.iter().map(|one| (&one.found, one.time)));
            for (number, (found, time)) in read.enumerate() {
                let score = scorer.score(&found.counts, found.lengths);
                best.add(score, || new(score, time, Place::Read(number)));
            }
            let indexed = self.shelves.get(shelf).and_then(|shelf| shelf.meant(judge));
            let Some((mut is_meant, matches)) = indexed.zip(part.matches.as_ref()) else {
                continue;
            };
            let snapshot = matches.snapshot();
            for (slot, score) in matches.scored(scorer) {
                if is_meant(slot) {
                    best.add(score, || new(score, snapshot.time(slot), Place::Indexed(slot)));
                }
            }
        }
        best
    }

    /// Returns the name of a thread's file, or the id of a session.
    fn name<'a>(&'a self, found: &Ranked, parts: &'a [Part<'_>]) -> Cow<'a, str> {
        let Some(part) = parts.get(found.shelf) else { return Cow::default() };
        match found.place {
            Place::Indexed(slot) => {
                let indexed = self.shelves.get(found.shelf).and_then(|one| one.indexed.as_ref());
                indexed.map(|(index, _)| index.snapshot().name(slot)).unwrap_or_default().into()
            }
            Place::Read(number) => {
                let read = part.read.get(number).map(|one| one.name.as_str());
                let shown = part.shown.get(number).map(|one| one.view.row.id.as_str());
                read.or(shown).unwrap_or_default().into()
            }
        }
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
            let Place::Read(number) = found.place else { return None };
            let shown = part.shown.get(number)?;
            let view = shown.view.clone();
            let map = self.maps.get(found.shelf - self.shelves.len())?;
            return show(
                &Thread::session(&shown.view.row),
                view,
                map.root(),
                judge,
                (found.score, width),
            );
        };
        let folder = &shelf.folder;
        let unreadable = match found.place {
            Place::Indexed(_) => None,
            Place::Read(number) => part.read.get(number)?.unreadable.clone(),
        };
        let name = &*self.name(&found, parts);
        let read = unreadable.map(Err).or_else(|| folder.read(name))?;
        let root = match folder.kind() {
            Kind::Checkpoint => &folder.workspace.checkpoints.root,
            _ => &folder.workspace.reviews.root,
        };
        let (thread, mut view) = match &read {
            Ok(bytes) => (folder.thread(name, bytes), folder.view(name, bytes.clone())),
            Err(why) => (folder.unknown(name), folder.unreadable(name, why)),
        };
        if let Some(states) = judge.states(folder) {
            states.mark(&mut view.row);
        }
        show(&thread, view, Some(root), judge, (found.score, width))
    }
}

impl Shelf {
    /// Returns what tells which slots of the index are meant; none where there is no index.
    fn meant(&self, judge: &Judge<'_>) -> Option<impl FnMut(u32) -> bool> {
        let (index, fresh) = self.indexed.as_ref()?;
        let (folder, snapshot) = (&self.folder, index.snapshot());
        let (asks, asks_more, may_hide) = (judge.asks(), judge.asks_more(), folder.may_hide());
        let settings = &folder.workspace.settings;
        let states = judge.states(folder).filter(|_| asks);
        let mut heads = Heads::default();
        let numbers = if asks { snapshot.heads().unwrap_or_default() } else { &[] };
        let mut passes = move |slot: u32| {
            let Some(head) = numbers.get(slot as usize) else { return false };
            let facts = || snapshot.facts(slot);
            let passes = |around| {
                facts().is_ok_and(|facts| judge.passes(&facts, snapshot.time(slot), around))
            };
            // Threads with the same head may have other states, where the files do not say all.
            if let Some(states) = states {
                let name = snapshot.name(slot);
                if states.concerns(id(&name)) {
                    return passes(Around::new(folder, Some(states), &name));
                }
            }
            heads.passes(*head, || facts().is_ok_and(|facts| judge.head_passes(facts, settings)))
                && (!asks_more || passes(Around { settings, states: None }))
        };
        Some(move |slot: u32| {
            fresh.is_live(slot)
                && (!asks || passes(slot))
                && !(may_hide && folder.hides(&snapshot.name(slot)))
        })
    }

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
        self.scanned(judge, progress)
    }

    /// Reads all files.
    fn scanned(&self, judge: &Judge<'_>, progress: &dyn Progress) -> Part<'_> {
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
