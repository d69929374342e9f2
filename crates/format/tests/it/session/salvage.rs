//! Salvaging a damaged file.

use skein_format::session::{MapValidity, Mode, SessionMapDoc, salvage};

use super::{entry, loaded, map, now, text};

/// Salvages a file; checks the sessions by their titles, the lines that are cut, and the number of duplicates.
#[track_caller]
fn check(damaged: &[u8], titles: &[&str], cut: &[u32], duplicates: usize) -> SessionMapDoc {
    let saved = salvage(damaged, now());
    assert_eq!(saved.doc.soundness(), MapValidity::Sound, "{}", text(&saved.doc));
    assert_eq!(loaded(&saved.doc), titles);
    assert_eq!((saved.cut.as_slice(), saved.duplicates), (cut, duplicates));
    saved.doc
}

fn lines(entries: &[String]) -> String {
    let entries = entries.join(",\n    ");
    format!(
        "{{\n  \"version\": 1,\n  \"mappings\": [\n    {entries}\n  ],\n  \"x\": {{\"y\": 1}},\n  \"lastModified\": \"2026-01-15T15:00:00.000Z\"\n}}\n"
    )
}

fn two() -> String {
    lines(&[entry("a", "one", "14:00"), entry("b", "two", "14:00")])
}

#[test]
fn a_valid_file_is_returned_unchanged() {
    let doc = check(two().as_bytes(), &["a one", "b two"], &[], 0);
    assert_eq!(text(&doc), two());
}

#[test]
fn a_truncated_file_is_salvaged() {
    let file = two();
    let at = file.find("two").unwrap();
    let doc = check(&file.as_bytes()[..at], &["a one"], &[5], 0);
    let expected = format!(
        "{{\n  \"version\": 1,\n  \"mappings\": [\n    {}\n  ],\n  \"lastModified\": \"2031-05-06T07:08:09.000Z\"\n}}",
        entry("a", "one", "14:00")
    );
    assert_eq!(text(&doc), expected);
    let at = file.find("\n  ],").unwrap();
    check(&file.as_bytes()[..at], &["a one", "b two"], &[], 0);
    let at = file.find(",\n  \"last").unwrap();
    let doc = check(&file.as_bytes()[..at], &["a one", "b two"], &[], 0);
    assert!(text(&doc).contains("\n  \"x\": {\"y\": 1},\n"));
    check(b"", &[], &[], 0);
    check(b"{\"version\": 1, \"mapp", &[], &[1], 0);
}

#[test]
fn every_prefix_gives_the_entries_that_are_complete_in_it() {
    let entries = [
        entry("a", "on}e \\\" {", "14:00"),
        r#"{"sessionId": "b", "x": {"sessionId": "no", "threadRootPostId": "r"}}"#.to_owned(),
        "null".to_owned(),
        "17".to_owned(),
        entry("c", "\\ud800", "14:00"),
        "\"text\"".to_owned(),
        entry("d", "{", "14:00"),
        "[{}]".to_owned(),
    ];
    for file in [lines(&entries), map(&entries.join(",")), lines(&entries).replace('\n', "\r\n")] {
        let ends: Vec<usize> =
            entries.iter().map(|one| file.find(one.as_str()).unwrap() + one.len()).collect();
        let ends = [ends.as_slice(), &[file.len()]].concat();
        for len in 0..file.trim_end().len() {
            let saved = salvage(&file.as_bytes()[..len], now());
            // A number at the end of the file may be truncated.
            let whole = |(n, end): &(usize, &usize)| **end + usize::from(*n == 3) <= len;
            let whole = ends.iter().enumerate().filter(whole).count();
            assert_eq!(saved.entries, whole, "{}", &file[..len]);
            let text = text(&saved.doc);
            assert!(entries[..whole].iter().all(|one| text.contains(one.as_str())));
            assert_eq!(saved.doc.soundness(), MapValidity::Sound);
        }
    }
}

