use std::fs;

use skein_format::review::Status;
use skein_import::{Format, ImportOptions, Imported, import};
use skein_review::{clear, find, set_status};
use skein_workspace::{Actor, discover};

use skein_fixtures::{Fixture, git};

fn options() -> ImportOptions {
    ImportOptions { format: None, author: None, again: false }
}

fn mira() -> Actor {
    Actor { name: "Mira".to_owned(), agent: false }
}

fn run_import(
    fixture: &Fixture,
    document: &str,
    options: &ImportOptions,
) -> Result<Imported, String> {
    let workspace = fixture.open("w");
    import(&workspace, &mira(), document.as_bytes(), options).map_err(|error| error.to_string())
}

#[track_caller]
fn check(fixture: &Fixture, document: &str, expected: &str) {
    let done = run_import(fixture, document, &options()).unwrap();
    let failed: Vec<String> = done
        .failed
        .iter()
        .map(|one| format!("\n{}:{}: {}", one.path, one.line.unwrap_or(0), one.reason))
        .collect();
    let summary = format!("{} added, {} skipped{}", done.added, done.skipped, failed.concat());
    assert_eq!(fixture.shorten(&summary), expected);
    assert_eq!(done.threads.len(), done.added);
}

fn threads(fixture: &Fixture) -> Vec<String> {
    let Ok(entries) = fixture.path("w/.code-review/threads").read_dir() else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut texts: Vec<String> = paths.map(|path| fs::read_to_string(path).unwrap()).collect();
    texts.sort_by_key(|text| text.find("\"workspaceRelativePath\""));
    texts
}

fn sarif(results: &str) -> String {
    format!(
        "{{\"version\": \"2.1.0\", \"runs\": [{{\"tool\": {{\"driver\": {{\"name\": \"lint\", \"rules\": [
            {{\"id\": \"R1\", \"defaultConfiguration\": {{\"level\": \"error\"}},
              \"messageStrings\": {{\"m\": {{\"text\": \"{{0}} is never {{1}}\"}}}}}}
        ]}}}}, \"results\": [{results}]}}]}}"
    )
}

fn result(uri: &str, line: u32, message: &str) -> String {
    format!(
        "{{\"ruleId\": \"R1\", \"message\": {{\"text\": \"{message}\"}}, \"locations\": [{{\"physicalLocation\":
            {{\"artifactLocation\": {{\"uri\": \"{uri}\"}}, \"region\": {{\"startLine\": {line}}}}}}}]}}"
    )
}

fn workspace() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("w/src/a b.rs", "fn a() {}\nlet x = 1;\n}\n}\n");
    fixture
}

#[test]
fn findings_become_threads_with_the_tool_as_author() {
    let fixture = workspace();
    let message = r#""ruleIndex": 0, "message": {"id": "m", "arguments": ["x", "used"]}"#;
    let fix = r#""fixes": [{"artifactChanges": [{"artifactLocation": {"uri": "src/a%20b.rs"}, "replacements": [
        {"deletedRegion": {"startLine": 2, "startColumn": 5, "endColumn": 6}, "insertedContent": {"text": "_x"}}]}]}]"#;
    let place = r#""locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/a%20b.rs"},
        "region": {"startLine": 2, "startColumn": 5, "endColumn": 6}}}]"#;
    check(&fixture, &sarif(&format!("{{{message}, {fix}, {place}}}")), "1 added, 0 skipped");
    let all = threads(&fixture);
    let [text] = all.as_slice() else { panic!("{all:?}") };
    assert!(text.contains("author=\"lint [agent]\""), "{text}");
    assert!(
        text.ends_with("\n\nx is never used\n\n`R1`, error\n\n```suggestion\nlet _x = 1;\n```\n"),
        "{text}"
    );
    assert!(text.contains("\"selection\": \"let x = 1;\""), "{text}");
}

