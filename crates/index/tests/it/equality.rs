use proptest::prelude::*;
use skein_index::{Field, Index, Scorer, Stamp, Stats};

use crate::shelf::{Shelf, Values, ask, clauses};

const WORDS: [&str; 20] = [
    "a",
    "b",
    "ab",
    "abc",
    "Straße",
    "strasse",
    "Über",
    "漢字",
    "漢",
    "かな",
    "ก็",
    "feature/xyz",
    "mrr.ts",
    "0123456",
    "01234567",
    "0123456789abcdef0123",
    "0123456x",
    "the",
    "é",
    "e\u{301}",
];
const QUERIES: [&str; 30] = [
    "a",
    "A b",
    "ab*",
    "a*",
    "\"a b\"",
    "\"b a\"",
    "\"a a\"",
    "\"a b*",
    "-a",
    "-a -b",
    "ab -abc",
    "straße",
    "uber",
    "漢",
    "漢字",
    "字",
    "\"漢 字\"",
    "か*",
    "xyz",
    "feature/xyz",
    "feature/x*",
    "mrr.ts",
    "0123456",
    "0123456789",
    "0123456789abcdef0123456",
    "-0123456",
    "\"the a b\"",
    "e",
    "nothing",
    "a b ab abc the",
];

fn text() -> impl Strategy<Value = String> {
    let word =
        prop_oneof![8 => prop::sample::select(&WORDS[..4]), 3 => prop::sample::select(&WORDS[..])];
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

fn values() -> impl Strategy<Value = Values> {
    let field = prop::sample::select(&Field::ALL[..]);
    prop::collection::vec((field, text()), 0..5)
}

fn steps() -> impl Strategy<Value = Vec<Vec<(u8, Option<Values>)>>> {
    let change = (0..24_u8, prop::option::weighted(0.8, values()));
    prop::collection::vec(prop::collection::vec(change, 0..5), 1..14)
}

fn agree(shelf: &Shelf, index: &Index) {
    for query in QUERIES {
        let query = query.replace("\"a b*", "\"a b\"*");
        assert_eq!(ask(index, &query).unwrap(), shelf.scan(&query), "{query}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_a_scan_finds_after_any_changes(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::default();
        for step in steps {
            for (name, values) in step {
                match values {
                    Some(values) => shelf.put(&format!("{name}.md"), values),
                    None => drop(shelf.docs.remove(&format!("{name}.md"))),
                }
            }
            shelf.write(dir.path()).unwrap();
            let index = Index::open(dir.path()).unwrap().unwrap();
            agree(&shelf, &index);
            for (slot, (name, (revision, _))) in (0..).zip(&shelf.docs) {
                let snapshot = index.snapshot();
                prop_assert_eq!(snapshot.name(slot), name.as_str());
                prop_assert_eq!(snapshot.facts(slot).unwrap().collect::<Vec<_>>(), [name, "", "all"]);
                prop_assert_eq!(snapshot.time(slot), i64::try_from(*revision).unwrap());
                let stamp = Stamp::new(1, -1, *revision, u64::MAX);
                prop_assert_eq!(snapshot.stamp(slot), Some(stamp));
            }
            prop_assert_eq!(usize::try_from(index.snapshot().len()).unwrap(), shelf.docs.len());
        }
    }
}

#[test]
fn large_lists_are_read_block_by_block_and_on_all_processors() {
    let dir = tempfile::tempdir().unwrap();
    let mut shelf = Shelf::default();
    for number in 0..10_500 {
        let often = "the a the b a b c ".repeat(1 + number % 3);
        let rare = if number % 900 == 3 { "rare a b" } else { "" };
        shelf.put(
            &format!("{number:05}"),
            vec![
                (Field::Title, format!("the {number}")),
                (Field::Body, often),
                (Field::Body, format!("word{number} {rare}")),
            ],
        );
    }
    shelf.write(dir.path()).unwrap();
    for number in (0..10_500).step_by(11) {
        shelf.put_body(&format!("{number:05}"), "the a gone");
    }
    shelf.write(dir.path()).unwrap();
    let index = Index::open(dir.path()).unwrap().unwrap();
    for query in [
        "the",
        "\"the a\"",
        "\"a b c the\"",
        "rare",
        "\"rare a\"",
        "w*",
        "\"a w*\"",
        "\"c w\"*",
        "word12*",
        "-the",
        "a -rare",
        "\"c rare\"",
    ] {
        let expected = shelf.scan(query);
        assert_eq!(ask(&index, query).unwrap(), expected, "{query}");
    }
    assert_eq!(shelf.scan("\"the a\"").len(), 10_500);
}

#[test]
fn scores_are_those_of_a_scan() {
    let dir = tempfile::tempdir().unwrap();
    let mut shelf = Shelf::default();
    shelf.put("a", vec![(Field::Title, "rust".into()), (Field::Body, "one two three".into())]);
    shelf.put("b", vec![(Field::Label, "rust".into()), (Field::Body, "rust and rust".into())]);
    shelf.put_body("c", "none");
    shelf.write(dir.path()).unwrap();
    let index = Index::open(dir.path()).unwrap().unwrap();
    let matches = index.find(&clauses("rust -three")).unwrap();
    let stats = Stats {
        docs: matches.docs(),
        lengths: matches.lengths(),
        frequencies: matches.frequencies().to_vec(),
    };
    assert_eq!(stats, Stats { docs: 3, lengths: [4, 4, 30], frequencies: vec![2] });
    let scorer = Scorer::new(&stats);
    let [(slot, score)] = matches.scored(&scorer)[..] else { panic!("more than one") };
    let found = &shelf.scan("rust -three")["b"];
    assert_eq!(index.snapshot().name(slot), "b");
    assert_eq!(score.to_bits(), scorer.score(&found.counts, found.lengths).to_bits());
}
