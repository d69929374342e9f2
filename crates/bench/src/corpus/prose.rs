//! Sentences, source code, paths and times.

use skein_format::time::Time;

use super::random::Random;

const WORDS: &[&str] = &[
    "the",
    "a",
    "this",
    "that",
    "when",
    "where",
    "should",
    "could",
    "must",
    "not",
    "return",
    "error",
    "value",
    "caller",
    "buffer",
    "index",
    "thread",
    "lock",
    "state",
    "request",
    "handler",
    "retry",
    "cache",
    "stale",
    "path",
    "file",
    "branch",
    "commit",
    "test",
    "fails",
    "passes",
    "rename",
    "extract",
    "method",
    "before",
    "after",
    "loop",
    "early",
    "null",
    "empty",
    "string",
    "parser",
    "token",
    "offset",
    "Unicode",
    "naive",
    "case",
    "because",
    "otherwise",
    "window",
];

const CODE: &[&str] = &[
    "if (cache.has(key)) {",
    "return result.map((row) => row.id);",
    "const value = await store.get(id);",
    "for (const entry of entries) {",
    "}",
    "throw new Error(`unknown id: ${id}`);",
    "let offset = buffer.len() - 1;",
    "match parse(\"input\") {",
    "",
    "// The order of the two writes matters here.",
    "self.pending.push(Request { id, retries: 0 });",
    "logger.debug('state changed', { from, to });",
];

const FOLDERS: &[&str] =
    &["src", "src/core", "lib/net", "app/components", "pkg/store", "tests/e2e"];
const STEMS: &[&str] =
    &["index", "parser", "session", "cache", "router", "model", "view", "client", "retry"];
const ENDS: &[&str] = &["ts", "rs", "py", "go", "tsx"];

/// Returns one paragraph of so many words, some with a dash, which is not ASCII.
pub(super) fn sentence(random: &mut Random, words: u64) -> String {
    let words: Vec<&str> = (0..words).map(|_| random.pick(WORDS)).collect();
    let dash = if random.chance(30) { " \u{2014} see above" } else { "" };
    format!("{}{dash}.", words.join(" "))
}

/// Returns one line of code.
pub(super) fn code(random: &mut Random) -> String {
    let depth = usize::try_from(random.between(0, 4)).unwrap_or_default();
    format!("{}{}", "  ".repeat(depth), random.pick(CODE))
}

/// Returns so many lines of code.
pub(super) fn code_lines(random: &mut Random, lines: u64) -> Vec<String> {
    (0..lines).map(|_| code(random)).collect()
}

/// Returns the path of a source file.
pub(super) fn path(random: &mut Random) -> String {
    let folder = random.pick(FOLDERS);
    let (stem, end) = (random.pick(STEMS), random.pick(ENDS));
    format!("{folder}/{stem}_{}.{end}", random.between(1, 400))
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
