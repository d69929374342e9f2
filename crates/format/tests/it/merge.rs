//! Merging two versions of a thread.

use skein_format::review::{MergedReview, ReviewDoc, merge};

const STORE: &str = ".code-review";

/// A thread, built from its parts.
#[derive(Clone)]
pub(crate) struct Thread {
    pub(crate) lead: &'static str,
    pub(crate) status: &'static str,
    pub(crate) updated: &'static str,
    pub(crate) line: u32,
    pub(crate) extra: &'static str,
    pub(crate) prose: &'static str,
    pub(crate) patch: &'static str,
    pub(crate) comments: Vec<(&'static str, u32, &'static str)>,
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            lead: "",
            status: "open",
            updated: "10:00",
            line: 4,
            extra: "",
            prose: "",
            patch: "",
            comments: vec![("c1", 0, "Why?")],
        }
    }
}

impl Thread {
    pub(crate) fn text(&self) -> String {
        let Self { lead, status, updated, line, extra, prose, patch, .. } = self;
        let shown = line + 1;
        let patch = match *patch {
            "" => String::new(),
            patch => format!(
                "## Patch\n<local-code-review-patch lang=\"diff\"/>\n\n```diff\n{patch}\n```\n\n"
            ),
        };
        let mut text = format!(
            "{lead}<local-code-review-thread>\n{{\n  \"schemaVersion\": 1,\n  \"id\": \"t\",\n  \"target\": {{\n    \
             \"workspaceRelativePath\": \"src/a.rs\",\n    \"range\": {{\n      \"startLine\": {line},\n      \
             \"startCharacter\": 0,\n      \"endLine\": {line},\n      \"endCharacter\": 3\n    }},\n    \"anchor\": {{\"kind\": \"lineRange\"}}\n  }},\n{extra}  \
             \"status\": \"{status}\",\n  \"createdAt\": \"2026-03-02T10:00:00.000Z\",\n  \
             \"updatedAt\": \"2026-03-02T{updated}:00.000Z\"\n}}\n</local-code-review-thread>\n\n\
             # src/a.rs:L{shown} \u{b7} {status}\n\n{prose}{patch}## Comments\n"
        );
        for (id, minute, body) in &self.comments {
            text.push_str(&comment(id, *minute, body));
        }
        text
    }
}

fn comment(id: &str, minute: u32, body: &str) -> String {
    format!(
        "\n<local-code-review-comment id=\"{id}\" author=\"Ines\" createdAt=\"2026-03-02T10:{minute:02}:00.000Z\"/>\n\n{body}\n"
    )
}

fn run(base: Option<&str>, ours: &str, theirs: &str) -> MergedReview {
    let base = base.map(str::as_bytes);
    merge(base, ours.as_bytes(), theirs.as_bytes(), "t", STORE, ("HEAD", "topic"))
}

/// Merges two versions of a thread; the result must be a thread without conflicts.
#[track_caller]
fn check(base: &Thread, ours: &Thread, theirs: &Thread, expected: &Thread, notes: &[&str]) {
    let merged = run(Some(&base.text()), &ours.text(), &theirs.text());
    let text = String::from_utf8(merged.bytes).unwrap();
    assert_eq!(text, expected.text());
    assert!(!merged.conflicted);
    assert_eq!(merged.notes, notes);
}

fn with(comments: &[(&'static str, u32, &'static str)]) -> Thread {
    Thread { comments: comments.to_vec(), ..Thread::default() }
}

#[test]
fn two_replies_merge_in_the_order_of_time() {
    let one = with(&[("c1", 0, "Why?"), ("c2", 7, "Because."), ("c4", 9, "So.")]);
    let other = with(&[("c1", 0, "Why?"), ("c3", 8, "Hm.")]);
    let both = [("c1", 0, "Why?"), ("c2", 7, "Because."), ("c3", 8, "Hm."), ("c4", 9, "So.")];
    check(&Thread::default(), &one, &other, &with(&both), &[]);
    check(&Thread::default(), &other, &one, &with(&both), &[]);
}

#[test]
fn replies_with_the_same_time_are_merged_with_ours_first() {
    let one = with(&[("c1", 0, "Why?"), ("b", 5, "One.")]);
    let other = with(&[("c1", 0, "Why?"), ("a", 5, "Two.")]);
    let both = with(&[("c1", 0, "Why?"), ("b", 5, "One."), ("a", 5, "Two.")]);
    check(&Thread::default(), &one, &other, &both, &[]);
}

