//! Names as programmers give them, and the slots of a template that they fill.

use super::super::random::Random;
use super::speech::sentence;

const NOUNS: &[&str] = &[
    "account", "batch", "branch", "bucket", "buffer", "channel", "column", "cursor", "digest",
    "entry", "filter", "header", "invoice", "lease", "ledger", "locale", "message", "metric",
    "payload", "policy", "queue", "record", "request", "revision", "route", "sample", "session",
    "snapshot", "token", "tree", "vendor", "widget", "window", "worker",
];

const VERBS: &[&str] = &[
    "append",
    "apply",
    "collect",
    "decode",
    "drain",
    "encode",
    "expire",
    "fetch",
    "flush",
    "index",
    "load",
    "merge",
    "normalize",
    "parse",
    "persist",
    "prune",
    "refresh",
    "render",
    "replay",
    "resolve",
    "split",
    "validate",
];

/// How names of more than one word are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Snake,
    Camel,
}

/// Fills a template: `%a` and `%b` are names, `%A` and `%B` types of the same words, `%v` is a verb, `%d` a number,
/// `%w` a sentence.
pub(super) fn fill(template: &str, case: Case, random: &mut Random) -> String {
    let names = [noun_pair(random), noun_pair(random)];
    let verb = random.pick(VERBS);
    let mut text = String::with_capacity(template.len() * 2);
    let mut parts = template.split('%');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let mut rest = part.chars();
        let [first, second] = &names;
        text += &match rest.next() {
            Some('a') => name(*first, case),
            Some('b') => name(*second, case),
            Some('A') => type_name(*first),
            Some('B') => type_name(*second),
            Some('v') => verb.to_owned(),
            Some('d') => random.between(2, 4_096).to_string(),
            Some('w') => {
                let words = random.between(5, 12);
                sentence(random, words)
            }
            other => other.map(String::from).unwrap_or_default(),
        };
        text.push_str(rest.as_str());
    }
    text
}

/// Returns a line that says almost the same.
pub(super) fn tweak(line: &str, mark: &str, random: &mut Random) -> String {
    let other = random.pick(NOUNS);
    match NOUNS.iter().find(|noun| **noun != other && line.contains(**noun)) {
        Some(noun) => line.replacen(noun, other, 1),
        None => format!("{line} {mark} {other}"),
    }
}

/// Returns the path of a source file below a folder that others share.
pub(super) fn path(number: usize, end: &str, random: &mut Random) -> String {
    let (first, second) = noun_pair(random);
    let folder = random.pick(&["core", "net", "store", "views", "jobs", "cli"]);
    let top = if end == "rs" { "crates" } else { "packages" };
    format!("{top}/{folder}/src/{first}/{second}_{number}.{end}")
}

fn noun_pair(random: &mut Random) -> (&'static str, &'static str) {
    (random.pick(NOUNS), random.pick(NOUNS))
}

fn name((first, second): (&str, &str), case: Case) -> String {
    match case {
        Case::Snake => format!("{first}_{second}"),
        Case::Camel => format!("{first}{}", capital(second)),
    }
}

fn type_name((first, second): (&str, &str)) -> String {
    capital(first) + &capital(second)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
