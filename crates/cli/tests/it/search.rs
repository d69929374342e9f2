use std::collections::BTreeSet;

use serde_json::Value;

use crate::place::Place;

/// Returns a workspace with this number of checkpoints that contain `needle`.
fn with_checkpoints(count: usize) -> Place {
    let place = Place::empty();
    for number in 0..count {
        let id = format!("T-20260101-000000-n{number}");
        let text = format!(
            r#"{{"id":"{id}","type":"checkpoint","title":"needle {number}","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}}"#
        );
        place.file(&format!("workspace/threads/{id}.json"), text);
    }
    place
}

#[track_caller]
fn json(place: &Place, words: &str) -> Value {
    let output = place.run(&format!("{words} --json"));
    assert_eq!(output.code, 0, "{words}: {}", output.err);
    serde_json::from_str(&output.out).unwrap()
}

fn ids(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().unwrap();
    hits.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn threads_of_all_kinds_are_found_with_the_text_around_the_match() {
    let place = Place::demo();
    place.check(
        "search limit",
        "
b21d  review  src/cache.rs:32-34  open  55m
    Mira Okafor: `unwrap` on an empty cache panics when the limit is 0.
7f3a  review  src/cache.rs:19-21  open  58m
    Mira Okafor: This lets one entry too many in: with `>` the cache holds `limit + 1`.
load-test  checkpoint  main  error  20h
  Load test of the HTTP face
    step 2: Raise the limit of open files
cache-eviction  checkpoint  main  2d
  Cache eviction
    step 2: Decide what a limit of 0 means
-- exit 0
",
    );
    place.check(
        "search answer kind:session",
        "
ses_1f0c  session  lantern  active  3m
    Answer Mira's review of the cache
-- exit 0
",
    );
}

#[test]
fn a_terminal_has_the_match_marked_and_the_text_cut_to_its_width() {
    let place = Place::demo().on_terminal(40);
    place.check(
        "search one entry too many",
        "
^[[36m7f3a^[[0m  ^[[2mreview  src/cache.rs:19-21  open
58m^[[0m
^[[1m  This lets one entry too many in: with…^[[0m
    ^[[2mMira Okafor^[[0m: …^[[1m^[[33mone^[[0m ^[[1m^[[33mentry^[[0m ^[[1m^[[33mtoo^[[0m ^[[1m^[[33mmany^[[0m in…
-- exit 0
",
    );
}

#[test]
fn the_snippet_prefers_prose_to_a_path_that_repeats_the_word() {
    let place = Place::empty();
    place.file(
        "workspace/threads/T-20260101-000000-x.json",
        r#"{"thread_id":"T-20260101-000000-x","title":"Sewing","conversation_summary":"Lost a needle in the hay.",
        "files_touched":["needle/needle/needle.rs"],"next_steps":["Look for a needle and thread"],"created_at":"2026-01-01T00:00:00Z"}"#,
    );
    let part = |words: &str| json(&place, words)["hits"][0]["in"].clone();
    assert_eq!(part("search needle"), "summary");
    assert_eq!(part("search needle thread"), "step");
    assert_eq!(part("search needle.rs"), "file");
    assert_eq!(part("search kind:checkpoint"), "summary");
}

#[test]
fn a_search_without_hits_exits_with_1() {
    let place = Place::demo();
    place.check(
        "search zebra",
        "
-- stderr
Nothing was found here.
-- exit 1
",
    );
    place.check(
        "search zebra --json",
        "
{\"hits\":[],\"total\":0,\"diagnostics\":[]}
-- exit 1
",
    );
    assert_eq!(Place::empty().run("search zebra").code, 1);
}

#[test]
fn words_with_a_minus_are_not_options() {
    let place = Place::demo();
    let all = ids(&json(&place, "search limit"));
    let some = ids(&json(&place, "search limit -panics"));
    assert_eq!((all.len(), some.len()), (4, 3));
    assert_eq!(ids(&json(&place, "search -panics limit")), some);
    let output = place.run("search --json -- limit -panics");
    assert_eq!(ids(&serde_json::from_str(&output.out).unwrap()), some);
    let output = place.run("search limit -h");
    assert!(output.out.starts_with("Searches the text of all threads"), "{}", output.out);
}

#[test]
fn filter_flags_and_filter_words_find_the_same_threads() {
    let place = Place::demo();
    for (flags, words) in [
        ("--kind review", "kind:review"),
        ("--status open", "status:open"),
        ("--author mira", "author:mira"),
        ("--file src", "file:src"),
        ("--since 2026-01-22", "since:2026-01-22"),
        ("--after 2026-01-22", "after:2026-01-22"),
        ("--before 2026-01-23", "until:2026-01-23"),
        ("--waiting agent", "waiting:agent"),
        ("--tag cache", "tag:cache"),
        ("--type handoff", "type:handoff"),
        ("--branch main", "branch:main"),
    ] {
        let by_flags = ids(&json(&place, &format!("search {flags} --limit 50")));
        assert_eq!(by_flags, ids(&json(&place, &format!("search {words} --limit 50"))), "{words}");
        let listed = json(&place, &format!("list {words}"));
        let listed = listed["threads"].as_array().unwrap();
        let listed: BTreeSet<_> = listed.iter().map(|row| row["id"].as_str().unwrap()).collect();
        let found: BTreeSet<_> = by_flags.iter().map(String::as_str).collect();
        assert_eq!(found, listed, "{words}");
    }
}

#[test]
fn an_invalid_query_is_shown_with_the_error_marked() {
    let place = Place::demo();
    place.check(
        "search limit stauts:open",
        "
-- stderr
Error: there is no filter `stauts`
Hint: did you mean `status:`? Or put it in quotes to look for the text itself
  limit stauts:open
        ^^^^^^^^^^^
-- exit 2
",
    );
    place.check("search colour:red", "
-- stderr
Error: there is no filter `colour`
Hint: filters are `kind:…`, `status:…`, `file:…`, `author:…`, `since:…`, `until:…`, `tag:…`, `type:…`, `branch:…`, `commit:…`, `waiting:…`; or put it in quotes to look for the text itself
  colour:red
  ^^^^^^^^^^
-- exit 2
");
    place.check(
        "search 限界 \"of zero",
        "
-- stderr
Error: the quote that opens here is never closed
Hint: close the quote, or leave it out
  限界 \"of zero
       ^^^^^^^^
-- exit 2
",
    );
    place.check(
        "search limit after:soon",
        "
-- stderr
Error: not a date: soon
Hint: dates are written `2w`, `yesterday` or `2026-01-23`
  limit after:soon
        ^^^^^^^^^^
-- exit 2
",
    );
    place.check(
        "search limit *",
        "
-- stderr
Error: `*` must follow the start of a word
Hint: write it as `begin*`, or leave it out
  limit *
        ^
-- exit 2
",
    );
}

#[test]
fn an_empty_query_is_refused() {
    let place = Place::demo();
    let refused = "
-- stderr
Error: the query is empty
Hint: run `skein search WORD`, or `skein search --help`
-- exit 2
";
    place.check("search", refused);
    let output = place.run_args(&["search", "", "  "]);
    assert_eq!(output.to_string(), refused.trim_start());
    place.check(
        "search …",
        "
-- stderr
Error: `…` has nothing to search for: only letters and digits are searched
Hint: leave it out
  …
  ^
-- exit 2
",
    );
}

#[test]
fn a_query_of_a_hundred_kilobytes_is_refused_with_a_short_error() {
    let place = Place::demo();
    let refused = "
-- stderr
Error: the query is longer than 4096 bytes
Hint: look for the few words that matter most
-- exit 2
";
    for query in ["limit ".repeat(17_000), "\"".repeat(100_000), "é".repeat(50_000)] {
        let output = place.run_args(&["search", &query]);
        assert_eq!(output.to_string(), refused.trim_start());
    }
    let many = place.run_args(&["search", &"a ".repeat(65)]);
    assert_eq!(many.code, 2);
    assert!(many.err.contains("more than 64 words, phrases and filters"), "{}", many.err);
}

#[test]
fn control_characters_of_a_query_do_not_reach_the_terminal() {
    let place = Place::demo();
    let output = place.run_args(&["search", "\u{1b}]0;x\u{7} \"open"]);
    assert_eq!(output.code, 2);
    assert!(!output.err.contains(['\u{1b}', '\u{7}']), "{}", output.err);
}

#[test]
fn paging_returns_every_hit_exactly_once() {
    let place = with_checkpoints(23);
    let all = ids(&json(&place, "search needle --limit 100"));
    assert_eq!(all.len(), 23);
    let mut collected = Vec::new();
    for offset in (0..25).step_by(5) {
        let page = json(&place, &format!("search needle --limit 5 --offset {offset}"));
        assert_eq!(page["total"], 23);
        collected.extend(ids(&page));
    }
    assert_eq!(collected, all);
    let output = place.run("search needle --limit 5 --offset 5");
    assert_eq!(output.err, "5 of 23 threads; `--offset 10` shows more\n");
    assert_eq!(place.run("search needle --limit 5 --offset 20").err, "");
    place.check(
        "search needle --offset 23",
        "
-- stderr
23 threads match, and none is shown.
-- exit 0
",
    );
    assert_eq!(json(&place, "search needle --limit 0")["total"], 23);
}

#[test]
fn the_json_of_a_hit_has_the_list_row_and_the_snippet() {
    let place = Place::demo();
    let answer = json(&place, "search panics");
    assert_eq!(answer["total"], 1);
    let hit = answer["hits"][0].clone();
    let rows = json(&place, "review list");
    let row = rows["threads"].as_array().unwrap().iter().find(|row| row["id"] == hit["id"]);
    for (name, value) in row.unwrap().as_object().unwrap() {
        assert_eq!(&hit[name], value, "{name}");
    }
    let snippet = hit["snippet"].as_str().unwrap();
    let mark = &hit["marks"][0];
    let at = |name: &str| usize::try_from(mark[name].as_u64().unwrap()).unwrap();
    assert_eq!(&snippet[at("start")..at("end")], "panics");
    assert_eq!((&hit["in"], &hit["by"]), (&"comment".into(), &"Mira Okafor".into()));
    assert_eq!(hit["workspace"], "ROOT/here/lantern");
    assert!(hit["score"].as_f64().unwrap() > 0.0);

    let step = json(&place, "search raise files")["hits"][0].clone();
    assert_eq!((&step["at"], &step["in"]), (&"step 2".into(), &"step".into()));
    let session = json(&place, "search answer kind:session")["hits"][0].clone();
    // The session map belongs to this workspace only.
    assert_eq!(session["at"], session["directory"]);
    assert_eq!(session["workspace"], "ROOT/here/lantern");
}

#[test]
fn outside_of_a_workspace_all_known_workspaces_are_searched() {
    let mut place = Place::demo();
    assert_eq!(place.run("list").code, 0);
    let inside = place.machine.dir.clone();
    place.machine.dir = place.path("home");
    place.check(
        "search panics",
        "
ROOT/here/lantern
b21d90ee-5f4a-4f0b-8c0e-6b0d9f7a2002  review  src/cache.rs:32-34 (as written)  open  55m
    Mira Okafor: `unwrap` on an empty cache panics when the limit is 0.
-- exit 0
",
    );
    place.check(
        "search zebra",
        "
-- stderr
Nothing was found in any workspace; `skein workspaces list` shows them.
-- exit 1
",
    );
    let found = ids(&json(&place, "search panics"));
    let shown = place.run(&format!("-C {} show {}", inside.display(), found[0]));
    assert_eq!(shown.code, 0, "{}", shown.err);
}

#[test]
fn everywhere_names_the_workspace_of_each_thread() {
    let mut place = Place::demo();
    assert_eq!(place.run("list").code, 0);
    place.machine.dir = place.path("here/other");
    place.file(
        "workspace/threads/T-20260101-000000-cache.json",
        r#"{"id":"T-20260101-000000-cache","type":"checkpoint","title":"It panics, the cache","created_at":"2026-01-01T00:00:00Z"}"#,
    );
    place.check(
        "search panics",
        "
cache  checkpoint  3w
    It panics, the cache
-- exit 0
",
    );
    place.check(
        "search panics --everywhere",
        "
ROOT/here/other
cache  checkpoint  3w
    It panics, the cache
ROOT/here/lantern
b21d90ee-5f4a-4f0b-8c0e-6b0d9f7a2002  review  src/cache.rs:32-34 (as written)  open  55m
    Mira Okafor: `unwrap` on an empty cache panics when the limit is 0.
-- exit 0
",
    );
    place.check(
        "search unwrap",
        "
-- stderr
Nothing was found here; `--everywhere` searches all workspaces.
-- exit 1
",
    );
}

#[test]
fn ten_thousand_matches_are_counted_and_twenty_are_shown() {
    let place = with_checkpoints(10_000);
    let all = json(&place, "search needle");
    assert_eq!((&all["total"], ids(&all).len()), (&10_000.into(), 20));
    assert_eq!(ids(&json(&place, "search needle 9999")), ["T-20260101-000000-n9999"]);
    assert!(!place.path("home/.cache").exists(), "a search writes nothing");
}

#[test]
fn unknown_fields_of_a_checkpoint_are_shown_as_text() {
    let place = Place::empty();
    place.file(
        "workspace/threads/T-20260120-100000-x.json",
        r#"{"thread_id": "T-20260120-100000-x", "version": 1, "type": "checkpoint", "created_at": "2026-01-20T10:00:00Z", "conversation_summary": "So.", "plan": {"then": ["first\nlighthouse", {"by": "Tom"}]}}"#,
    );
    let output = place.run("search lighthouse").out;
    assert!(output.contains("then: first lighthouse, by: Tom"), "{output}");
}
