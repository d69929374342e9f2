//! Review threads.

use proptest::prelude::*;
use proptest::sample::select;
use skein_format::path::WorkspacePath;
use skein_format::review::{
    Anchor, Context, GitAnchor, NewComment, NewReview, Range, ReviewDoc, ReviewEditError, Status,
    has_whole_head,
};

use super::{assert_one_place, cases, noise, now, spoiled, text};
use crate::change::changes;
use crate::show;

const STORE: &str = ".code-review";
const END: &str = "</local-code-review-thread>";

fn parse(bytes: &[u8]) -> ReviewDoc {
    ReviewDoc::parse(bytes.to_vec(), "t", STORE).0
}

/// Generates usable metadata, in any order, with unknown keys.
fn metadata() -> impl Strategy<Value = String> {
    let range = select(vec![
        "null",
        "{\"startLine\": 1, \"startCharacter\": 0, \"endLine\": 2, \"endCharacter\": 3}",
        "{ \"startLine\":1.0,\"endLine\" : 1e0, \"x\": [], \"startCharacter\":0,\"endCharacter\":-0 }",
        "[]",
    ]);
    let anchor = select(vec![
        "{\"kind\": \"lineRange\"}",
        "{\n \"git\": {\"baseRef\": \"main\", \"updatedAt\": \"x\"},\n \"kind\": \"lineRange\"\n}",
        "{\"context\": {\"before\": [\"a\"], \"selection\": \"b\\nc\", \"after\": []}}",
        "null",
        "{}",
    ]);
    let target = (range, anchor, any::<bool>()).prop_map(|(range, anchor, path_first)| {
        let path = "\"workspaceRelativePath\": \"src/a.rs\"";
        let rest = format!("\"range\": {range}, \"anchor\": {anchor}");
        let inside = if path_first { [path, &rest] } else { [&rest, path] };
        format!("\"target\": {{{}}}", inside.join(",\n    "))
    });
    let extra = select(vec![
        "\"status\": \"open\"",
        "\"status\": \"resolved\"",
        "\"status\": 7",
        "\"\\u0073tatus\": \"open\"",
        "\"updatedAt\": \"2026-01-02T00:00:00Z\"",
        "\"updatedAt\": null",
        "\"createdAt\": \"2026-01-01\"",
        "\"old\": {\"status\": \"open\", \"updatedAt\": \"no\"}",
        "\"text\": \"\\\"status\\\": \\\"open\\\"\"",
        "\"deep\": [[[{\"a\": [{}]}]]]",
        "\"number\": -0.0e+10",
    ]);
    let extras = prop::collection::vec(extra, 0..7);
    let gap = select(vec![",", ", ", ",\n  ", " ,\n\n\t"]);
    (target, extras, gap).prop_flat_map(|(target, extras, gap)| {
        let mut members: Vec<String> = extras.into_iter().map(str::to_owned).collect();
        members.extend(["\"schemaVersion\": 1".to_owned(), "\"id\": \"t\"".to_owned(), target]);
        Just(members).prop_shuffle().prop_map(move |members| format!("{{{}}}", members.join(gap)))
    })
}

/// Generates a usable thread.
pub(super) fn thread() -> impl Strategy<Value = String> {
    let block = select(vec![
        "# src/a.rs \u{b7} open\n",
        "# src/a.rs:L2-L3 \u{b7} resolved\n",
        "\n",
        "prose\n",
        "## Patch\n",
        "## Comments\n",
        "<local-code-review-patch lang=\"diff\"/>\n",
        "```diff\n-a\n+b\n```\n",
        "```diff\n ```\n-a\n",
        "~~~~patch\n-a\n~~~~~\n",
        "```rust\nfn a() {}\n```\n",
        "```\n",
        "<local-code-review-comment id=\"c1\" author=\"A &amp; B\" createdAt=\"2026-01-01T00:00:00Z\"/>\n",
        "<local-code-review-comment id=\"c1\" author=\"\" createdAt=\"x\"/>\n\n",
        "<local-code-review-comment/> behind\nbody\n",
        "<local-code-review-comment id='c2'\n",
        "<local-code-review-comments>\n",
        "  <local-code-review-comment id=\"no\"/>\n",
        "body\n\nmore\n",
        "lone\rcr\n",
        "\u{a0}\n",
        "   \n\t\n",
        END,
    ]);
    let end = select(vec!["", "\n", "\n\n", " ", "x", "\r"]);
    (metadata(), prop::collection::vec(block, 0..14), end).prop_map(|(metadata, blocks, end)| {
        let rest = blocks.concat();
        format!("<local-code-review-thread>\n{metadata}\n{END}\n{rest}{end}")
    })
}

