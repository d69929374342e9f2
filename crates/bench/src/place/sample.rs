//! Draws cases from a history.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use super::case::{Case, Class, File, Kind, Truth};
use super::history::{Chain, History, Text, Twins};
use super::method::lines;
use super::patch::{Change, Hunk, Step};
use super::truth::{Fate, Spot, follow, is_poor};
use crate::Outcome;
use crate::corpus::random::Random;

/// How many commits lie between the two ends.
pub(crate) const DISTANCES: [usize; 3] = [5, 20, 60];

/// How many commits lie behind a patch that was put on another base.
const AFTER_REBASE: [usize; 3] = [0, 5, 20];

/// How many files of one pair of commits are asked about.
const FILES: usize = 6;

/// How many lines of a file are followed to find one that was moved.
const EXTRA: usize = 10;

/// The cases of one repository.
pub(crate) struct Sample {
    pub(crate) cases: Vec<Case>,
    /// How many were left out because the truth is not clear.
    pub(crate) unclear: usize,
}

/// Draws about as many cases as wanted.
pub(crate) fn draw(dir: &Path, wanted: usize, seed: u64) -> Outcome<Sample> {
    let mut drawer = Drawer {
        history: History::open(dir)?,
        random: Random::seeded(seed, 0),
        asked: BTreeSet::new(),
        sample: Sample { cases: Vec::new(), unclear: 0 },
    };
    let twins = drawer.history.twins()?;
    for round in 0..wanted {
        if drawer.sample.cases.iter().filter(|case| !case.is_extra).count() >= wanted {
            break;
        }
        drawer.pair(DISTANCES.get(round % 3).copied().unwrap_or(5))?;
        // A rebased patch gives fewer cases than a pair of commits.
        for _ in 0..2 {
            drawer.rebased(&twins, AFTER_REBASE.get(round % 3).copied().unwrap_or(0))?;
        }
    }
    Ok(drawer.sample)
}

struct Drawer {
    history: History,
    random: Random,
    /// What was asked, so that nothing counts twice: the two commits, the path, and the first and the
    /// last line.
    asked: BTreeSet<(String, String, String, usize, usize)>,
    sample: Sample,
}

/// Two commits, what lies between them, and what differs.
struct Pair {
    ends: (String, String),
    distance: usize,
    steps: Rc<Vec<(String, Step)>>,
    /// The commits in between; none where one end is no ancestor of the other.
    chain: Option<Rc<Chain>>,
    others: Rc<Vec<File>>,
}

impl Drawer {
    /// Asks about files that differ between a commit and a later one.
    fn pair(&mut self, distance: usize) -> Outcome<()> {
        let Some(last) = self.history.commits.len().checked_sub(distance + 1) else {
            return Ok(());
        };
        let first = self.number(last + 1);
        let commit = |index: usize| self.history.commits.get(index).cloned().unwrap_or_default();
        let ends = (commit(first), commit(first + distance));
        let difference = self.history.difference(&ends.0, &ends.1)?;
        let steps = Rc::new(self.history.steps(&ends.0, &ends.1)?);
        let chain = Some(Rc::new(self.history.chain(&ends.0, &steps)));
        let others = Rc::new(self.files(&difference, &ends)?);
        let pair = Pair { ends, distance, steps, chain, others };
        let mut changes: Vec<&Change> = difference.iter().collect();
        for _ in 0..FILES {
            if changes.is_empty() {
                break;
            }
            let change = changes.swap_remove(self.number(changes.len()));
            self.file(&pair, change)?;
        }
        Ok(())
    }

    /// Asks about lines of one file.
    fn file(&mut self, pair: &Pair, change: &Change) -> Outcome<()> {
        let Some(path) = &change.old_path else { return Ok(()) };
        let Some(old) = self.history.text(&pair.ends.0, path)? else { return Ok(()) };
        if change.is_binary || old.is_empty() {
            return Ok(());
        }
        let new = match &change.new_path {
            Some(path) => self.history.text(&pair.ends.1, path)?.map(|text| (path.clone(), text)),
            None => None,
        };
        let count = lines(&old).len();
        let mut asked = vec![(self.number(count), 1)];
        asked.extend(self.near(&change.hunks, count).map(|line| (line, 1)));
        for _ in 0..2 {
            asked.extend(self.inside(&change.hunks).map(|line| (line, 1)));
        }
        asked.extend(self.inside(&change.hunks).map(|line| (line, 3)));
        asked.extend(self.near(&change.hunks, count).map(|line| (line, 3)));
        for (line, length) in asked {
            let first = line.saturating_sub(length / 2);
            let range = (first, (first + length - 1).min(count - 1));
            let start = |line| Fate::At(Spot::new(path, line));
            self.ask(pair, (path, &old), new.clone(), (range, None), &start);
        }
        for _ in 0..EXTRA {
            let Some(line) = self.inside(&change.hunks) else { break };
            let start = |line| Fate::At(Spot::new(path, line));
            let asked = ((line, line), Some(Kind::Extra));
            self.ask(pair, (path, &old), new.clone(), asked, &start);
        }
        Ok(())
    }

