//! The commands that agents and scripts use.

use std::fs;

use serde_json::{Value, json};

use crate::place::Place;

fn parse(place: &Place, words: &str, code: u8) -> Value {
    let output = place.run(words);
    assert_eq!(output.code, code, "{words}: {}", output.err);
    assert_eq!(output.out.lines().count(), 1, "one document on one line");
    serde_json::from_str(&output.out).unwrap()
}

#[test]
fn review_next_prints_the_thread_and_how_to_answer_it() {
    let place = Place::demo();
    let output = place.run("review next");
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    assert!(output.out.starts_with("src/http.rs:6  open, waiting on an agent\n"), "{}", output.out);
    assert!(output.out.ends_with(
        "\nAnswer with `skein review reply 0c9e4b7a -m TEXT`; add `--resolve` when it is done.\n\
         `skein review apply 0c9e4b7a` makes the suggested change.\n"
    ));
    let next = parse(&place, "review next --json", 0);
    assert_eq!(next["thread"]["at"], "src/http.rs:6");
    assert_eq!(
        (&next["claim"], &next["waiting"], &next["claimed"]),
        (&Value::Null, &json!(5), &json!(0))
    );
    Place::empty()
        .check("review next", "-- stderr\nNo threads are waiting on an agent.\n-- exit 1\n");
    let none = json!({"thread": null, "claim": null, "waiting": 0, "claimed": 0});
    assert_eq!(parse(&Place::empty(), "review next --json", 1), none);
}

#[test]
fn claims_of_two_sessions_of_one_agent_can_be_told_apart() {
    let mut place = Place::demo();
    place.machine.variables.insert("SKEIN_AUTHOR".to_owned(), "Claude Code".to_owned());
    let sessions =
        [("01a1f244-7d10-a37f0c1d", "src/http.rs"), ("01a1f244-88e0-5b21c9aa", "web/board.ts")];
    for (session, file) in sessions {
        place.machine.variables.insert("SKEIN_SESSION".to_owned(), session.to_owned());
        let out = place.run(&format!("review next file:{file} --claim"));
        let end = session.rsplit('-').next().unwrap();
        assert!(out.err.contains(&format!("Claimed by Claude Code …{end} until")), "{}", out.err);
        let shown = parse(&place, "list waiting:agent --json", 0).to_string();
        let claim = format!("\"by\":\"Claude Code\",\"session\":\"…{end}\"");
        assert!(shown.contains(&claim), "{shown}");
    }
    let listed = place.run("review list --waiting agent").out;
    assert!(listed.contains("claimed by Claude Code …a37f0c1d"), "{listed}");
    assert!(listed.contains("claimed by Claude Code …5b21c9aa"), "{listed}");
}

