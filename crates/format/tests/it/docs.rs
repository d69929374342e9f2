//! Runs the examples in the documentation of the formats.
//!
//! An example is a fenced block below a line `<!-- example: KIND [STEM] [CODE…] -->`. It must give
//! exactly the findings named. A kind that ends in `-new` must be, byte for byte, what Skein writes.

use std::fmt::Write as _;
use std::fs;

use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, HandoffDoc};
use skein_format::path::WorkspacePath;
use skein_format::review::{Anchor, Context, GitAnchor, NewComment, NewReview, Range, ReviewDoc};
use skein_format::session::{Mode, NewMapping, SessionMapDoc};
use skein_format::time::{self, Time};
use skein_format::{Code, Diagnostic};

use crate::snapshot;

struct Example {
    kind: String,
    words: Vec<String>,
    text: String,
}

fn examples(file: &str) -> Vec<Example> {
    let text = fs::read_to_string(snapshot::project_path("docs/formats").join(file)).unwrap();
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(example) = line.strip_prefix("<!-- example: ") else {
            continue;
        };
        let mut words = example.strip_suffix(" -->").unwrap().split(' ').map(str::to_owned);
        let kind = words.next().unwrap();
        let open = lines.next().unwrap();
        let fence = &open[..open.len() - open.trim_start_matches('`').len()];
        assert!(fence.len() >= 3, "no block below: {line}");
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        let text = inside.join("\n") + "\n";
        found.push(Example { kind, words: words.collect(), text });
    }
    found
}

/// Runs the examples of a file and checks their number.
fn check(file: &str, count: usize) {
    let examples = examples(file);
    assert_eq!(examples.len(), count, "examples in {file}");
    for Example { kind, words, text } in examples {
        let takes_stem = ["review", "review-new", "checkpoint", "legacy"].contains(&kind.as_str());
        let (stem, codes) = words.split_at(usize::from(takes_stem));
        let stem = stem.first().map_or("", String::as_str);
        let bytes = text.into_bytes();
        let findings = match kind.as_str() {
            "review" => ReviewDoc::parse(bytes, stem, ".code-review").1,
            "review-new" => {
                assert_eq!(String::from_utf8(bytes.clone()).unwrap(), new_review());
                ReviewDoc::parse(bytes, stem, ".code-review").1
            }
            "session-map" => session_map(bytes),
            "session-map-new" => {
                let text = String::from_utf8(bytes.clone()).unwrap();
                assert_eq!(text.strip_suffix('\n').unwrap(), new_session_map());
                session_map(bytes)
            }
            "checkpoint" => CheckpointDoc::parse(bytes, stem, CheckpointFileKind::Thread).1,
            "legacy" => CheckpointDoc::parse(bytes, stem, CheckpointFileKind::Legacy).1,
            "handoff" => HandoffDoc::parse(bytes).1,
            other => panic!("no such kind of example: {other}"),
        };
        let found: Vec<&str> = findings.iter().map(|one| one.code.as_str()).collect();
        assert_eq!(found, codes, "{file}: {kind} {stem}: {findings:#?}");
    }
}

fn session_map(bytes: Vec<u8>) -> Vec<Diagnostic> {
    let (doc, mut findings) = SessionMapDoc::parse(bytes);
    findings.extend(doc.load(Mode::Strict).diagnostics);
    findings
}

fn at(text: &str) -> Time {
    time::parse(text).unwrap().time
}

fn new_review() -> String {
    let created_at = at("2026-03-02T08:15:00Z");
    let context = Context {
        before: vec!["impl Ring {".to_owned()],
        selection: "fn get(&self, at: usize) -> u8 {\n    self.slots[at]\n}".to_owned(),
        after: Vec::new(),
    };
    let git = GitAnchor {
        base_ref: Some("5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5f6a7b8c9".to_owned()),
        hunk_header: Some("@@ -5,3 +5,3 @@ impl Ring {".to_owned()),
    };
    let patch = "@@ -5,3 +5,3 @@ impl Ring {\n fn get(&self, at: usize) -> u8 {\n\
                 -    self.slots[at]\n+    self.slots[at % self.len]\n }\n";
    let comment = NewComment {
        id: "c1".to_owned(),
        author: "Ines <ines@kiln>".to_owned(),
        created_at,
        body: "What happens when `len` is 0?".to_owned(),
    };
    let new = NewReview {
        id: "7c1e".to_owned(),
        path: WorkspacePath::parse("src/ring.rs", ".code-review").unwrap(),
        range: Some(Range { start_line: 4, start_character: 0, end_line: 6, end_character: 1 }),
        anchor: Anchor { context: Some(context), git },
        created_at,
        patch: Some(patch.to_owned()),
        comments: vec![comment],
    };
    String::from_utf8(new.into_doc(".code-review").into_bytes()).unwrap()
}

fn new_session_map() -> String {
    let now = at("2026-05-04T07:30:00Z");
    let mapping = NewMapping {
        session_id: "ses_4f1c9a7be2".to_owned(),
        thread_root_post_id: "post_8d2k1m".to_owned(),
        short_id: "ses_4f1c".to_owned(),
        mattermost_user_id: "user_mira".to_owned(),
        dm_channel_id: "chan_mira_bot".to_owned(),
        project_name: "kiln".to_owned(),
        directory: "/home/mira/kiln".to_owned(),
        session_title: Some("Glaze batches".to_owned()),
        status: "active".to_owned(),
        created_at: "2026-05-04T06:00:00.000Z".to_owned(),
        last_activity_at: now.to_string(),
        ended_at: None,
    };
    let mut doc = SessionMapDoc::create(now);
    doc.insert(&mapping, now).unwrap();
    String::from_utf8(doc.into_bytes()).unwrap()
}

#[test]
fn the_examples_of_review_threads_are_correct() {
    check("review.md", 3);
}

#[test]
fn the_examples_of_session_maps_are_correct() {
    check("session-map.md", 4);
}

#[test]
fn the_examples_of_checkpoints_are_correct() {
    check("checkpoint.md", 7);
}

#[test]
fn every_diagnostic_is_listed() {
    const MARK: &str = "<!-- codes -->\n";
    let path = snapshot::project_path("docs/diagnostics.md");
    let text = fs::read_to_string(&path).unwrap();
    let (head, _) = text.split_once(MARK).unwrap();
    snapshot::check(&path, &format!("{head}{MARK}{}", table()));
}

fn table() -> String {
    let mut out = String::from(
        "\n| code | severity | `--fix` | what it means | what to do |\n|---|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let fix = if code.is_fixable() { "yes" } else { "no" };
        let (severity, meaning, advice) = (code.severity().as_str(), code.meaning(), code.advice());
        writeln!(out, "| `{code}` | {severity} | {fix} | {meaning} | {advice} |").unwrap();
    }
    assert_eq!(out.matches('|').count(), 6 * (Code::ALL.len() + 2), "a `|` inside of a cell");
    out
}
