//! Searches for the starts of all rules at once.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::rules;
use super::rules::{Name, Rule, Shape};
use crate::span::Span;

/// An automaton that is built in half a millisecond, fast enough for a hook.
static SMALL: LazyLock<Starts> = LazyLock::new(|| Starts::build(AhoCorasickKind::ContiguousNFA));

/// An automaton that takes six times as long to build, and searches twice as fast.
static FAST: LazyLock<Starts> = LazyLock::new(|| Starts::build(AhoCorasickKind::DFA));

/// Number of searched bytes above which the faster automaton is worth building.
const FAST_FORM_THRESHOLD: usize = 256 << 10;

static SEARCHED: AtomicUsize = AtomicUsize::new(0);

/// Returns the automaton for a text of this length; both find the same.
pub(super) fn starts(len: usize) -> &'static Starts {
    let before = SEARCHED.load(Ordering::Relaxed);
    let searched = before.saturating_add(len);
    SEARCHED.store(searched, Ordering::Relaxed);
    if searched > FAST_FORM_THRESHOLD { &FAST } else { &SMALL }
}

/// An automaton that finds every place where a rule may begin.
#[derive(Debug)]
pub(super) struct Starts {
    automaton: AhoCorasick,
    /// For each pattern the rules whose start is the pattern or a prefix of it, the longest first.
    rules: Vec<Vec<Rule>>,
}

impl Starts {
    fn build(kind: AhoCorasickKind) -> Self {
        let mut texts: Vec<(String, Rule)> = rules().flat_map(spellings).collect();
        texts.sort_by(|one, other| one.0.cmp(&other.0));
        let mut patterns: Vec<String> = Vec::new();
        let mut found: Vec<Vec<Rule>> = Vec::new();
        // The texts are sorted, so the prefixes of a text come before it.
        let mut prefixes: Vec<usize> = Vec::new();
        for (text, rule) in texts {
            if patterns.last() != Some(&text) {
                let begins =
                    |at: &usize| patterns.get(*at).is_some_and(|known| text.starts_with(known));
                while prefixes.last().is_some_and(|at| !begins(at)) {
                    prefixes.pop();
                }
                let inherited = prefixes.last().and_then(|at| found.get(*at)).cloned();
                prefixes.push(patterns.len());
                patterns.push(text);
                found.push(inherited.unwrap_or_default());
            }
            if let Some(rules) = found.last_mut() {
                rules.insert(0, rule);
            }
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(kind))
            .match_kind(MatchKind::LeftmostLongest)
            .build(&patterns)
            .expect("the rules are constants, and their automaton is small");
        Self { automaton, rules: found }
    }

    /// Returns the next place at or after `from` where rules may begin.
    pub(super) fn next(&self, bytes: &[u8], from: usize) -> Option<(Span, &[Rule])> {
        let hit = self.automaton.find(bytes.get(from..)?)?;
        let span = Span::new(from + hit.start(), from + hit.end());
        Some((span, self.rules.get(hit.pattern().as_usize())?))
    }
}

/// Returns the spellings of a start: some may also be in capital letters, or begin with one.
fn spellings(rule: Rule) -> Vec<(String, Rule)> {
    let start = rule.start.to_owned();
    match rule.shape {
        Shape::Name(Name::Pat) => vec![(start, rule)],
        Shape::Name(_) | Shape::Authorization | Shape::Bearer => {
            let (first, rest) = start.split_at_checked(1).unwrap_or_default();
            let capital = format!("{}{rest}", first.to_ascii_uppercase());
            vec![(start.to_ascii_uppercase(), rule), (capital, rule), (start, rule)]
        }
        _ => vec![(start, rule)],
    }
}