#[test]
fn a_claimed_thread_is_given_only_to_its_claimant() {
    let mut place = Place::demo();
    let file = "file:src/http.rs";
    let claim = format!("review next {file} --claim --lease 10m --json");
    let mine = parse(&place, &format!("{claim} --claimant a"), 0);
    assert_eq!(mine["claim"]["until"], "2026-01-23T14:40:00.000Z");
    assert_eq!(mine["claim"]["token"], "a");
    place.machine.variables.insert("SKEIN_SESSION".to_owned(), "a".to_owned());
    assert_eq!(parse(&place, &claim, 0)["thread"]["id"], mine["thread"]["id"]);
    place.machine.variables.remove("SKEIN_SESSION");
    place.machine.variables.insert("SKEIN_AUTHOR".to_owned(), "Codex".to_owned());
    // Without `--claimant` the author is the claimant, and gets the same thread again.
    for _ in 0..2 {
        let again = parse(&place, &claim, 0);
        assert_eq!(again["thread"]["at"], "src/http.rs:9-11");
        assert_eq!(again["claim"]["by"], "Codex");
    }
    place.machine.variables.insert("SKEIN_AUTHOR".to_owned(), "Gemini CLI".to_owned());
    place.check(
        &format!("review next {file}"),
        "-- stderr\nAll 2 waiting threads are claimed; `--include-claimed` shows them.\n-- exit 1\n",
    );
    let listed = place.run("review list --waiting agent file:src/http.rs").out;
    let codex = listed.lines().find(|line| line.contains("agent, claimed by Codex "));
    assert!(codex.is_some_and(|line| line.contains("src/http.rs:9-11")), "{listed}");
    let shown = place.run("review show src/http.rs:9").out;
    assert!(shown.contains("open, waiting on an agent, claimed by Codex"), "{shown}");
    assert!(place.run("").out.contains("src/http.rs:9-11 (claimed by Codex)"));
    let view = parse(&place, "review show src/http.rs:9 --json", 0);
    assert_eq!(view["claim"], json!({"by": "Codex", "until": "2026-01-23T14:40:00.000Z"}));
    let output = place.run("review next --release src/http.rs:9");
    assert_eq!(output.code, 2);
    assert!(
        output.err.starts_with(
            "Error: Codex has claimed this thread: src/http.rs:9\nHint: add `--force`"
        )
    );
    place.check(
        "review next --release src/http.rs:9 --author Codex",
        "-- stderr\nReleased.\n-- exit 0\n",
    );
    assert_eq!(place.run("review next --release 0c9e").code, 2);
    place.check("review next --release 0c9e --force", "-- stderr\nReleased.\n-- exit 0\n");
    place
        .check("review next --release 0c9e", "-- stderr\nThe thread was not claimed.\n-- exit 1\n");
    assert_eq!(
        parse(&place, &format!("review next {file} --json"), 0)["thread"]["at"],
        "src/http.rs:6"
    );
    let output = place.run("review next --release nonsense");
    assert_eq!(output.code, 2);
    assert!(output.err.contains("Hint: run `skein list`"), "{}", output.err);
}

#[test]
fn review_wait_reports_waiting_threads_or_a_timeout() {
    let place = Place::empty();
    place.check(
        "review wait --timeout 0",
        "-- stderr\nTimed out. Run the command again to keep waiting.\n-- exit 1\n",
    );
    let nothing = json!({"waiting": [], "reason": null, "timed_out": true});
    assert_eq!(parse(&place, "review wait --timeout 0 --json", 1), nothing);
    let demo = Place::demo();
    let waited = parse(&demo, "review wait --for reviewer --json", 0);
    assert_eq!((&waited["reason"], &waited["timed_out"]), (&json!("waiting"), &json!(false)));
    assert_eq!(waited["waiting"][0]["waiting_on"], "reviewer");
    let waited = parse(&demo, "review wait --settle 0 --json", 0);
    assert_eq!(
        (&waited["reason"], waited["waiting"].as_array().unwrap().len()),
        (&json!("settled"), 5)
    );
    for words in
        ["review wait --timeout soon", "review wait --for nobody", "review next --lease -1"]
    {
        let output = place.run(words);
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{words}");
    }
}

#[test]
fn an_open_thread_fails_the_check() {
    let place = Place::demo();
    let broken = place.machine.dir.join(".code-review/threads/half-written.md");
    place.check(
        "review check --waiting agent file:web",
        "
web/board.ts:4: Mira Okafor: `NaN` before the first request: show a dash instead.
web/board.ts: Mira Okafor: There is no test for this file at all.
web/board.ts:8-10: Mira Okafor: `innerHTML` with data from outside. Use `textContent`.
-- stderr
ROOT/here/lantern/.code-review/threads/half-written.md: (cannot be used: review-no-metadata)
Run `skein doctor` for details.
-- exit 1
",
    );
    let clean = place.file("docs/clean.md", "Nothing to say.\n");
    assert_eq!(place.run("review check file:docs").code, 1);
    fs::remove_file(broken).unwrap();
    place.check("review check file:docs", "-- exit 0\n");
    fs::remove_file(clean).unwrap();
    let checked = parse(&place, "review check file:README.md --json", 1);
    assert_eq!((&checked["ok"], &checked["unusable"]), (&json!(false), &json!([])));
    assert_eq!(checked["open"][0]["author"], "Mira Okafor");
}