#[test]
fn findings_that_were_imported_before_are_skipped() {
    let fixture = workspace();
    let results = [
        result("src/a b.rs", 2, "unused, see line 2"),
        result("src/a b.rs", 3, "brace"),
        result("src/a b.rs", 4, "brace"),
    ];
    let document = sarif(&results.join(","));
    check(&fixture, &document, "3 added, 0 skipped");
    check(&fixture, &document, "0 added, 3 skipped");
    // The same findings, two lines further down.
    fixture.file("w/src/a b.rs", "\n\nfn a() {}\nlet x = 1;\n}\n}\n");
    let moved = [
        result("src/a b.rs", 4, "unused, see line 4"),
        result("src/a b.rs", 5, "brace"),
        result("src/a b.rs", 6, "brace"),
    ];
    let moved = sarif(&moved.join(","));
    check(&fixture, &moved, "0 added, 3 skipped");
    let twice =
        sarif(&[result("src/a b.rs", 3, "other"), result("src/a b.rs", 3, "other")].join(","));
    check(&fixture, &twice, "1 added, 1 skipped");
}

#[test]
fn resolved_and_deleted_threads_are_not_imported_again() {
    let fixture = workspace();
    let document = sarif(&result("src/a b.rs", 2, "unused"));
    check(&fixture, &document, "1 added, 0 skipped");
    let workspace = fixture.open("w");
    let thread = find(&workspace, "src/a b.rs").unwrap();
    set_status(&workspace, &mira(), &thread, None, Status::Resolved).unwrap();
    check(&fixture, &document, "0 added, 1 skipped");
    clear(&workspace).unwrap();
    check(&fixture, &document, "0 added, 1 skipped");
    let again = ImportOptions { again: true, author: Some("Mira".to_owned()), ..options() };
    assert_eq!(run_import(&fixture, &document, &again).unwrap().added, 1);
    assert!(threads(&fixture)[0].contains("author=\"Mira\""));
}

#[test]
fn a_bad_finding_does_not_prevent_the_import_of_others() {
    let fixture = workspace();
    fixture.file("secret", "s\n");
    fixture.file("w/image", "\0\0");
    fixture.link("w/out.rs", fixture.path("secret"));
    let root = fixture.path("w").display().to_string();
    let absolute = format!("file://{root}/src/a%20b.rs");
    let outside = format!("file://{}", fixture.path("secret").display());
    let results = [
        result("src/a b.rs", 2, "good"),
        result(&absolute, 1, "good too"),
        result("src/missing.rs", 1, "m"),
        result("src/a b.rs", 99, "past the end"),
        result("src/a b.rs", 0, "before the start"),
        result("../../etc/passwd", 1, "up"),
        result("../secret", 1, "up"),
        result("/etc/passwd", 1, "absolute"),
        result(&outside, 1, "beside"),
        result("out.rs", 1, "link"),
        result(".git/config", 1, "private"),
        result("image", 1, "binary"),
        result("https://example.org/a.rs", 1, "elsewhere"),
        result("src/a b.rs", 1, " "),
        "{}".to_owned(),
        "17".to_owned(),
    ];
    let expected = "2 added, 0 skipped
src/missing.rs:1: there is no such file: src/missing.rs
src/a b.rs:99: src/a b.rs has 4 lines; there is no line 99
src/a b.rs:0: lines are counted from 1, the first before the last: src/a b.rs:0-0
../../etc/passwd:1: the path is outside the workspace: ../../etc/passwd
../secret:1: the path is outside the workspace: ../secret
/etc/passwd:1: the path is outside the workspace: /etc/passwd
secret:1: the path is outside the workspace: secret
out.rs:1: the path is outside the workspace: out.rs
.git/config:1: the path is inside `.git`: .git/config
image:1: the file is binary: image
https://example.org/a.rs:1: not the name of a file: https://example.org/a.rs
src/a b.rs:1: the comment is empty
:0: it does not name a file
:0: it does not name a file";
    check(&fixture, &sarif(&results.join(",")), expected);
}