#[test]
fn a_file_that_was_written_twice_is_salvaged() {
    let file = two();
    check(format!("{file}{file}").as_bytes(), &["a one", "b two"], &[], 2);
    let later = file.replace("one", "newer").replace("14:00:00", "15:00:00");
    let (doubled, more) = (format!("{file}{later}"), ["a newer", "b two"]);
    let doc = check(doubled.as_bytes(), &more, &[], 0);
    assert_eq!(doc.load(Mode::Strict).diagnostics.len(), 2);
    assert_eq!(text(&doc).matches("\"x\"").count(), 1);
}

#[test]
fn a_truncated_file_with_a_complete_one_after_it_is_salvaged() {
    let file = two();
    for at in (0..file.len()).filter(|at| file.is_char_boundary(*at)) {
        let torn = format!("{}{file}", &file[..at]);
        let saved = salvage(torn.as_bytes(), now());
        assert_eq!(loaded(&saved.doc), ["a one", "b two"], "{torn}");
    }
}

#[test]
fn a_shorter_file_that_overwrote_a_longer_one_is_salvaged() {
    let long: Vec<_> = ["a", "b", "c", "d"].map(|id| entry(id, "old", "14:00")).to_vec();
    for long in [lines(&long), map(&long.join(","))] {
        let short = lines(&[entry("a", "new", "15:00")]);
        for cut in short.len()..long.len() {
            let torn = format!("{short}{}", &long[cut..]);
            let saved = salvage(torn.as_bytes(), now());
            let whole = |id: &str| long[cut..].contains(&entry(id, "old", "14:00"));
            let mut expected = vec!["a new".to_owned()];
            expected.extend(
                ["b", "c", "d"].iter().filter(|id| whole(id)).map(|id| format!("{id} old")),
            );
            assert_eq!(loaded(&saved.doc), expected, "{torn}");
        }
    }
}

#[test]
fn entries_between_garbage_are_salvaged() {
    let (a, b) = (entry("a", "one", "14:00"), entry("b", "two", "14:00"));
    let file = lines(&[a.clone(), "<<<<<<< ours".to_owned(), b.clone()]);
    check(file.as_bytes(), &["a one", "b two"], &[5], 0);
    check(format!("{a}\0\0\0\n{b}").as_bytes(), &["a one", "b two"], &[1], 0);
    check(format!("[{a},{b}]").as_bytes(), &["a one", "b two"], &[], 0);
    check(format!("{}\nkilled", map(&a)).as_bytes(), &["a one"], &[2], 0);
    let file = lines(&[a, "<<<<<<< ours".to_owned(), "{\"sessionId\":\"x\"}".to_owned(), b]);
    check(file.as_bytes(), &["a one", "b two"], &[5, 6], 0);
    let broken = two().replacen("\"u\"", "\"u", 1);
    check(broken.as_bytes(), &["b two"], &[4], 0);
}

#[test]
fn entries_in_an_object_instead_of_a_list_are_salvaged() {
    let file = format!("{{\"version\":1,\"mappings\":{{\"a\":{}}}}}", entry("a", "one", "14:00"));
    check(file.as_bytes(), &["a one"], &[], 0);
}

#[test]
fn a_byte_order_mark_is_removed_and_line_endings_are_kept() {
    let file = format!("\u{feff}{}", two().replace('\n', "\r\n"));
    let cut = &file.as_bytes()[..file.len() - 4];
    let doc = check(cut, &["a one", "b two"], &[], 0);
    assert!(text(&doc).starts_with("{\r\n") && !text(&doc).replace("\r\n", "").contains('\n'));
}

#[test]
fn an_unknown_version_stays_unknown() {
    let file = two().replace("\"version\": 1", "\"version\": 2");
    let cut = |at: usize| file[..at].to_owned();
    let version = "{\n  \"version\": 2".len();
    assert!(cut(version).ends_with('2'), "{file}");
    for damaged in [
        file.clone(),
        cut(file.len() - 4),
        cut(version),
        cut(version + 1),
        format!("{file}{}", two()),
    ] {
        let saved = salvage(damaged.as_bytes(), now());
        assert_eq!(saved.doc.soundness(), MapValidity::UnknownVersion);
    }
}