#[derive(Clone, Debug)]
enum Edit {
    Touch,
    Status(Status),
    Append { author: String, body: String },
    Body { index: usize, body: String },
    Place { range: Option<Range>, anchor: Anchor },
    Patch(Option<String>),
}

impl Edit {
    fn apply(&self, doc: &mut ReviewDoc) -> Result<(), ReviewEditError> {
        match self {
            Self::Touch => doc.touch(now()),
            Self::Status(status) => doc.set_status(*status, now()),
            Self::Append { author, body } => doc.append_comment(&comment(doc, author, body)),
            Self::Body { index, body } => doc.edit_body(*index, body, now()),
            Self::Place { range, anchor } => doc.set_place(*range, anchor, now()),
            Self::Patch(patch) => doc.set_patch(patch.as_deref(), now()),
        }
    }
}

fn comment(doc: &ReviewDoc, author: &str, body: &str) -> NewComment {
    NewComment {
        id: format!("new-{}", doc.comment_count()),
        author: author.to_owned(),
        created_at: now(),
        body: body.to_owned(),
    }
}

pub(super) fn place() -> impl Strategy<Value = (Option<Range>, Anchor)> {
    let range = (0..u32::MAX - 1, any::<u32>(), 0..9_u32).prop_map(|(line, from, more)| Range {
        start_line: line,
        start_character: from,
        end_line: line.saturating_add(more).min(u32::MAX - 1),
        end_character: from.saturating_add(more),
    });
    let context = (prop::collection::vec(text(), 0..3), text());
    let context = context.prop_map(|(lines, selection)| Context {
        before: lines.clone(),
        selection,
        after: lines,
    });
    let git = (prop::option::of(text()), prop::option::of(text()))
        .prop_map(|(base_ref, hunk_header)| GitAnchor { base_ref, hunk_header });
    let anchor =
        (prop::option::of(context), git).prop_map(|(context, git)| Anchor { context, git });
    (prop::option::of(range), anchor)
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        Just(Edit::Touch),
        select(vec![Status::Open, Status::Resolved]).prop_map(Edit::Status),
        (text(), text()).prop_map(|(author, body)| Edit::Append { author, body }),
        (0..4_usize, text()).prop_map(|(index, body)| Edit::Body { index, body }),
        place().prop_map(|(range, anchor)| Edit::Place { range, anchor }),
        prop::option::of(text()).prop_map(Edit::Patch),
    ]
}

/// Returns a body as it is written according to the documentation of the format.
fn as_written(body: &str) -> String {
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let lines = body.split('\n').skip_while(|line| line.trim_ascii().is_empty());
    let lines: Vec<String> = lines
        .map(|line| {
            let start = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let tags = ["<local-code-review-", "</local-code-review-"];
            if tags.iter().any(|tag| start.starts_with(tag)) {
                line.replacen('<', "\\<", 1)
            } else {
                line.to_owned()
            }
        })
        .collect();
    lines.join("\n").trim_ascii_end().to_owned()
}

/// Returns the view of a thread without its time of the last change and the times derived from it.
fn timeless(doc: &ReviewDoc) -> Vec<String> {
    let view = show::review(doc);
    let timed = |line: &&str| line.starts_with("updated:") || line.starts_with("  at:");
    view.lines().filter(|line| !timed(line)).map(str::to_owned).collect()
}

