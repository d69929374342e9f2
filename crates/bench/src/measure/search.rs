//! Searches of many threads, one kind at a time, compared with `rg`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use skein_search::{Page, Query, SearchScope, Searcher, TextCache};
use skein_workspace::discover;

use super::{Bench, check, env, now};
use crate::Outcome;
use crate::corpus::random::Random;
use crate::corpus::{Corpus, ThreadKind};
use crate::program;
use crate::table::{ResultRow, show_size};
use crate::timing::{TimePair, Turns, percentile, timed};

/// Smaller corpora are not judged: starting a process takes most of the time.
const JUDGED_FROM: usize = 10_000;
/// The largest number of threads for which the target of a query in the server applies.
const MAX_SERVED: usize = 12_000;
/// How often each query runs in the server; the best time counts.
const ROUNDS: usize = 4;
const PAGE: Page = Page { offset: 0, limit: 20, width: 160 };
/// How many files are read to count words.
const SAMPLE: usize = 1_000;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = Vec::new();
    for kind in [ThreadKind::Review, ThreadKind::Checkpoint] {
        let (mut processes, mut medians, mut slowest) = (Vec::new(), Vec::new(), Vec::new());
        for &size in &bench.sizes {
            let corpus = bench.corpora.threads(kind, size)?;
            let words = WordList::from_corpus(&corpus)?;
            let name = |name: &str| format!("{}: {name}", kind.name());
            let pair = measure_process(bench, &corpus, &words)?;
            let row = ResultRow::pair(name("process `search` / rg -l"), show_size(size), pair);
            processes.push(row.at_most_ratio(1.3).sized(size, JUDGED_FROM));
            let times = measure_queries(&corpus, &words.queries(kind))?;
            let pair = TimePair { skein: percentile(&times, 50), ..pair };
            medians.push(
                ResultRow::pair(name("query, p50 / rg -l"), show_size(size), pair).sized(size, 0),
            );
            let p99 = percentile(&times, 99);
            let row = ResultRow::time(name("query, p99"), show_size(size), p99).sized(size, 0);
            slowest.push(if size <= MAX_SERVED { row.at_most(100.0) } else { row });
        }
        rows.extend(processes.into_iter().chain(medians).chain(slowest));
    }
    Ok(rows)
}

/// Returns the average of the best times of five words, in processes.
fn measure_process(bench: &Bench, corpus: &Corpus, words: &WordList) -> Outcome<TimePair> {
    let home = bench.corpora.scratch()?;
    let mut sum = TimePair { baseline: Duration::ZERO, skein: Duration::ZERO };
    let words = words.one_of_each();
    for word in &words {
        let rg = ["--no-config", "-l", "--", word, "."];
        let search = ["search", word, "--json"];
        let skein = || {
            let (time, output) = bench.skein.run(&corpus.root, home.path(), &search, &[])?;
            let found: serde_json::Value = serde_json::from_slice(&output)?;
            check(
                found.get("total").is_some_and(|total| *total != 0),
                &format!("no hits for {word}"),
                time,
            )
        };
        let baseline = || Ok(program::run(&corpus.folder, "rg", &rg)?.0);
        let best = Turns::run((6, 1), baseline, skein)?.best();
        sum.baseline += best.baseline;
        sum.skein += best.skein;
    }
    let count = u32::try_from(words.len())?;
    Ok(TimePair { baseline: sum.baseline / count, skein: sum.skein / count })
}

/// Runs queries in this process, as the page for search as you type does: the last word may be incomplete.
fn measure_queries(corpus: &Corpus, queries: &[String]) -> Outcome<Vec<Duration>> {
    let env = env(&corpus.root);
    let workspace = discover(&env);
    let cache = TextCache::default();
    // In large corpora, each query takes long.
    let step = if corpus.paths.len() > MAX_SERVED { 10 } else { 1 };
    let mut times = Vec::new();
    for text in queries.iter().step_by(step) {
        let query = Query::parse_typed(text, now(), &|_, _| false)?;
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let (time, hits) = timed(|| {
                let searcher = Searcher::new(workspace.clone(), SearchScope::Here, &env, false);
                searcher.query_cached(&query, PAGE, &env, &cache)
            });
            best = check(!hits.hits.is_empty(), &format!("no hits for {text}"), best.min(time))?;
        }
        times.push(best);
    }
    Ok(times)
}

