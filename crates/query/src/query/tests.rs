use proptest::prelude::*;

use super::*;

const KEYS: &[&str] = &["kind", "status", "file"];

/// Formats the parsed terms on one line.
fn read(query: &str) -> String {
    let terms = match parse_terms(query, KEYS) {
        Ok(terms) => terms,
        Err(error) => return format!("{:?}: {error}", query.get(error.at.clone()).unwrap()),
    };
    let shown = terms.iter().map(|term| {
        let not = if term.not { "not " } else { "" };
        let what = match &term.kind {
            TermKind::Text(Atom::Word(word)) => word.clone(),
            TermKind::Text(Atom::Prefix(word)) => format!("{word}*"),
            TermKind::Text(Atom::Commit(word)) => format!("commit {word}"),
            TermKind::Text(Atom::Phrase { words, open }) => {
                format!("({}){}", words.join(" "), if *open { "*" } else { "" })
            }
            TermKind::Filter { key, value } => format!("{key}={value:?}"),
        };
        format!("{not}{what}")
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn check(query: &str, expected: &str) {
    assert_eq!(read(query), expected, "{query}");
}

#[test]
fn parses_words_phrases_prefixes_and_negations() {
    check("", "");
    check(" \t\n\u{3000} ", "");
    check("Reset  Café", "reset, cafe");
    check("\"a phrase\" -\"another one\"", "(a phrase), not (another one)");
    check("pre* -sub* \"to be o\"*", "pre*, not sub*, (to be o)*");
    check("mrr.ts feature/xyz src/a.* 漢字", "(mrr ts), (feature xyz), (src a)*, (漢 字)");
    check("it's x-y say\"hi", "(it s), (x y), (say hi)");
    check("\"one\"\"two\"three", "one, two, three");
    check("--force -v", "force, not v");
    check("pre***", "pre*");
    check("limit + 1 - -> -- >= 🚀 KIND:review", "limit, 1, kind=\"review\"");
}

#[test]
fn seven_hexadecimal_digits_are_a_commit() {
    check(
        "DEADBEE deadbee* \"deadbee\" dead -1234567",
        "commit deadbee, deadbee*, deadbee, dead, not commit 1234567",
    );
    check("deadbeg", "deadbeg");
}

#[test]
fn distinguishes_filters_from_text() {
    check(
        "kind:review -status:open file:\"a b.rs\"",
        "kind=\"review\", not status=\"open\", file=\"a b.rs\"",
    );
    check("kind: kind:\"\" kind::x", "kind=\"\", kind=\"\", kind=\":x\"");
    check("sort:date foo:\"a b\"", "sort=\"date\", foo=\"a b\"");
    check("std::fs https://example.org foo: foo:\"\"", "(std fs), (https example org), foo, foo");
    check("src/a.rs:12 TODO:x :x \"kind:review\"", "(src a rs 12), (todo x), x, (kind review)");
}

#[test]
fn reports_errors_with_their_position() {
    check("a \"b c", "\"\\\"b c\": the quote that opens here is never closed");
    check("file:\"b c", "\"\\\"b c\": the quote that opens here is never closed");
    check(" - ", "\"-\": a minus must be followed directly by the word to exclude");
    check("-- +", "\"--\": `--` has nothing to search for: only letters and digits are searched");
    check("* a", "\"*\": `*` must follow the start of a word");
    check("a -**", "\"-**\": `*` must follow the start of a word");
    check(
        "\"🎉\"",
        "\"\\\"🎉\\\"\": `\"🎉\"` has nothing to search for: only letters and digits are searched",
    );
    check(
        "\"\"",
        "\"\\\"\\\"\": `\"\"` has nothing to search for: only letters and digits are searched",
    );
}

#[test]
fn the_size_of_a_query_is_limited() {
    assert_eq!(parse_terms(&"a ".repeat(64), KEYS).unwrap().len(), 64);
    let error = parse_terms(&"a ".repeat(65), KEYS).unwrap_err();
    assert_eq!(
        (error.at.clone(), error.to_string().as_str()),
        (128..130, "the query has more than 64 words, phrases and filters")
    );
    assert!(parse_terms(&"a".repeat(4096), KEYS).is_ok());
    let error = parse_terms(&"ä".repeat(50_000), KEYS).unwrap_err();
    assert_eq!(
        (error.at.clone(), error.to_string().as_str()),
        (4096..100_000, "the query is longer than 4096 bytes")
    );
}

proptest! {
    #[test]
    fn any_query_is_parsed_or_rejected_with_a_position(query in "([-\"*:a-c /漢é]|kind:){0,30}") {
        match parse_terms(&query, KEYS) {
            Ok(terms) => {
                let mut end = 0;
                for term in terms {
                    prop_assert!(term.at.start >= end && term.at.end > term.at.start);
                    prop_assert!(query.get(term.at.clone()).is_some());
                    end = term.at.end;
                }
            }
            Err(error) => prop_assert!(query.get(error.at).is_some_and(|part| !part.is_empty())),
        }
    }

    #[test]
    fn a_term_alone_has_the_same_meaning(query in "[-\"*:a-c /漢é]{0,30}") {
        for term in parse_terms(&query, KEYS).unwrap_or_default() {
            let alone = parse_terms(query.get(term.at.clone()).unwrap(), KEYS).unwrap();
            prop_assert_eq!(alone.len(), 1);
            prop_assert_eq!((&alone[0].kind, alone[0].not), (&term.kind, term.not));
        }
    }
}