#[test]
fn results_that_are_not_findings_are_ignored() {
    let fixture = workspace();
    let with = |more: &str| {
        let result = result("src/a b.rs", 1, "m");
        format!("{{{more}, {}", result.strip_prefix('{').unwrap())
    };
    let results = [
        with(r#""kind": "pass""#),
        with(r#""suppressions": [{"kind": "inSource"}]"#),
        with(r#""baselineState": "absent""#),
        with(r#""suppressions": [{"kind": "external", "status": "rejected"}]"#),
    ];
    let done = run_import(&fixture, &sarif(&results.join(",")), &options()).unwrap();
    assert_eq!((done.added, done.ignored), (1, 3));
}

#[test]
fn a_plain_list_is_imported_too() {
    let fixture = workspace();
    let list = r#"[
        {"file": "src/a b.rs", "line": 1, "body": "Why?", "rule": "style", "author": "Ada"},
        {"file": "src/a b.rs", "line": 2, "body": "one", "id": "F-1"},
        {"path": "src/a b.rs", "startLine": 3, "message": "two", "id": "F-1"},
        {"file": "src/a b.rs", "line": 1, "body": "x", "expect": "nothing of it"},
        {"file": "../../etc/passwd", "body": "x"}
    ]"#;
    let expected = "2 added, 1 skipped
src/a b.rs:1: line 1 of src/a b.rs does not contain \"nothing of it\"; it is \"fn a() {}\"
../../etc/passwd:0: the path is outside the workspace: ../../etc/passwd";
    check(&fixture, list, expected);
    let all = threads(&fixture).concat();
    assert!(all.contains("author=\"Ada\"") && all.contains("Why?\n\n`style`"), "{all}");
    assert!(all.contains("author=\"Mira\""), "{all}");
}

#[test]
fn an_invalid_document_changes_nothing() {
    let fixture = workspace();
    let before = fixture.tree();
    let deep = "[".repeat(100_000);
    for (text, format, expected) in [
        ("", None, "the document is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{", None, "the document is not JSON: EOF while parsing an object at line 1 column 1"),
        (
            deep.as_str(),
            None,
            "the document is not JSON: recursion limit exceeded at line 1 column 128",
        ),
        ("17", None, "the document is not a list of comments"),
        ("{}", None, "the document is not a list of comments"),
        ("[17]", None, "the document is not a list of comments"),
        ("[]", Some(Format::Sarif), "the document is not SARIF 2.1: it has no list `runs`"),
        ("{\"runs\": {}}", None, "the document is not SARIF 2.1: it has no list `runs`"),
        (
            "{\"version\": \"1.0.0\", \"runs\": []}",
            None,
            "the document is not SARIF 2.1: its version is \"1.0.0\"",
        ),
    ] {
        let options = ImportOptions { format, ..options() };
        assert_eq!(run_import(&fixture, text, &options).unwrap_err(), expected);
    }
    check(
        &fixture,
        "{\"version\": \"2.1.0\", \"runs\": [17, {}, {\"results\": 3}]}",
        "0 added, 0 skipped",
    );
    check(&fixture, "\u{feff}[]", "0 added, 0 skipped");
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_long_message_is_cut() {
    let fixture = workspace();
    let message = "word ".repeat(1_000_000);
    check(&fixture, &sarif(&result("src/a b.rs", 1, &message)), "1 added, 0 skipped");
    let text = &threads(&fixture)[0];
    assert!(text.len() < 30_000 && text.contains("(The message was cut here.)"));
}

#[test]
fn concurrent_imports_add_each_finding_once() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let lines: String = (0..30).map(|n| format!("line {n}\n")).collect();
    fixture.file("w/a.rs", lines);
    git(&fixture.path("w"), &["add", "-A"]);
    let results: Vec<String> = (1..=30).map(|n| result("a.rs", n, "m")).collect();
    let document = sarif(&results.join(","));
    let added: usize = std::thread::scope(|scope| {
        let run_import = || run_import(&fixture, &document, &options()).unwrap().added;
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(run_import)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).sum()
    });
    assert_eq!((added, threads(&fixture).len()), (30, 30));
    assert!(discover(&fixture.env("w")).reviews.exists);
}