#[test]
fn without_a_store_the_check_fails_unless_that_is_allowed() {
    let place = Place::empty();
    place.check(
        "review check",
        "
-- stderr
Error: there is no store of review threads: ROOT/here
Hint: `skein init` creates one; with `--allow-missing` a missing store counts as one without open threads
-- exit 2
",
    );
    let checked = parse(&place, "review check --allow-missing --json", 0);
    assert_eq!(checked["ok"], true);
}

#[test]
fn a_path_is_relative_to_the_current_directory() {
    let mut place = Place::demo();
    let root = place.machine.dir.clone();
    let count = |place: &Place, words: &str| -> usize {
        let listed = parse(place, &format!("{words} --json"), 0);
        listed["threads"].as_array().unwrap().len()
    };
    let all = count(&place, "review list file:src");
    assert!(all > 1);
    place.machine.dir = root.join("src");
    assert_eq!(count(&place, "review list file:."), all);
    let http = count(&place, "review list file:http.rs");
    assert!(http > 0 && http < all);
    assert_eq!(count(&place, "review list --file ./http.rs"), http);
    assert_eq!(count(&place, "list review --file ../src/http.rs"), http);
    // Lists show paths relative to the root, so such paths are accepted too.
    assert_eq!(count(&place, "review list file:src/http.rs"), http);
    // A path in the current directory takes precedence over the same path at the root.
    fs::create_dir(root.join("src/web")).unwrap();
    assert_eq!(count(&place, "review list file:web"), 0);
    assert!(count(&place, "review list file:../web") > 0);
}

#[test]
fn an_unknown_path_is_an_error_that_names_the_nearest_one() {
    let mut place = Place::demo();
    for words in ["review check", "review list", "list", "review next", "review export", "search x"]
    {
        let output = place.run(&format!("{words} --file src/htp.rs"));
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{words}");
        let expected = "Error: no such file or directory, and no thread is on it: src/htp.rs\nHint: did you mean `src/http.rs`?\n";
        assert_eq!(output.err, expected, "{words}");
    }
    assert_eq!(place.run("review check --file ../../nowhere-at-all").code, 2);
    let output = place.run("review diff -- src/htp.rs");
    assert_eq!(output.code, 2, "{}", output.out);
    assert!(output.err.contains("did you mean `src/http.rs`?"), "{}", output.err);
    // A deleted file is accepted because threads are about it.
    fs::remove_file(place.machine.dir.join("src/http.rs")).unwrap();
    assert_eq!(place.run("review check --file src/http.rs").code, 1);
    place.machine.dir = place.machine.dir.join("src");
    assert_eq!(place.run("review check --file http.rs").code, 1);
}

#[test]
fn an_export_is_markdown_or_json() {
    let place = Place::demo();
    let text = place.run("review export --for-agent").out;
    assert!(text.starts_with("# Review comments\n\n5 open threads wait on you."), "{text}");
    let one = place.run("review export file:README.md --all").out;
    assert!(one.contains("1 open thread, 0 of them waiting on you."), "{one}");
    for words in ["review export --format json", "review export --json"] {
        let document = parse(&place, words, 0);
        assert_eq!(document["threads"].as_array().unwrap().len(), 5);
        assert!(document["threads"][0]["comments"][0]["body"].is_string());
    }
    let empty = Place::empty();
    assert_eq!(parse(&empty, "review export --json", 0), json!({"threads": [], "claimed": 0}));
}

const SARIF: &str = r#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint"}}, "results": [
    {"ruleId": "R1", "message": {"text": "unused"}, "locations": [{"physicalLocation":
        {"artifactLocation": {"uri": "a.rs"}, "region": {"startLine": 1}}}]},
    {"ruleId": "R1", "message": {"text": "x"}, "locations": [{"physicalLocation":
        {"artifactLocation": {"uri": "../../etc/passwd"}, "region": {"startLine": 1}}}]},
    {"ruleId": "R2", "message": {"text": "nowhere"}}
]}]}"#;