/// Words of the corpus by frequency, so that every query has a hit.
struct WordList {
    /// In one file of a thousand.
    rare: Vec<String>,
    /// In one of a hundred to one of ten.
    medium: Vec<String>,
    /// In at least one of three.
    frequent: Vec<String>,
    /// Successive words.
    runs: Vec<Vec<String>>,
    commits: Vec<String>,
}

/// Generates a query.
type QuerySource<'a> = dyn Fn(&mut Random) -> String + 'a;

impl WordList {
    fn from_corpus(corpus: &Corpus) -> Outcome<Self> {
        let step = (corpus.paths.len() / SAMPLE).max(1);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let (mut runs, mut commits) = (Vec::new(), BTreeSet::new());
        let sample: Vec<_> = corpus.paths.iter().step_by(step).collect();
        for path in &sample {
            let text = fs::read_to_string(path)?;
            let found = word_runs(&text);
            for word in found.iter().flatten().collect::<BTreeSet<_>>() {
                *counts.entry(word.clone()).or_default() += 1;
            }
            runs.extend(found.into_iter().filter(|run| run.len() > 8));
            commits.extend(commit(&text));
        }
        let with_count = |low: usize, high: usize| {
            let words = counts.iter().filter(|(_, count)| (low.max(1)..=high).contains(*count));
            let words: Vec<String> = words.map(|(word, _)| word.clone()).collect();
            if words.is_empty() { Err("the corpus has no such words") } else { Ok(words) }
        };
        Ok(Self {
            rare: with_count(1, 1)?,
            medium: with_count(sample.len() / 100, sample.len() / 10)?,
            frequent: with_count(sample.len() / 3, sample.len())?,
            runs,
            commits: commits.into_iter().collect(),
        })
    }

    fn one_of_each(&self) -> Vec<String> {
        let mut random = Random::seeded(10, 0);
        let lists = [&self.rare, &self.rare, &self.medium, &self.medium, &self.frequent];
        lists.into_iter().map(|list| random.pick(list)).collect()
    }

    /// Returns two hundred queries of all kinds, the same ones in every run.
    fn queries(&self, kind: ThreadKind) -> Vec<String> {
        let filter = match kind {
            ThreadKind::Review => "status:open",
            ThreadKind::Checkpoint => "type:handoff",
        };
        let two_words = |random: &mut Random| match random.pick(&self.runs).as_slice() {
            [first, .., last] => format!("{first} {last}"),
            words => words.join(" "),
        };
        let phrase = |random: &mut Random| {
            let run = random.pick(&self.runs);
            let start = random.index(run.len().saturating_sub(2));
            format!("\"{}\"", run.get(start..start + 3).unwrap_or_default().join(" "))
        };
        let prefix = |random: &mut Random| {
            let letters: String = random.pick(&self.medium).chars().take(4).collect();
            format!("{letters}*")
        };
        let kinds: [(usize, &QuerySource<'_>); 8] = [
            (40, &|random| random.pick(&self.rare)),
            (40, &|random| random.pick(&self.medium)),
            (20, &|random| random.pick(&self.frequent)),
            (30, &two_words),
            (25, &phrase),
            (20, &prefix),
            (10, &|random| random.pick(&self.commits)),
            (15, &|random| format!("{} {filter}", random.pick(&self.frequent))),
        ];
        let mut random = Random::seeded(11, 0);
        let mut queries = Vec::new();
        for (count, query) in kinds {
            queries.extend((0..count).map(|_| query(&mut random)));
        }
        queries
    }
}

/// Returns the words of each part of a text that has only words, at least five.
fn word_runs(text: &str) -> Vec<Vec<String>> {
    let parts = text.split(|letter: char| !letter.is_ascii_alphabetic() && letter != ' ');
    let words = |part: &str| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    parts.map(words).filter(|words| words.len() >= 5).collect()
}

/// Returns the first digits of the commit of a thread.
fn commit(text: &str) -> Option<String> {
    let keys = ["\"baseRef\": \"", "\"current_commit\": \""];
    let (_, rest) = keys.into_iter().find_map(|key| text.split_once(key))?;
    Some(rest.chars().take_while(char::is_ascii_hexdigit).take(9).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successive_words_are_found() {
        let text = "{\"a\": \"one two three four five.\"}\n\nsix seven\n";
        assert_eq!(word_runs(text), [["one", "two", "three", "four", "five"]]);
    }

    #[test]
    fn a_commit_is_abbreviated() {
        assert_eq!(commit("\"baseRef\": \"0123456789abcdef\"").unwrap(), "012345678");
        assert_eq!(commit("\"current_commit\": \"abc1234\",").unwrap(), "abc1234");
        assert_eq!(commit("none"), None);
    }
}
