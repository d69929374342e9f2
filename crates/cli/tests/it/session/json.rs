use serde_json::{Value, json};

use super::{MAP, place, write_map};

fn parse(output: &str) -> Value {
    assert_eq!(output.lines().count(), 1, "one document on one line");
    serde_json::from_str(output).unwrap()
}

fn keys_of(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

const ROW: [&str; 20] = [
    "created_at",
    "diagnostics",
    "directory",
    "directory_exists",
    "dm_channel_id",
    "ended_at",
    "file",
    "id",
    "kind",
    "last_activity_at",
    "mattermost_user_id",
    "project_name",
    "session_id",
    "session_title",
    "short_id",
    "status",
    "thread_root_post_id",
    "title",
    "updated_at",
    "usable",
];

#[test]
fn list_json_has_threads_and_diagnostics() {
    let listing = parse(&place().run("session list --json").out);
    assert_eq!(keys_of(&listing), ["diagnostics", "threads"]);
    assert_eq!(keys_of(&listing["threads"][0]), ROW);
    let gone: Vec<&Value> =
        listing["threads"].as_array().unwrap().iter().map(|row| &row["directory_exists"]).collect();
    assert_eq!(gone, [&json!(true), &json!(false), &json!(true)]);
    assert_eq!(listing["diagnostics"][0]["code"], "session-entry");
}

#[test]
fn show_json_equals_the_row_of_the_list() {
    let place = place();
    let view = parse(&place.run("session show ses_4f1c9a --json").out);
    assert_eq!(keys_of(&view), ROW);
    assert_eq!(view, parse(&place.run("show ses_4f1c9a --json").out));
    assert_eq!(view, parse(&place.run("session list --json").out)["threads"][0]);
}

#[test]
fn set_json_lists_the_changed_fields() {
    let place = place();
    let written = parse(&place.run("session set ses_4f1c9a status=ended --json").out);
    assert_eq!(written["action"], "updated");
    assert_eq!(written["changed"], json!(["status", "endedAt", "lastActivityAt"]));
    assert_eq!(
        (&written["status"], &written["ended_at"]),
        (&json!("ended"), &json!("2026-01-23T14:30:00.000Z"))
    );
    let again = parse(&place.run("session set ses_4f1c9a status=ended --json").out);
    assert_eq!((&again["action"], &again["changed"]), (&json!("unchanged"), &json!([])));
}

#[test]
fn merge_json_has_the_verdicts_and_the_map() {
    let place = place();
    place.file("a.json", MAP.replace("14:26:00", "14:27:00"));
    place.file("b.json", MAP);
    let report = parse(&place.run("session merge a.json b.json --json").out);
    assert_eq!(keys_of(&report), ["diagnostics", "map", "sessions", "steps"]);
    assert_eq!(report["sessions"], 4);
    let step = &report["steps"][0];
    assert_eq!(keys_of(step), ["disk", "memory", "restored", "verdicts"]);
    assert_eq!(
        step["verdicts"][0],
        json!({"session_id": "ses_4f1c9a7be2", "won": "memory", "why": "later-activity", "ended_kept": false, "filled": []})
    );
    let merged: Value = serde_json::from_str(report["map"].as_str().unwrap()).unwrap();
    assert_eq!(merged["mappings"][0]["lastActivityAt"], "2026-01-23T14:27:00.000Z");
    let report = parse(&place.run("session merge a.json b.json -o c.json --json").out);
    assert_eq!(
        (&report["action"], &report["out"]),
        (&json!("created"), &json!("ROOT/here/c.json"))
    );
}

#[test]
fn repair_json_counts_the_entries() {
    let place = place();
    write_map(&place, &MAP[..MAP.find("merry-otter").unwrap()]);
    let would = parse(&place.run("session repair --json").out);
    assert_eq!(keys_of(&would), ["action", "cut", "diagnostics", "duplicates", "entries", "file"]);
    assert_eq!((&would["action"], &would["entries"]), (&json!("would-repair"), &json!(3)));
    let done = parse(&place.run("session repair --yes --json").out);
    assert_eq!(
        done["kept"],
        "ROOT/home/.config/opencode/mattermost-threads.json.corrupt-20260123-143000"
    );
    let sound = parse(&place.run("session repair --json").out);
    assert_eq!(sound["action"], "sound");
}

#[test]
fn the_list_of_a_broken_map_is_valid_json() {
    let place = place();
    write_map(&place, "{");
    let output = place.run("session list --json");
    assert_eq!(output.code, 2);
    let listing = parse(&output.out);
    assert_eq!(listing["threads"], json!([]));
    assert_eq!(listing["diagnostics"][0]["severity"], "error");
}

#[test]
fn the_overview_counts_sessions() {
    let overview = parse(&place().run("--json").out);
    assert_eq!(overview["disconnected_sessions"], 1);
    assert_eq!(overview["orphaned_sessions"], 0);
    assert_eq!(overview["active_sessions"][0]["directory_exists"], true);
}