    /// Adds a case; `start` is where each line is before the first step.
    fn ask(
        &mut self,
        pair: &Pair,
        (path, old): (&str, &Text),
        new: Option<(String, Text)>,
        (range, kind): ((usize, usize), Option<Kind>),
        start: &dyn Fn(usize) -> Fate,
    ) {
        let (from, to) = pair.ends.clone();
        if !self.asked.insert((from, to, path.to_owned(), range.0, range.1)) {
            return;
        }
        let texts = lines(old);
        let selected = texts.get(range.0..=range.1).unwrap_or_default();
        let fates: Vec<Fate> = (range.0..=range.1)
            .map(|line| match start(line) {
                Fate::At(spot) => follow(&pair.steps, spot),
                end => end,
            })
            .collect();
        let Some(truth) = Truth::new(selected, &fates) else {
            self.sample.unclear += usize::from(kind != Some(Kind::Extra));
            return;
        };
        let is_extra = kind == Some(Kind::Extra);
        if is_extra && truth.class != Class::Moved {
            return;
        }
        let kind = kind.filter(|_| !is_extra);
        let is_poor = selected.iter().all(|line| is_poor(line));
        let own = if selected.len() == 1 { Kind::Line } else { Kind::Range };
        self.sample.cases.push(Case {
            ends: pair.ends.clone(),
            distance: pair.distance,
            kind: if is_poor { Kind::Poor } else { kind.unwrap_or(own) },
            path: path.to_owned(),
            range,
            old: Rc::clone(old),
            new,
            others: Rc::clone(&pair.others),
            chain: pair.chain.clone(),
            is_extra,
            truth,
        });
    }

    /// Asks about lines that a patch added on one base, after it was put on another.
    fn rebased(&mut self, twins: &[Twins], distance: usize) -> Outcome<()> {
        if twins.is_empty() {
            return Ok(());
        }
        let Some(twin) = twins.get(self.number(twins.len())) else { return Ok(()) };
        let commit = |index: usize| self.history.commits.get(index).cloned();
        let (Some(inside), Some(end)) = (commit(twin.inside), commit(twin.inside + distance))
        else {
            return Ok(());
        };
        let patch = |commit: &str| self.history.difference(&format!("{commit}^"), commit);
        let (outside, moved) = (patch(&twin.outside)?, patch(&inside)?);
        let ends = (twin.outside.clone(), end);
        let difference = self.history.difference(&ends.0, &ends.1)?;
        let steps = Rc::new(self.history.steps(&inside, &ends.1)?);
        let others = Rc::new(self.files(&difference, &ends)?);
        let pair = Pair { ends, distance, steps, chain: None, others };
        for change in difference.iter().filter(|change| change.old_path.is_some()) {
            let of_file = |other: &&Change| other.new_path == change.old_path;
            let both = outside.iter().find(of_file).zip(moved.iter().find(of_file));
            if let Some((here, there)) = both {
                self.twin_file(&pair, change, here, there)?;
            }
        }
        Ok(())
    }

    /// Asks about two lines that the patch added to one file.
    fn twin_file(
        &mut self,
        pair: &Pair,
        change: &Change,
        here: &Change,
        there: &Change,
    ) -> Outcome<()> {
        let (one, other) = (added(here), added(there));
        let equal =
            one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| one.1 == other.1);
        let Some(path) = change.old_path.as_ref().filter(|_| equal && !one.is_empty()) else {
            return Ok(());
        };
        let Some(old) = self.history.text(&pair.ends.0, path)? else { return Ok(()) };
        let new = match &change.new_path {
            Some(path) => self.history.text(&pair.ends.1, path)?.map(|text| (path.clone(), text)),
            None => None,
        };
        for _ in 0..2 {
            let index = self.number(one.len());
            let Some(((line, _), (target, _))) = one.get(index).zip(other.get(index)) else {
                continue;
            };
            let start = |_| Fate::At(Spot::new(path, *target));
            let asked = ((*line, *line), Some(Kind::Rebased));
            self.ask(pair, (path, &old), new.clone(), asked, &start);
        }
        Ok(())
    }

    /// Reads every file that differs and still exists.
    fn files(&mut self, difference: &Step, ends: &(String, String)) -> Outcome<Vec<File>> {
        let mut files = Vec::new();
        for change in difference.iter().filter(|change| !change.is_binary) {
            let Some(path) = &change.new_path else { continue };
            let Some(new) = self.history.text(&ends.1, path)? else { continue };
            let old = match &change.old_path {
                Some(path) => self.history.text(&ends.0, path)?,
                None => None,
            };
            files.push(File { path: path.clone(), old, new });
        }
        Ok(files)
    }

    /// Draws a line that a hunk replaces.
    fn inside(&mut self, hunks: &[Hunk]) -> Option<usize> {
        let changed: Vec<&Hunk> = hunks.iter().filter(|hunk| !hunk.old.is_empty()).collect();
        let hunk = changed.get(self.number(changed.len().max(1)))?;
        Some(hunk.old_start + self.number(hunk.old.len()))
    }

    /// Draws a line up to five lines above or below a hunk.
    fn near(&mut self, hunks: &[Hunk], count: usize) -> Option<usize> {
        let hunk = hunks.get(self.number(hunks.len().max(1)))?;
        let away = 1 + self.number(5);
        let line = if self.random.chance(50) {
            hunk.old_start.checked_sub(away)?
        } else {
            hunk.old_start + hunk.old.len() + away - 1
        };
        (line < count).then_some(line)
    }

    /// Draws a number below `end`.
    fn number(&mut self, end: usize) -> usize {
        let last = u64::try_from(end.saturating_sub(1)).unwrap_or_default();
        usize::try_from(self.random.between(0, last)).unwrap_or_default()
    }
}

/// Returns the lines that a change added, with their numbers.
fn added(change: &Change) -> Vec<(usize, &[u8])> {
    let of_hunk = |hunk: &'_ Hunk| hunk.new_start;
    change
        .hunks
        .iter()
        .flat_map(|hunk| (of_hunk(hunk)..).zip(hunk.new.iter().map(Vec::as_slice)))
        .collect()
}
