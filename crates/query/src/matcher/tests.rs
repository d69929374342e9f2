use proptest::prelude::*;
use proptest::sample::select;
use skein_format::redact::redact;

use super::*;
use crate::field::TextRole;
use crate::query::{TermKind, parse_terms};

fn clauses(query: &str) -> Vec<Clause> {
    let terms = parse_terms(query, &[]).unwrap_or_default();
    let texts = terms.into_iter().filter_map(|term| match term.kind {
        TermKind::Text(atom) => Some(Clause { not: term.not, atom }),
        TermKind::Filter { .. } => None,
    });
    texts.collect()
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    tokens(text, |token| words.push(token.text.to_owned()));
    words
}

/// Counts the matches of an atom in a text, with a simple implementation.
fn count(atom: &Atom, text: &str) -> u32 {
    let words = words(text);
    let is_hex =
        |word: &str| word.len() >= 7 && word.chars().all(|digit| digit.is_ascii_hexdigit());
    let count = match atom {
        Atom::Word(wanted) => words.iter().filter(|word| *word == wanted).count(),
        Atom::Prefix(wanted) => words.iter().filter(|word| word.starts_with(wanted)).count(),
        Atom::Commit(wanted) => words
            .iter()
            .filter(|word| is_hex(word) && (word.starts_with(wanted) || wanted.starts_with(*word)))
            .count(),
        Atom::Phrase { words: wanted, open } => words
            .windows(wanted.len())
            .filter(|part| {
                let (last, first) = part.split_last().unwrap();
                let (wanted_last, wanted_first) = wanted.split_last().unwrap();
                first == wanted_first
                    && (last == wanted_last || *open && last.starts_with(wanted_last))
            })
            .count(),
    };
    u32::try_from(count).unwrap()
}

fn plain_judge(clauses: &[Clause], values: &[(TextRole, &str)]) -> Option<MatchCounts> {
    let mut found = MatchCounts { counts: Vec::new(), lengths: [0; 3] };
    for (field, text) in values {
        found.lengths[*field as usize] += u32::try_from(text.len()).unwrap();
    }
    for Clause { not, atom } in clauses {
        let mut counts = [0; 3];
        for (field, text) in values {
            counts[*field as usize] += count(atom, text);
        }
        if (counts == [0; 3]) != *not {
            return None;
        }
        if !not {
            found.counts.push(counts);
        }
    }
    Some(found)
}

fn judge(query: &str, text: &str) -> Option<MatchCounts> {
    Matcher::new(&clauses(query)).judge([(TextRole::Body, text)])
}

#[test]
fn every_positive_and_no_negated_term_must_match() {
    let text = "Fix the MRR in apps/function/src/mrr.ts on feature/xyz, commit 9fceb02d0ae5";
    for query in [
        "mrr",
        "MRR.ts",
        "xyz",
        "function",
        "9fceb02",
        "9fceb02d0ae598e95d",
        "mr*",
        "\"the mrr\"",
        "fix -gone",
    ] {
        assert!(judge(query, text).is_some(), "{query}");
    }
    for query in [
        "mr",
        "ts.mrr",
        "9fceb03",
        "9fceb0",
        "fix -mrr",
        "fix -\"the mrr\"",
        "fix -m*",
        "\"fix mrr\"",
        "fix gone",
    ] {
        assert!(judge(query, text).is_none(), "{query}");
    }
}

#[test]
fn a_phrase_must_be_in_one_text() {
    let matcher = Matcher::new(&clauses("\"one two\""));
    let values = |first, second| [(TextRole::Title, first), (TextRole::Title, second)];
    assert!(matcher.judge(values("one", "two")).is_none());
    assert!(matcher.judge(values("one two", "")).is_some());
    assert!(Matcher::new(&clauses("one two")).judge(values("one", "two")).is_some());
}

#[test]
fn a_phrase_of_many_words_is_found() {
    let long: Vec<String> = (0..500).map(|number| format!("w{}", number % 7)).collect();
    let matcher = Matcher::new(&clauses(&format!("\"{}\"", long.join(" "))));
    let text = format!("w0 {} w3", long.join("-"));
    assert_eq!(matcher.judge([(TextRole::Body, text.as_str())]).unwrap().counts, [[0, 0, 1]]);
    let text = format!("w9 {} w3", long[1..].join("-"));
    assert!(matcher.judge([(TextRole::Body, text.as_str())]).is_none());
}