#[test]
fn the_first_replies_of_a_thread_are_merged_too() {
    let none = with(&[]);
    check(
        &none,
        &with(&[("a", 1, "A")]),
        &with(&[("b", 2, "B")]),
        &with(&[("a", 1, "A"), ("b", 2, "B")]),
        &[],
    );
    check(&none, &none, &with(&[("b", 2, "B")]), &with(&[("b", 2, "B")]), &[]);
}

#[test]
fn the_later_status_and_time_win() {
    let resolved = Thread { status: "resolved", updated: "11:00", ..Thread::default() };
    let replied = Thread { updated: "12:00", ..with(&[("c1", 0, "Why?"), ("c2", 7, "So.")]) };
    let both = Thread { status: "resolved", ..replied.clone() };
    check(&Thread::default(), &resolved, &replied, &both, &[]);
    check(&Thread::default(), &replied, &resolved, &both, &[]);
    let merged = run(None, &resolved.text(), &replied.text());
    assert_eq!(String::from_utf8(merged.bytes).unwrap(), replied.text());
}

#[test]
fn a_moved_range_is_merged_together_with_its_heading() {
    let moved = Thread { line: 9, updated: "11:00", ..Thread::default() };
    let resolved = Thread { status: "resolved", updated: "12:00", ..Thread::default() };
    let both = Thread { line: 9, ..resolved.clone() };
    check(&Thread::default(), &moved, &resolved, &both, &[]);
    check(&Thread::default(), &resolved, &moved, &both, &[]);
    let farther = Thread { line: 20, updated: "12:00", ..Thread::default() };
    let note = "`target` differs on both sides; the later one is kept";
    check(&Thread::default(), &moved, &farther, &farther, &[note]);
    check(&Thread::default(), &farther, &moved, &farther, &[note]);
}

#[test]
fn unknown_keys_are_merged_one_by_one() {
    let with = |extra| Thread { extra, ..Thread::default() };
    let one = "  \"colour\": \"red\",\n";
    let base = with(one);
    let resolved = Thread { status: "resolved", updated: "11:00", ..base.clone() };
    let gone = Thread { status: "resolved", updated: "11:00", ..with("") };
    check(&base, &resolved, &with(""), &gone, &[]);
    check(&base, &with(""), &resolved, &gone, &[]);
    let blue = with("  \"colour\": \"blue\",\n");
    let both = Thread { updated: "11:00", status: "resolved", ..blue.clone() };
    check(&base, &resolved, &blue, &both, &[]);
    let green = Thread { updated: "11:00", ..with("  \"colour\": \"green\",\n") };
    let note = "`colour` differs on both sides; the later one is kept";
    check(&base, &blue, &green, &green, &[note]);
    check(&base, &green, &blue, &green, &[note]);
}

#[test]
fn a_key_that_theirs_added_is_added() {
    let added = Thread { extra: "  \"list\": [\n    1,\n    2\n  ],\n", ..Thread::default() };
    let resolved = Thread { status: "resolved", updated: "11:00", ..Thread::default() };
    let merged = run(Some(&Thread::default().text()), &resolved.text(), &added.text());
    let text = String::from_utf8(merged.bytes).unwrap();
    let end = "\"updatedAt\": \"2026-03-02T11:00:00.000Z\"\n";
    let longer =
        "\"updatedAt\": \"2026-03-02T11:00:00.000Z\",\n  \"list\": [\n    1,\n    2\n  ]\n";
    assert_eq!(text, resolved.text().replace(end, longer));
}

#[test]
fn an_edit_of_one_side_is_taken() {
    let base = with(&[("c1", 0, "Why?"), ("c2", 1, "So.")]);
    let one = with(&[("c1", 0, "Why not?"), ("c2", 1, "So.")]);
    let other = with(&[("c1", 0, "Why?"), ("c2", 1, "So!")]);
    let both = with(&[("c1", 0, "Why not?"), ("c2", 1, "So!")]);
    let note = |id: &str| {
        format!("the comment `{id}` by Ines was edited on one side; its new text is used")
    };
    check(&base, &one, &other, &both, &[&note("c1"), &note("c2")]);
}

#[test]
fn two_edits_of_one_comment_are_both_kept() {
    let one = with(&[("c1", 0, "Why not?"), ("c1-2", 1, "Taken.")]);
    let other = with(&[("c1", 0, "When?")]);
    let both = with(&[("c1", 0, "Why not?"), ("c1-3", 0, "When?"), ("c1-2", 1, "Taken.")]);
    let note = "the comment `c1` differs on both sides; theirs is kept as `c1-3`";
    check(&Thread::default(), &one, &other, &both, &[note]);
}

