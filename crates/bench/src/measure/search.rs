//! Measures searches of many threads, for each kind, compared with `rg`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use fastrand::Rng;
use skein_model::Kind;
use skein_search::{Page, Query, SearchCache, SearchScope, Searcher};
use skein_workspace::discover;

use super::{Bench, check, env, now};
use crate::Outcome;
use crate::corpus::Corpus;
use crate::corpus::prose::{pick, seeded};
use crate::program;
use crate::table::{ResultRow, show_size};
use crate::timing::{TimePair, Turns, percentile, timed};

/// Minimum size at which rows are judged: in smaller corpora, starting a process takes most of the time.
const JUDGED_FROM: usize = 10_000;
/// Maximum size to which the target for a query in the server applies.
const MAX_SERVED: usize = 12_000;
/// The number of rounds of each query in the server; the best time counts.
const ROUNDS: usize = 4;
const PAGE: Page = Page { offset: 0, limit: 20, width: 160 };
/// The number of files in which words are counted.
const SAMPLE: usize = 1_000;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = Vec::new();
    for kind in [Kind::Review, Kind::Checkpoint] {
        let (mut processes, mut medians, mut slowest) = (Vec::new(), Vec::new(), Vec::new());
        for corpus in bench.all_threads(kind)? {
            let (size, words) = (corpus.paths.len(), WordList::from_corpus(&corpus)?);
            let row = |name: &str, pair| {
                ResultRow::pair(format!("{kind}s: {name}"), show_size(size), pair)
            };
            let pair = measure_process(bench, &corpus, &words)?;
            let process = row("process `search` / rg -l", pair).at_most_ratio(1.3);
            processes.push(process.sized(size, JUDGED_FROM));
            let times = measure_queries(&corpus, &words.queries(kind))?;
            let pair = TimePair { skein: percentile(&times, 50), ..pair };
            medians.push(row("query, p50 / rg -l", pair).sized(size, 0));
            let (name, p99) = (format!("{kind}s: query, p99"), percentile(&times, 99));
            let row = ResultRow::time(name, show_size(size), p99).sized(size, 0);
            slowest.push(if size <= MAX_SERVED { row.at_most(100.0) } else { row });
        }
        rows.extend(processes.into_iter().chain(medians).chain(slowest));
    }
    Ok(rows)
}

/// Returns the average of the best times of five words, each search in its own process.
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
            let is_found = found.get("total").is_some_and(|total| *total != 0);
            check(is_found, &format!("no hits for {word}"), time)
        };
        let baseline = || Ok(program::run(&corpus.folder, "rg", &rg)?.0);
        let best = Turns::best_of(6).run(baseline, skein)?;
        sum.baseline += best.baseline;
        sum.skein += best.skein;
    }
    let count = u32::try_from(words.len())?;
    Ok(TimePair { baseline: sum.baseline / count, skein: sum.skein / count })
}

/// Runs queries in this process, as the search page does while the user types: the last word may be incomplete.
fn measure_queries(corpus: &Corpus, queries: &[String]) -> Outcome<Vec<Duration>> {
    let workspace = discover(&env(&corpus.root));
    let cache = SearchCache::default();
    // In large corpora each query takes long, so only every tenth is run.
    let step = if corpus.paths.len() > MAX_SERVED { 10 } else { 1 };
    let mut times = Vec::new();
    for text in queries.iter().step_by(step) {
        let query = Query::parse_typed(text, now(), &|_, _| false)?;
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let (time, hits) = timed(|| {
                let searcher = Searcher::new(workspace.clone(), SearchScope::Here, false);
                searcher.query_cached(&query, PAGE, &cache, &|_| Some(0))
            });
            best = check(!hits.hits.is_empty(), &format!("no hits for {text}"), best.min(time))?;
        }
        times.push(best);
    }
    Ok(times)
}

/// Words of the corpus by frequency, so that every query has a hit.
struct WordList {
    /// In one of a thousand files.
    rare: Vec<String>,
    /// In one of a hundred to one of ten files.
    medium: Vec<String>,
    /// In at least one of three files.
    frequent: Vec<String>,
    /// Sequences of successive words.
    runs: Vec<Vec<String>>,
    commits: Vec<String>,
}

/// Generates a query.
type QuerySource<'a> = dyn Fn(&mut Rng) -> String + 'a;

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
        let mut random = seeded(10, 0);
        let lists = [&self.rare, &self.rare, &self.medium, &self.medium, &self.frequent];
        lists.map(|list| pick(&mut random, list)).into()
    }

    /// Returns two hundred queries of all types, the same ones in every run.
    fn queries(&self, kind: Kind) -> Vec<String> {
        let filter = if kind == Kind::Review { "status:open" } else { "type:handoff" };
        let two_words = |random: &mut Rng| match pick(random, &self.runs).as_slice() {
            [first, .., last] => format!("{first} {last}"),
            words => words.join(" "),
        };
        let phrase = |random: &mut Rng| {
            let run = pick(random, &self.runs);
            let words: Vec<&[String]> = run.windows(3).collect();
            format!("\"{}\"", pick(random, &words).join(" "))
        };
        let kinds: [(usize, &QuerySource<'_>); 8] = [
            (40, &|random| pick(random, &self.rare)),
            (40, &|random| pick(random, &self.medium)),
            (20, &|random| pick(random, &self.frequent)),
            (30, &two_words),
            (25, &phrase),
            (20, &|random| pick(random, &self.medium).chars().take(4).chain(['*']).collect()),
            (10, &|random| pick(random, &self.commits)),
            (15, &|random| format!("{} {filter}", pick(random, &self.frequent))),
        ];
        let mut random = seeded(11, 0);
        let queries = kinds.into_iter().flat_map(|(count, query)| vec![query; count]);
        queries.map(|query| query(&mut random)).collect()
    }
}

/// Returns the sequences of at least five words without other characters between them.
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
