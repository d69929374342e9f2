use serde_json::Value;

use crate::place::Place;

/// Returns the demo workspace with an invalid index and an invalid session map.
fn damaged() -> Place {
    let place = Place::demo();
    place.file(".code-review/index.json", "{");
    place.file("sessions/mattermost-threads.json", "{\"version\": 1, \"mapp");
    place
}

#[test]
fn each_finding_says_how_to_fix_it() {
    Place::demo().check("doctor", "
.code-review/threads/half-written.md: error [review-no-metadata]
    there is no closed metadata block
    Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line.

1 error, 0 warnings in 22 threads.
-- exit 1
");
}

#[test]
fn the_number_of_repairable_findings_is_printed() {
    damaged().check("doctor", "
.code-review/threads/half-written.md: error [review-no-metadata]
    there is no closed metadata block
    Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line.
sessions/mattermost-threads.json:1: error [session-bad-json]
    the file is not JSON: expected a closing quote
    Run `skein session repair` to see what can be saved of it; `skein doctor --fix` does it and keeps the original next to the map.
.code-review/index.json: warning [index-stale]
    the index is not JSON
    Run `skein doctor --fix`: it rebuilds the index from the thread files.

2 errors, 1 warning in 18 threads.
2 can be repaired: skein doctor --fix
-- exit 1
");
}

#[test]
fn without_a_terminal_a_repair_is_only_planned() {
    let place = damaged();
    place.check("doctor --fix", "
.code-review/threads/half-written.md: error [review-no-metadata]
    there is no closed metadata block
    Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line.
sessions/mattermost-threads.json:1: error [session-bad-json]
    the file is not JSON: expected a closing quote
    Run `skein session repair` to see what can be saved of it; `skein doctor --fix` does it and keeps the original next to the map.
.code-review/index.json: warning [index-stale]
    the index is not JSON
    Run `skein doctor --fix`: it rebuilds the index from the thread files.

2 errors, 1 warning in 18 threads.
-- stderr
Would rebuild ROOT/here/lantern/.code-review/index.json from the thread files; run `skein doctor --fix --yes` to do it.
Would rename ROOT/here/lantern/sessions/mattermost-threads.json, which has no readable entries; run `skein doctor --fix --yes` to do it.
-- exit 1
");
    let index =
        std::fs::read_to_string(place.path("here/lantern/.code-review/index.json")).unwrap();
    assert_eq!(index, "{");
}

#[test]
fn with_yes_the_repairs_are_done_without_asking() {
    let place = damaged();
    place.check("doctor --fix --yes", "
.code-review/threads/half-written.md: error [review-no-metadata]
    there is no closed metadata block
    Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line.

1 error, 0 warnings in 18 threads.
-- stderr
wrote ROOT/here/lantern/.code-review/index.json
renamed ROOT/here/lantern/sessions/mattermost-threads.json to ROOT/here/lantern/sessions/mattermost-threads.json.corrupt-20260123-143000
-- exit 1
");
    place.check("doctor --fix --yes", "
.code-review/threads/half-written.md: error [review-no-metadata]
    there is no closed metadata block
    Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line.

1 error, 0 warnings in 18 threads.
-- exit 1
");
    let renamed = "here/lantern/sessions/mattermost-threads.json.corrupt-20260123-143000";
    let kept = std::fs::read_to_string(place.path(renamed)).unwrap();
    assert_eq!(kept, "{\"version\": 1, \"mapp");
}

#[test]
fn a_user_at_a_terminal_is_asked() {
    let mut place = damaged().on_terminal(80);
    place.machine.no_color = true;
    place.input = "n\nyes\n";
    let output = place.run("doctor --fix");
    assert_eq!(
        output.err,
        "Repair: rebuild ROOT/here/lantern/.code-review/index.json from the thread files? [y/N] \
         Repair: rename ROOT/here/lantern/sessions/mattermost-threads.json, which has no readable entries? [y/N] \
         renamed ROOT/here/lantern/sessions/mattermost-threads.json to ROOT/here/lantern/sessions/mattermost-threads.json.corrupt-20260123-143000\n"
    );
    assert!(output.out.contains("index-stale") && !output.out.contains("session-bad-json"));
    place.input = "";
    let output = place.run("doctor --fix");
    assert!(output.out.contains("index-stale"), "the end of the input counts as no");
}

#[test]
fn doctor_exits_with_1_while_errors_remain() {
    let place = Place::demo();
    assert_eq!(place.run("doctor").code, 1);
    std::fs::remove_file(place.path("here/lantern/.code-review/threads/half-written.md")).unwrap();
    place.check(
        "doctor",
        "
No problems in 21 threads.
-- exit 0
",
    );
    Place::empty().check(
        "doctor",
        "
There are no threads here, and no problems.
-- exit 0
",
    );
}

#[test]
fn doctor_prints_findings_as_json() {
    let place = damaged();
    let output = place.run("doctor --json");
    assert_eq!((output.code, output.err.as_str()), (1, ""));
    let report: Value = serde_json::from_str(&output.out).unwrap();
    let found = report["diagnostics"].as_array().unwrap();
    let got: Vec<String> = found
        .iter()
        .map(|diag| format!("{} {} {}", diag["code"], diag["severity"], diag["fixable"]))
        .collect();
    assert_eq!(
        got,
        [
            "\"review-no-metadata\" \"error\" false",
            "\"session-bad-json\" \"error\" true",
            "\"index-stale\" \"warning\" true",
        ]
    );
    for diag in found {
        for key in ["code", "severity", "path", "message", "fixable"] {
            assert!(diag.get(key).is_some(), "{key}");
        }
    }
}

#[test]
fn a_failed_repair_is_reported_and_the_others_are_done() {
    let place = damaged();
    let index = place.path("here/lantern/.code-review/index.json");
    std::fs::remove_file(&index).unwrap();
    place.file(".code-review/index.json/keep", "");
    let output = place.run("doctor --fix --yes");
    assert_eq!(output.code, 2);
    assert!(output.err.contains("renamed ROOT/here/lantern/sessions/mattermost-threads.json to "));
    assert!(output.err.contains("Error: 1 of 2 repairs failed"), "{}", output.err);
    assert!(output.err.contains("Caused by:"), "{}", output.err);
}