/// Returns the bytes after only the time of the last change was set.
fn touched(doc: &ReviewDoc) -> Vec<u8> {
    let mut doc = doc.clone();
    doc.touch(now()).unwrap();
    doc.into_bytes()
}

fn end_of_metadata(bytes: &[u8]) -> usize {
    let end = format!("\n{END}");
    let at = bytes.windows(end.len()).position(|window| window == end.as_bytes());
    at.unwrap() + end.len()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_bytes_are_kept(bytes in noise()) {
        let doc = parse(&bytes);
        prop_assert_eq!(doc.to_bytes(), &bytes);
        let _ = has_whole_head(&bytes);
    }

    #[test]
    fn any_thread_is_kept_and_its_edits_are_read_back(
        bytes in spoiled(thread()),
        edits in prop::collection::vec(edit(), 0..5),
    ) {
        let mut doc = parse(&bytes);
        prop_assert_eq!(doc.to_bytes(), &bytes);
        for edit in edits {
            let before = doc.to_bytes().to_vec();
            let usable = doc.head().usable;
            match edit.apply(&mut doc) {
                Ok(()) => {
                    prop_assert!(usable);
                    prop_assert!(doc.head().usable);
                    prop_assert!(doc.head().updated_at >= Some(now()));
                }
                Err(_) => prop_assert_eq!(doc.to_bytes(), &before),
            }
            prop_assert_eq!(show::review(&parse(doc.to_bytes())), show::review(&doc));
        }
    }

    #[test]
    fn touching_changes_one_value(file in thread()) {
        let before = parse(file.as_bytes());
        let after = touched(&before);
        // The longest time value in the generated threads.
        assert_one_place(file.as_bytes(), &after, "\"2026-01-02T00:00:00Z\"".len());
        prop_assert_eq!(timeless(&parse(&after)), timeless(&before));
    }

    #[test]
    fn a_reply_adds_one_comment_at_the_end(file in thread(), author in text(), body in text()) {
        let before = parse(file.as_bytes());
        let mut doc = before.clone();
        doc.append_comment(&comment(&before, &author, &body)).unwrap();
        let touched = touched(&before);
        prop_assert!(doc.to_bytes().starts_with(&touched));
        let (old, new) = (timeless(&before), timeless(&doc));
        prop_assert_eq!(&new[..old.len()], &old[..]);
        let comments = doc.comments();
        prop_assert_eq!(comments.len(), before.comment_count() + 1);
        let last = comments.last().unwrap();
        prop_assert_eq!(&last.body, &as_written(&body));
        let line: String = author.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let shown = if line.trim().is_empty() { "unknown" } else { &line };
        prop_assert_eq!(&last.author, shown);
    }

    #[test]
    fn a_body_is_replaced_and_no_other(file in thread(), pick in any::<prop::sample::Index>(), body in text()) {
        let before = parse(file.as_bytes());
        prop_assume!(before.comment_count() > 0);
        let index = pick.index(before.comment_count());
        let mut doc = before.clone();
        doc.edit_body(index, &body, now()).unwrap();
        let (mut old, mut new) = (before.comments(), doc.comments());
        let (replaced, with) = (old.remove(index), new.remove(index));
        prop_assert_eq!(&with.body, &as_written(&body));
        prop_assert_eq!((with.id, with.author), (replaced.id, replaced.author));
        prop_assert_eq!(doc.patch(), before.patch());
        for (old, new) in old.iter().zip(&new) {
            prop_assert_eq!((&old.id, &old.author, &old.body), (&new.id, &new.author, &new.body));
        }
        // A line ending of two bytes is read as one, so the body in the file may be longer than the parsed one.
        let most = 2 * replaced.body.len() + 16;
        assert_one_place(&touched(&before), doc.to_bytes(), most);
    }

    #[test]
    fn a_status_is_set_in_the_metadata_and_the_heading(file in thread(), resolved in any::<bool>()) {
        let status = if resolved { Status::Resolved } else { Status::Open };
        let before = parse(file.as_bytes());
        let mut doc = before.clone();
        doc.set_status(status, now()).unwrap();
        prop_assert_eq!(doc.head().status, status);
        let found = changes(&touched(&before), doc.to_bytes());
        prop_assert!(found.len() <= 2, "{found:?}");
        prop_assert!(found.iter().all(|one| one.removed.len() <= "\"resolved\"".len()));
        let same = |doc: &ReviewDoc| -> Vec<String> {
            timeless(doc).into_iter().filter(|line| !line.starts_with("status:")).collect()
        };
        prop_assert_eq!(same(&doc), same(&before));
    }

    #[test]
    fn a_location_is_set_in_the_metadata_and_the_heading(file in thread(), place in place()) {
        let (range, anchor) = place;
        let before = parse(file.as_bytes());
        let mut doc = before.clone();
        doc.set_place(range, &anchor, now()).unwrap();
        prop_assert_eq!(doc.head().range, range);
        if anchor.context.is_some() {
            prop_assert_eq!(doc.context(), anchor.context);
        }
        for (set, read) in [
            (&anchor.git.base_ref, &doc.head().git.base_ref),
            (&anchor.git.hunk_header, &doc.head().git.hunk_header),
        ] {
            prop_assert!(set.is_none() || set == read);
        }
        let old = &file.as_bytes()[end_of_metadata(file.as_bytes())..];
        let new = &doc.to_bytes()[end_of_metadata(doc.to_bytes())..];
        let found = changes(old, new);
        prop_assert!(found.len() <= 1, "{found:?}");
        prop_assert!(found.iter().all(|one| one.removed.len() <= ":L2-L3".len()));
        prop_assert_eq!(doc.comments().len(), before.comment_count());
    }

    #[test]
    fn a_patch_is_set_before_the_comments(file in thread(), patch in text()) {
        let before = parse(file.as_bytes());
        let mut doc = before.clone();
        let touched = touched(&before);
        if doc.set_patch(Some(&patch), now()).is_err() {
            prop_assert_eq!(doc.to_bytes(), before.to_bytes());
            return Ok(());
        }
        let lines = patch.replace("\r\n", "\n").replace('\r', "\n");
        let expected = lines.strip_suffix('\n').unwrap_or(&lines);
        prop_assert_eq!(doc.patch(), Some(expected.to_owned()));
        prop_assert!(doc.to_bytes().starts_with(&touched[..end_of_metadata(&touched)]));
        let comments = file.find("\n<local-code-review-comment").map_or("", |at| &file[at + 1..]);
        prop_assert!(doc.to_bytes().ends_with(comments.as_bytes()));
        prop_assert_eq!(doc.comments().len(), before.comment_count());
        doc.set_patch(Some("-x"), now()).unwrap();
        prop_assert_eq!(doc.patch(), Some("-x".to_owned()));
    }

    #[test]
    fn a_new_thread_is_read_back_as_written(
        place in place(),
        patch in prop::option::of(text()),
        replies in prop::collection::vec((text(), text()), 0..3),
    ) {
        let (range, anchor) = place;
        let comments: Vec<NewComment> = replies
            .iter()
            .enumerate()
            .map(|(n, (author, body))| NewComment {
                id: format!("c{n}"),
                author: author.clone(),
                created_at: now(),
                body: body.clone(),
            })
            .collect();
        let new = NewReview {
            id: "t".to_owned(),
            path: WorkspacePath::parse("src/a.rs", STORE).unwrap(),
            range,
            anchor: anchor.clone(),
            created_at: now(),
            patch,
            comments,
        };
        let doc = new.into_doc(STORE);
        prop_assert!(doc.head().usable);
        prop_assert_eq!(doc.head().range, range);
        prop_assert_eq!(doc.context(), anchor.context);
        let bodies: Vec<String> = doc.comments().into_iter().map(|one| one.body).collect();
        let expected: Vec<String> = replies.iter().map(|(_, body)| as_written(body)).collect();
        prop_assert_eq!(bodies, expected);
    }
}