#[test]
fn an_import_reports_what_was_added_and_what_was_skipped() {
    let mut place = Place::empty();
    place.file("a.rs", "let a;\n");
    place.file("found.sarif", SARIF);
    let output = place.run("review import found.sarif");
    assert_eq!(output.code, 2);
    assert!(output.err.contains("add `--new-store`"), "{}", output.err);
    let output = place.run("review import found.sarif --new-store");
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(output.out.starts_with("Added a comment on a.rs:1  "), "{}", output.out);
    assert!(output.err.ends_with(
        "Skipped finding 2 (R1), ../../etc/passwd:1: the path is outside the workspace: ../../etc/passwd\nSkipped finding 3 (R2): it does not name a file\nFindings: 1 added, 0 already known, 2 skipped.\n"
    ), "{}", output.err);
    place.input = SARIF;
    let done = parse(&place, "review import --format sarif - --json", 0);
    let failed = json!([{"number": 2, "rule": "R1", "path": "../../etc/passwd", "line": 1, "why": "the path is outside the workspace: ../../etc/passwd"}, {"number": 3, "rule": "R2", "path": "", "line": null, "why": "it does not name a file"}]);
    let expected = json!({"added": 0, "skipped": 1, "ignored": 0, "failed": failed, "threads": []});
    assert_eq!(done, expected);
}

#[test]
fn an_invalid_document_exits_with_2() {
    let mut place = Place::empty();
    fs::create_dir(place.machine.dir.join(".code-review")).unwrap();
    place.input = "<xml/>";
    place.check(
        "review import",
        "
-- stderr
Error: nothing was imported
Caused by: the document is not JSON: expected value at line 1 column 1
Hint: give a SARIF document, or a list of comments as JSON
the piped input is kept; add `< ROOT/home/.local/state/skein/scratch/piped-20260123-143000-d13a0290.txt`
-- exit 2
",
    );
    place.input = "{}";
    place.check(
        "review import --format sarif",
        "
-- stderr
Error: nothing was imported
Caused by: the document is not SARIF 2.1: it has no list `runs`
Hint: most analysers can write SARIF 2.1; for a plain list use `--format json`
the piped input is kept; add `< ROOT/home/.local/state/skein/scratch/piped-20260123-143000-7030916e.txt`
-- exit 2
",
    );
    place.input = "[{\"line\": 1}]";
    place.check(
        "review import",
        "
-- stderr
Error: nothing was imported
Caused by: the document is not a list of comments
Caused by: comment 1: missing field `file`
Hint: give a list such as `[{\"file\": \"src/a.rs\", \"line\": 12, \"body\": \"Why?\"}]`
the piped input is kept; add `< ROOT/home/.local/state/skein/scratch/piped-20260123-143000-8be23e91.txt`
-- exit 2
",
    );
    assert_eq!(place.run("review import nowhere.sarif").code, 2);
    assert_eq!(place.run("review export --format pdf").code, 2);
}

#[test]
fn an_agent_that_is_named_as_the_author_is_named_by_its_checkpoints() {
    let mut place = Place::demo();
    for (slug, author, expected) in
        [("a", "Claude Code", "claude-code"), ("b", "Zed [agent]", "zed"), ("c", "Mira", "none")]
    {
        place.machine.variables.insert("SKEIN_AUTHOR".to_owned(), author.to_owned());
        assert_eq!(place.run(&format!("checkpoint save by-{slug} -m work")).code, 0);
        let brief = place.run(&format!("resume by-{slug}")).out;
        let by = brief.lines().find_map(|line| line.strip_prefix("- by: "));
        assert_eq!(by.unwrap_or("none"), expected, "{brief}");
    }
}
