//! Properties that hold for every input: random bytes, and files built from difficult parts.

mod checkpoint;
mod checkpoint_merge;
mod create;
mod json;
mod merge;
mod repair;
mod review;
mod session_map;
mod session_merge;
mod session_salvage;
mod words;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use skein_format::time::{self, Time};

/// Returns the configuration of a property: `few` cases, or the number in `PROPTEST_CASES`.
fn cases(few: u32) -> Config {
    let requested = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    let cases = requested.unwrap_or(few);
    Config { cases, failure_persistence: None, max_global_rejects: 20 * cases, ..Config::default() }
}

/// A time that occurs in no part.
fn now() -> Time {
    time::parse("2031-05-06T07:08:09Z").unwrap().time
}

/// Generates text of any kind: words, markers, fences, line endings, and characters that resemble them.
fn text() -> impl Strategy<Value = String> {
    let part = select(vec![
        "a word",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "<local-code-review-comment id=\"x\"/>",
        "</local-code-review-thread>",
        "<local-code-review-thread>",
        "<local-code-review-patch lang=\"diff\"/>",
        "\u{feff}",
        "\u{2028}",
        "\u{a0}",
        "\u{3000}",
        "\\",
        "\"",
        "&amp;",
        "<",
        ">",
        "```",
        "````",
        "~~~",
        "```diff",
        "```suggestion",
        "-a",
        "+b",
        "## Comments",
        "\u{1f9f6}",
        "\0",
        "{",
        "}",
    ]);
    let parts = prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat());
    prop_oneof![4 => parts, 1 => any::<String>()]
}

/// Generates bytes that no format expects.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..200)
}

/// Truncates a file, changes its line endings, prepends a byte order mark, or changes one of its bytes.
fn spoiled(whole: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<u8>> {
    let ways = (0..6_u8, any::<prop::sample::Index>(), any::<u8>());
    (whole, any::<bool>(), any::<bool>(), ways).prop_map(|(text, crlf, bom, (way, at, byte))| {
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let mut bytes = if bom { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        bytes.extend(text.into_bytes());
        match way {
            0 if !bytes.is_empty() => bytes.truncate(at.index(bytes.len())),
            1 if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            _ => {}
        }
        bytes
    })
}

/// Asserts that one run of bytes was replaced, and that it had at most `most` bytes.
#[track_caller]
fn assert_one_place(before: &[u8], after: &[u8], most: usize) {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (&before[head..], &after[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let lost = old.len() - tail;
    assert!(lost <= most, "{lost} bytes were lost, at most {most} are allowed");
}
