//! Generates sentences, source code, paths, commits and times.

use skein_format::time::Time;

use super::random::Random;
use super::vocabulary::word;

/// Lines of code; `%` is replaced by a name.
const CODE: &[&str] = &[
    "if (%.has(%)) {",
    "return %.map((row) => row.id);",
    "const % = await %.get(id);",
    "for (const % of entries) {",
    "}",
    "throw new Error(`unknown %: ${id}`);",
    "let % = %.len() - 1;",
    "match parse(\"%\") {",
    "",
    "// The order of the two writes matters here.",
    "self.%.push(Request { id, retries: 0 });",
    "logger.debug('% changed', { from, to });",
];

const FOLDERS: &[&str] =
    &["src", "src/core", "lib/net", "app/components", "pkg/store", "tests/e2e"];
const STEMS: &[&str] =
    &["index", "parser", "session", "cache", "router", "model", "view", "client", "retry"];
const ENDS: &[&str] = &["ts", "rs", "py", "go", "tsx"];

/// How many different commits the threads name.
const COMMITS: u64 = 4_000;

/// Returns one paragraph, sometimes with a dash, which is not ASCII.
pub(super) fn sentence(random: &mut Random, words: u64) -> String {
    let words: Vec<String> = (0..words).map(|_| word(random)).collect();
    let dash = if random.chance(30) { " \u{2014} see above" } else { "" };
    format!("{}{dash}.", words.join(" "))
}

pub(super) fn code(random: &mut Random) -> String {
    let depth = usize::try_from(random.between(0, 4)).unwrap_or_default();
    let mut text = "  ".repeat(depth);
    let mut parts = random.pick(CODE).split('%');
    text += parts.next().unwrap_or_default();
    for part in parts {
        text += &name(random);
        text += part;
    }
    text
}

pub(super) fn code_lines(random: &mut Random, lines: u64) -> Vec<String> {
    (0..lines).map(|_| code(random)).collect()
}

pub(super) fn path(random: &mut Random) -> String {
    let folder = random.pick(FOLDERS);
    let (stem, end) = (random.pick(STEMS), random.pick(ENDS));
    match random.chance(50) {
        true => format!("{folder}/{stem}_{}.{end}", random.between(1, 400)),
        false => format!("{folder}/{}/{stem}.{end}", word(random)),
    }
}

pub(super) fn branch(random: &mut Random) -> String {
    format!("topic/{}-{}", word(random), word(random))
}

/// Returns the full id of one of the commits.
pub(super) fn commit(random: &mut Random) -> String {
    let number = usize::try_from(random.between(1, COMMITS)).unwrap_or_default();
    let mut digits = Random::seeded(8, number);
    let [a, b, c] = [digits.next(), digits.next(), digits.next()];
    format!("{a:016x}{b:016x}{:08x}", c >> 32)
}

pub(super) fn short_commit(random: &mut Random) -> String {
    commit(random).chars().take(7).collect()
}

/// Returns a time of the first half of 2026.
pub(super) fn time(random: &mut Random) -> Time {
    let seconds = random.between(1_767_225_600, 1_782_000_000);
    let millis = seconds * 1_000 + random.between(0, 999);
    Time::from_millis(i64::try_from(millis).unwrap_or_default())
}

/// Returns a time some minutes later.
pub(super) fn later(time: Time, random: &mut Random) -> Time {
    let millis = i64::try_from(random.between(1, 300) * 60_000).unwrap_or_default();
    Time::from_millis(time.as_millis() + millis)
}

/// Returns a name of one or two words.
fn name(random: &mut Random) -> String {
    let first = word(random);
    match random.between(0, 9) {
        0..6 => first,
        6..8 => format!("{first}_{}", word(random)),
        _ => {
            let second = word(random);
            let mut letters = second.chars();
            let capital = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.chars().chain(capital).chain(letters).collect()
        }
    }
}
