//! What is searched for: words of the corpus itself, so that every query has a hit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::Outcome;
use crate::corpus::random::Random;
use crate::corpus::{Corpus, Kind};

/// How many files are looked at to know how frequent a word is.
const SAMPLE: usize = 1_000;
/// How many queries there are of each kind.
const RARE: usize = 40;
const MEDIUM: usize = 40;
const FREQUENT: usize = 20;
const PAIRS: usize = 30;
const PHRASES: usize = 25;
const PREFIXES: usize = 20;
const COMMITS: usize = 10;
const FILTERED: usize = 15;

/// Words by how many files of a sample have them.
pub(super) struct Words {
    /// In one file of a thousand.
    rare: Vec<String>,
    /// In one of a hundred to one of ten.
    medium: Vec<String>,
    /// In at least one of three.
    frequent: Vec<String>,
    /// Words that stand together, in some file.
    runs: Vec<Vec<String>>,
    commits: Vec<String>,
}

impl Words {
    /// Reads files from all over the corpus.
    pub(super) fn from_corpus(corpus: &Corpus) -> Outcome<Self> {
        let step = (corpus.paths.len() / SAMPLE).max(1);
        let mut files: BTreeMap<String, usize> = BTreeMap::new();
        let (mut runs, mut commits) = (Vec::new(), BTreeSet::new());
        let mut sample = 0;
        for path in corpus.paths.iter().step_by(step) {
            let text = fs::read_to_string(path)?;
            let found = prose(&text);
            let words: BTreeSet<&String> = found.iter().flatten().collect();
            for word in words {
                *files.entry(word.clone()).or_default() += 1;
            }
            runs.extend(found.into_iter().filter(|run| run.len() > 8));
            commits.extend(commit(&text));
            sample += 1;
        }
        let band = |low: usize, high: usize| {
            let fits = |count: usize| (low.max(1)..=high).contains(&count);
            let words = files.iter().filter(|(_, count)| fits(**count));
            let words: Vec<String> = words.map(|(word, _)| word.clone()).collect();
            if words.is_empty() { Err("the corpus has no such words") } else { Ok(words) }
        };
        Ok(Self {
            rare: band(1, 1)?,
            medium: band(sample / 100, sample / 10)?,
            frequent: band(sample / 3, sample)?,
            runs,
            commits: commits.into_iter().collect(),
        })
    }

    /// Returns words for commands and programs that take one word at a time.
    pub(super) fn few(&self) -> Vec<String> {
        let mut random = Random::seeded(10, 0);
        let lists = [&self.rare, &self.rare, &self.medium, &self.medium, &self.frequent];
        lists.into_iter().map(|list| one(list, &mut random)).collect()
    }

    /// Returns about two hundred queries of all kinds, the same ones in every run.
    pub(super) fn queries(&self, kind: Kind) -> Vec<String> {
        let mut random = Random::seeded(11, 0);
        let mut queries = Vec::new();
        let mut add = |count: usize, make: &dyn Fn(&mut Random) -> String| {
            queries.extend((0..count).map(|_| make(&mut random)));
        };
        add(RARE, &|random| one(&self.rare, random));
        add(MEDIUM, &|random| one(&self.medium, random));
        add(FREQUENT, &|random| one(&self.frequent, random));
        add(PAIRS, &|random| match one(&self.runs, random).as_slice() {
            [first, .., last] => format!("{first} {last}"),
            words => words.join(" "),
        });
        add(PHRASES, &|random| {
            let run = one(&self.runs, random);
            let last = u64::try_from(run.len().saturating_sub(3)).unwrap_or_default();
            let start = usize::try_from(random.between(0, last)).unwrap_or_default();
            let words: Vec<&str> = run.iter().skip(start).take(3).map(String::as_str).collect();
            format!("\"{}\"", words.join(" "))
        });
        add(PREFIXES, &|random| {
            let letters: String = one(&self.medium, random).chars().take(4).collect();
            format!("{letters}*")
        });
        add(COMMITS, &|random| one(&self.commits, random));
        let filter = match kind {
            Kind::Review => "status:open",
            Kind::Checkpoint => "type:handoff",
        };
        // Of a hundred files with the word some pass.
        add(FILTERED, &|random| format!("{} {filter}", one(&self.frequent, random)));
        queries
    }
}

/// Returns one of some things.
fn one<T: Clone + Default>(list: &[T], random: &mut Random) -> T {
    let last = u64::try_from(list.len().saturating_sub(1)).unwrap_or_default();
    let at = usize::try_from(random.between(0, last)).unwrap_or_default();
    list.get(at).cloned().unwrap_or_default()
}

/// Returns the words of each stretch of a text in which only words stand, and not just a few.
fn prose(text: &str) -> Vec<Vec<String>> {
    let stretches = text.split(|letter: char| !letter.is_ascii_alphabetic() && letter != ' ');
    let words = |stretch: &str| -> Vec<String> {
        stretch.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    stretches.map(words).filter(|words| words.len() >= 5).collect()
}

/// Returns the beginning of the commit that a thread was made at, as somebody would type it.
fn commit(text: &str) -> Option<String> {
    let starts = ["\"baseRef\": \"", "\"current_commit\": \""];
    let (_, rest) = starts.into_iter().find_map(|start| text.split_once(start))?;
    Some(rest.chars().take_while(char::is_ascii_hexdigit).take(9).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stand_together() {
        let text = "{\"a\": \"one two three four five.\"}\n\nsix seven\n";
        assert_eq!(prose(text), [["one", "two", "three", "four", "five"]]);
    }

    #[test]
    fn a_commit_is_cut_short() {
        assert_eq!(commit("\"baseRef\": \"0123456789abcdef\"").unwrap(), "012345678");
        assert_eq!(commit("\"current_commit\": \"abc1234\",").unwrap(), "abc1234");
        assert_eq!(commit("none"), None);
    }
}