#[test]
fn overlapping_phrases_are_counted() {
    let count = |query: &str, text: &str| judge(query, text).unwrap().counts;
    assert_eq!(count("\"a a a\"", "a a a a a"), [[0, 0, 3]]);
    assert_eq!(count("\"a a\"*", "a ab a a"), [[0, 0, 2]]);
    let many = |times| vec!["a"; times].join(" ");
    assert_eq!(count(&format!("\"{}\"", many(70)), &many(100)), [[0, 0, 31]]);
    assert_eq!(count(&format!("\"{} b\"", many(64)), &format!("{} b b", many(200))), [[0, 0, 1]]);
}

#[test]
fn spans_of_long_phrases_start_at_their_first_word() {
    let matcher = Matcher::new(&clauses("\"b c d\" e"));
    assert_eq!(matcher.spans("a b b c d, e e b c"), [4..9, 11..12, 13..14]);
}

#[test]
fn a_matcher_can_be_shared_between_threads() {
    let matcher = Matcher::new(&clauses("word 漢字"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(matcher.may_match(&["a word 漢 字".as_bytes()])));
        }
    });
}

#[test]
fn without_clauses_everything_matches() {
    assert_eq!(
        judge("", "two words"),
        Some(MatchCounts { counts: Vec::new(), lengths: [0, 0, 9] })
    );
    assert!(Matcher::new(&[]).may_match(&[b""]));
    assert!(Matcher::new(&clauses("-gone")).may_match(&[b""]));
}

#[test]
fn spans_cover_the_matches_in_the_original_text() {
    let text = "Das MRR in src/mrr.ts: Größe, 漢字 und MRRs";
    let matcher = Matcher::new(&clauses("mrr.ts grosse 漢字 mrr* -und"));
    let shown: Vec<&str> =
        matcher.spans(text).into_iter().map(|span| text.get(span).unwrap()).collect();
    assert_eq!(shown, ["MRR", "mrr.ts", "Größe", "漢字", "MRRs"]);
}

#[test]
fn files_without_the_words_are_skipped() {
    let file = "{\"title\": \"Über die Größe — “quoted”\", \"x\": \"\\u001b\"} plain words, 漢字";
    for query in
        ["missing", "9fceb02d0a", "\"plain missing\"", "words missing", "größer", "字体x", "ия"]
    {
        assert!(!Matcher::new(&clauses(query)).may_match(&[file.as_bytes()]), "{query}");
    }
    for query in ["grosse", "UBER", "plain -words", "字", "quo*", "redacted", "aws", "assignment"]
    {
        assert!(Matcher::new(&clauses(query)).may_match(&[file.as_bytes()]), "{query}");
    }
}

#[test]
fn parts_are_searched_together() {
    let matcher = Matcher::new(&clauses("body name"));
    assert!(matcher.may_match(&[b"the body", b"the name"]));
    assert!(!matcher.may_match(&[b"the body"]));
}

/// Generates text that contains words of the queries, in forms that folding and escapes produce.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => select(vec!["ab", "abc", "AB", "Straße", "strasse", "é", "e\u{301}", "e", "漢", "字", "か\u{3099}", "が", "한"]),
        3 => select(vec!["deadbeef", "deadbee", "DEADBEEF0123", "\u{FB01}", "fi", "ａｂ", "x\u{AD}", "ж", "Ж", "\u{334}", "½"]),
        6 => select(vec![" ", " ", " ", "-", "\n", "\"", "\\", "\\u0061", "\u{1b}", "—", "🎉", "_"]),
        1 => select(vec!["redacted", "aws", "abababababababababababababababababababababababababababababababababababababab"]),
    ];
    prop_oneof![prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat()), ".{0,20}"]
}