#[test]
fn two_replies_with_one_id_are_both_kept() {
    let one = with(&[("c1", 0, "Why?"), ("c2", 1, "One.")]);
    let other = with(&[("c1", 0, "Why?"), ("c2", 2, "Two.")]);
    let both = with(&[("c1", 0, "Why?"), ("c2", 1, "One."), ("c2-2", 2, "Two.")]);
    let note = "the comment `c2` differs on both sides; theirs is kept as `c2-2`";
    check(&Thread::default(), &one, &other, &both, &[note]);
}

#[test]
fn the_same_text_by_two_authors_is_two_comments() {
    let one = with(&[("c1", 0, "Why?"), ("c2", 1, "Done.")]).text();
    let other = one.replace("id=\"c2\" author=\"Ines\"", "id=\"c2\" author=\"Bo\"");
    let merged = run(Some(&Thread::default().text()), &one, &other);
    let (doc, _) = ReviewDoc::parse(merged.bytes, "t", STORE);
    let comments: Vec<_> = doc.comments().into_iter().map(|one| (one.id, one.author)).collect();
    let pair = |id: &str, author: &str| (id.to_owned(), author.to_owned());
    assert_eq!(comments, [pair("c1", "Ines"), pair("c2", "Ines"), pair("c2-2", "Bo")]);
}

#[test]
fn a_comment_that_is_missing_on_one_side_is_kept() {
    let base = with(&[("c1", 0, "Why?"), ("c2", 1, "So.")]);
    let less = with(&[("c2", 1, "So.")]);
    let more = with(&[("c1", 0, "Why?"), ("c2", 1, "So."), ("c3", 2, "Hm.")]);
    let note = "the comment `c1` is missing on one side, and is kept";
    check(&base, &less, &more, &more, &[note]);
    check(&base, &more, &less, &more, &[note]);
    let edited = with(&[("c1", 0, "Why not?"), ("c2", 1, "So.")]);
    check(&base, &less, &edited, &edited, &[note]);
    let replied = with(&[("c2", 1, "So."), ("c3", 2, "Hm.")]);
    check(&base, &less, &replied, &replied, &[]);
    let merged = run(None, &less.text(), &more.text());
    assert_eq!(String::from_utf8(merged.bytes).unwrap(), more.text());
}

#[test]
fn prose_is_merged_by_lines() {
    let prose = |prose| Thread { prose, ..Thread::default() };
    let base = prose("one\n\ntwo\n\nthree\n\n");
    check(
        &base,
        &prose("ONE\n\ntwo\n\nthree\n\n"),
        &prose("one\n\ntwo\n\nTHREE\n\n"),
        &prose("ONE\n\ntwo\n\nTHREE\n\n"),
        &[],
    );
    let lead = |lead| Thread { lead, ..Thread::default() };
    check(&lead("a\nb\nc\n"), &lead("x\nb\nc\n"), &lead("a\nb\ny\n"), &lead("x\nb\ny\n"), &[]);
}

#[test]
fn a_conflict_in_prose_or_patch_is_marked_at_its_position() {
    let with = |patch, prose, id, minute, status, updated| Thread {
        patch,
        prose,
        status,
        updated,
        comments: vec![("c1", 0, "Why?"), (id, minute, "So.")],
        ..Thread::default()
    };
    let base = Thread { patch: "-a", prose: "note\n\n", ..Thread::default() };
    let ours = with("-a\n+b", "my note\n\n", "c2", 2, "open", "10:02");
    let theirs = with("-a\n+c", "your note\n\n", "c3", 3, "resolved", "10:03");
    let merged = run(Some(&base.text()), &ours.text(), &theirs.text());
    assert!(merged.conflicted);
    let text = String::from_utf8(merged.bytes.clone()).unwrap();
    let (_, rest) = text.split_once("</local-code-review-thread>\n").unwrap();
    let expected = "
# src/a.rs:L5 \u{b7} resolved

<<<<<<< HEAD
my note
=======
your note
>>>>>>> topic

## Patch
<local-code-review-patch lang=\"diff\"/>

<<<<<<< HEAD
```diff
-a
+b
```
=======
```diff
-a
+c
```
>>>>>>> topic

## Comments
";
    let comments = [comment("c1", 0, "Why?"), comment("c2", 2, "So."), comment("c3", 3, "So.")];
    assert_eq!(rest, format!("{expected}{}", comments.concat()));
    let (doc, findings) = ReviewDoc::parse(merged.bytes, "t", STORE);
    assert!(doc.head().usable, "{findings:?}");
    assert_eq!((doc.patch().as_deref(), doc.comment_count()), (Some("-a\n+b"), 3));
}

