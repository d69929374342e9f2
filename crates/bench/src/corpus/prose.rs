//! Generates sentences, paths, ids, commits and times, the same ones in every run.

use std::iter::repeat_with;

use fastrand::Rng;
use skein_format::time::Time;

use super::vocabulary::word;

const FOLDERS: &[&str] =
    &["src", "src/core", "lib/net", "app/components", "pkg/store", "tests/e2e"];
const STEMS: &[&str] =
    &["index", "parser", "session", "cache", "router", "model", "view", "client", "retry"];
const ENDS: &[&str] = &["ts", "rs", "py", "go", "tsx"];

/// The number of different commits in the threads.
const COMMITS: usize = 4_000;

/// Returns a random number generator for one file of one corpus.
pub(crate) fn seeded(corpus: u64, number: usize) -> Rng {
    Rng::with_seed(corpus << 40 | number as u64)
}

/// Returns a random item.
pub(crate) fn pick<T: Clone + Default>(random: &mut Rng, items: &[T]) -> T {
    random.choice(items).cloned().unwrap_or_default()
}

/// Returns a text of lower-case letters and digits.
pub(super) fn token(random: &mut Rng, length: usize) -> String {
    repeat_with(|| random.digit(36)).take(length).collect()
}

/// Returns a text in the form of a UUID of version 4.
pub(super) fn uuid(random: &mut Rng) -> String {
    let (a, b, c) = (random.u32(..), random.u16(..), random.u16(..0x1000));
    format!("{a:08x}-{b:04x}-4{c:03x}-a{:03x}-{:012x}", random.u16(..0x1000), random.u64(..1 << 48))
}

/// Returns one paragraph, sometimes with a dash, which is not ASCII.
pub(super) fn sentence(random: &mut Rng, words: usize) -> String {
    let words: Vec<String> = (0..words).map(|_| word(random)).collect();
    let dash = if random.u32(..10) < 3 { " \u{2014} see above" } else { "" };
    format!("{}{dash}.", words.join(" "))
}

/// Returns random sentences; their number and lengths are limited.
pub(super) fn sentences(random: &mut Rng, max_count: usize, max_words: usize) -> Vec<String> {
    let count = random.usize(..=max_count);
    let sentence = |_| {
        let words = random.usize(4..=max_words);
        sentence(random, words)
    };
    (0..count).map(sentence).collect()
}

pub(super) fn path(random: &mut Rng) -> String {
    let [folder, stem, end] = [FOLDERS, STEMS, ENDS].map(|items| pick(random, items));
    match random.bool() {
        true => format!("{folder}/{stem}_{}.{end}", random.u32(1..=400)),
        false => format!("{folder}/{}/{stem}.{end}", word(random)),
    }
}

/// Returns the full id of one of the commits.
pub(super) fn commit(random: &mut Rng) -> String {
    let mut digits = seeded(8, random.usize(..COMMITS));
    format!("{:08x}{:032x}", digits.u32(..), digits.u128(..))
}

pub(super) fn short_commit(random: &mut Rng) -> String {
    commit(random).chars().take(7).collect()
}

/// Returns a random time in the first half of 2026.
pub(super) fn time(random: &mut Rng) -> Time {
    Time::from_millis(random.i64(1_767_225_600_000..1_782_000_000_000))
}

/// Returns a random time, up to five hours later.
pub(super) fn later(time: Time, random: &mut Rng) -> Time {
    Time::from_millis(time.as_millis() + random.i64(1..=300) * 60_000)
}