/// Generates queries, some of them from words of the text.
fn query(text: &str) -> impl Strategy<Value = String> + use<> {
    let mut words = words(text);
    words.extend(["ab", "abc", "strasse", "deadbeef", "漢字", "e", "fi"].map(str::to_owned));
    let one = prop_oneof![
        4 => select(words.clone()),
        1 => select(words.clone()).prop_map(|word| format!("{}*", word.chars().take(2).collect::<String>())),
        2 => (prop::collection::vec(select(words), 1..4), any::<bool>())
            .prop_map(|(words, open)| format!("\"{}\"{}", words.join(" "), if open { "*" } else { "" })),
    ];
    let term = (prop::bool::weighted(0.2), one)
        .prop_map(|(not, one)| format!("{}{one}", if not { "-" } else { "" }));
    prop::collection::vec(term, 0..4).prop_map(|terms| terms.join(" "))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for unit in text.encode_utf16() {
        match char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric) {
            Some(plain) => out.push(plain),
            None => out.extend(format!("\\u{unit:04x}").chars()),
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn matches_like_the_simple_implementation((text, query) in text().prop_flat_map(|text| (Just(text.clone()), query(&text))), other in text()) {
        let clauses = clauses(&query);
        let values = [(TextRole::Title, text.as_str()), (TextRole::Body, other.as_str()), (TextRole::Body, text.as_str())];
        prop_assert_eq!(Matcher::new(&clauses).judge(values), plain_judge(&clauses, &values));
    }

    #[test]
    fn a_match_is_never_skipped((text, query) in text().prop_flat_map(|text| (Just(text.clone()), query(&text)))) {
        let matcher = Matcher::new(&clauses(&query));
        if matcher.judge([(TextRole::Body, text.as_str())]).is_some() {
            prop_assert!(matcher.may_match(&[text.as_bytes()]));
            prop_assert!(matcher.may_match(&[serde_json::to_string(&text).unwrap().as_bytes()]));
            prop_assert!(matcher.may_match(&[escaped(&text).as_bytes()]));
        }
    }

    #[test]
    fn invalid_utf8_that_matches_is_not_skipped(
        (text, query) in text().prop_flat_map(|text| (Just(text.clone()), query(&text))),
        cut in 0_usize..20, broken in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let mut bytes = text.into_bytes();
        let cut = cut.min(bytes.len());
        bytes.splice(cut..cut, broken);
        let matcher = Matcher::new(&clauses(&query));
        if matcher.judge([(TextRole::Body, &*String::from_utf8_lossy(&bytes))]).is_some() {
            prop_assert!(matcher.may_match(&[&bytes]));
        }
    }

    #[test]
    fn prepared_texts_have_the_same_matches(
        (text, query) in text().prop_flat_map(|text| (Just(text.clone()), query(&text))),
        cut in 0_usize..20,
    ) {
        let (start, end) = text.split_at_checked(cut).unwrap_or((&text, ""));
        let texts = [(TextRole::Title, start), (TextRole::Body, end), (TextRole::Body, &text)];
        let matcher = Matcher::new(&clauses(&query));
        let prepared = PreparedTexts::new(texts.iter().map(SearchText::from));
        prop_assert_eq!(matcher.judge_prepared(&prepared), matcher.judge(texts));
    }

    #[test]
    fn spans_exist_if_a_positive_clause_matches((text, query) in text().prop_flat_map(|text| (Just(text.clone()), query(&text)))) {
        let clauses = clauses(&query);
        let spans = Matcher::new(&clauses).spans(&text);
        let found = clauses.iter().any(|clause| !clause.not && count(&clause.atom, &text) > 0);
        prop_assert_eq!(!spans.is_empty(), found);
        for pair in spans.windows(2) {
            prop_assert!(pair[0].end < pair[1].start);
        }
        for span in spans {
            prop_assert!(text.get(span).is_some_and(|part| !part.is_empty()));
        }
    }
}

#[test]
fn a_word_next_to_the_shortest_secret_is_found() {
    let text = "o73059182:AAk7Qx3Zp9Wb5Tj2Rv8k7Qx3Zp9Wb5Tj";
    let matcher = Matcher::new(&clauses("o"));
    assert!(matcher.judge([SearchText { role: TextRole::Body, text, guarded: true }]).is_some());
    assert!(matcher.may_match(&[text.as_bytes()]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn secrets_are_not_searched(
        parts in prop::collection::vec(
            prop_oneof![
                select(vec!["one", "two", "o", " ", "-", "=", "é", "ghp", "token=", "://", "@"]).prop_map(str::to_owned),
                select(rules().collect::<Vec<_>>()).prop_map(|rule| rule.example()),
            ],
            0..14,
        ),
        query in select(vec!["one", "two", "ghp", "redacted", "github*", "one -two", "a1b2c3d4*", "\"one two\""]),
    ) {
        let text = parts.concat();
        let shown = redact(&text);
        let matcher = Matcher::new(&clauses(query));
        let guarded = SearchText { role: TextRole::Body, text: &text, guarded: true };
        let found = matcher.judge([guarded]).map(|found| found.counts);
        let plain = matcher.judge([(TextRole::Body, &*shown)]).map(|found| found.counts);
        prop_assert!(found.is_none() || matcher.may_match(&[text.as_bytes()]), "{}", text);
        prop_assert_eq!(found, plain, "{}", text);
        let prepared = PreparedTexts::new([guarded]);
        prop_assert_eq!(matcher.judge_prepared(&prepared), matcher.judge([guarded]), "{}", text);
    }
}