#[test]
fn a_patch_that_both_sides_added_appears_once() {
    let patched = Thread { patch: "-a\n+b", ..Thread::default() };
    let also = Thread { updated: "11:00", ..patched.clone() };
    check(&Thread::default(), &patched, &also, &also, &[]);
    let other = Thread { patch: "-a\n+c", ..Thread::default() };
    let merged = run(Some(&Thread::default().text()), &patched.text(), &other.text());
    let text = String::from_utf8(merged.bytes).unwrap();
    assert_eq!(text.matches("<local-code-review-patch").count(), 1);
    assert!(merged.conflicted);
}

#[test]
fn line_endings_are_those_of_ours() {
    let crlf = |thread: &Thread| thread.text().replace('\n', "\r\n");
    let one = with(&[("c1", 0, "Why?"), ("c2", 7, "Because.\n\nTwo.")]);
    let other = Thread {
        status: "resolved",
        updated: "11:00",
        ..with(&[("c1", 0, "Why?"), ("c3", 8, "Hm.\nYes.")])
    };
    let base = Thread::default();
    let both = run(Some(&base.text()), &one.text(), &other.text()).bytes;
    let both = String::from_utf8(both).unwrap();
    for (base, theirs) in [
        (base.text(), other.text()),
        (crlf(&base), other.text()),
        (base.text(), crlf(&other)),
        (crlf(&base), crlf(&other)),
    ] {
        let merged = run(Some(&base), &one.text(), &theirs);
        assert_eq!(String::from_utf8(merged.bytes).unwrap(), both);
        let merged = run(Some(&base), &crlf(&one), &theirs);
        assert_eq!(String::from_utf8(merged.bytes).unwrap(), both.replace('\n', "\r\n"));
    }
}

#[test]
fn a_missing_final_newline_does_not_join_lines() {
    let one = with(&[("c1", 0, "Why?"), ("c2", 7, "Because.")]).text();
    let other = with(&[("c1", 0, "Why?"), ("c3", 8, "Hm.")]).text();
    let both = with(&[("c1", 0, "Why?"), ("c2", 7, "Because."), ("c3", 8, "Hm.")]).text();
    let cut = |text: &str| text.trim_end().to_owned();
    let base = cut(&Thread::default().text());
    assert_eq!(run(Some(&base), &cut(&one), &other).bytes, both.as_bytes());
    assert_eq!(run(Some(&base), &one, &cut(&other)).bytes, both.as_bytes());
    assert_eq!(run(Some(&base), &cut(&one), &cut(&other)).bytes, cut(&both).as_bytes());
    let none = cut(&with(&[]).text());
    let first = with(&[("a", 1, "A")]);
    let resolved =
        Thread { status: "resolved", updated: "11:00", comments: vec![], ..Thread::default() };
    let both = Thread { status: "resolved", updated: "11:00", ..first.clone() };
    assert_eq!(
        run(Some(&none), &cut(&resolved.text()), &first.text()).bytes,
        both.text().as_bytes()
    );
}

#[test]
fn an_unusable_side_is_merged_as_text() {
    let one = with(&[("c1", 0, "Why?"), ("c2", 7, "Because.")]).text();
    let broken = Thread::default().text().replace("\"status\": \"open\",", "\"status\": \"open\"");
    let merged = run(Some(&Thread::default().text()), &one, &broken);
    assert!(merged.conflicted);
    assert_eq!(merged.notes.len(), 1);
    let text = String::from_utf8(merged.bytes).unwrap();
    assert_eq!(text, one.replace("\"status\": \"open\",", "\"status\": \"open\""));
    let other = Thread::default().text().replace("\"open\"", "\"shut");
    let merged =
        run(Some(&Thread { status: "resolved", ..Thread::default() }.text()), &one, &other);
    let text = String::from_utf8(merged.bytes).unwrap();
    let conflict =
        "<<<<<<< HEAD\n  \"status\": \"open\",\n=======\n  \"status\": \"shut,\n>>>>>>> topic\n";
    assert!(text.contains(conflict), "{text}");
}

#[test]
fn a_byte_order_mark_stays_first() {
    let bom = |thread: &Thread| format!("\u{feff}{}", thread.text());
    let one = Thread { lead: "Note.\n", ..with(&[("c1", 0, "Why?"), ("c2", 7, "Because.")]) };
    let other = with(&[("c1", 0, "Why?"), ("c3", 8, "Hm.")]);
    let both = Thread {
        lead: "Note.\n",
        ..with(&[("c1", 0, "Why?"), ("c2", 7, "Because."), ("c3", 8, "Hm.")])
    };
    let base = Thread::default();
    assert_eq!(run(Some(&bom(&base)), &bom(&one), &bom(&other)).bytes, bom(&both).as_bytes());
    assert_eq!(run(Some(&base.text()), &one.text(), &bom(&other)).bytes, both.text().as_bytes());
}
