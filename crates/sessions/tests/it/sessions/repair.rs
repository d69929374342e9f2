//! Damaged maps that are repaired.

use std::fs;

use skein_format::session::NewMapping;
use skein_sessions::{MapPath, MapRepairAction, repair};

use super::{MAP, entry, in_file, map_of};
use skein_fixtures::{Fixture, session};

const ASIDE: &str = "home/.config/opencode/mattermost-threads.json.corrupt-20260123-143000";

fn run_check(fixture: &Fixture) -> skein_doctor::CheckReport {
    let workspace = fixture.open("repo");
    skein_doctor::check(&workspace, skein_catalog::WorktreeScope::ThisWorktree)
}

/// Repairs everything, and returns the messages.
fn repair_all(fixture: &Fixture) -> Vec<String> {
    let workspace = fixture.open("repo");
    let report = run_check(fixture);
    let messages = report.repairs.iter().map(|one| skein_doctor::repair(&workspace, one));
    messages.map(|message| fixture.shorten(&message.unwrap())).collect()
}

fn whole() -> Vec<u8> {
    map_of(&[entry("ses_a", "14:00"), entry("ses_b", "15:00"), entry("ses_c", "16:00")])
}

#[track_caller]
fn check(bytes: &[u8], expected: &[&str]) {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, bytes);
    let env = fixture.env("");
    let before = fixture.tree();
    let plan = repair(&MapPath::named(&path), &env, false).unwrap();
    assert_eq!((plan.action, plan.entries), (MapRepairAction::WouldRepair, expected.len()));
    assert_eq!(fixture.tree(), before, "a dry run writes nothing");
    let done = repair(&MapPath::named(&path), &env, true).unwrap();
    assert_eq!(
        (done.action, done.entries, &done.cut),
        (MapRepairAction::Repaired, plan.entries, &plan.cut)
    );
    assert_eq!(done.kept.unwrap(), fixture.path(ASIDE));
    assert_eq!(fs::read(fixture.path(ASIDE)).unwrap(), bytes, "the original is kept complete");
    assert_eq!(in_file(&path), expected);
    assert_eq!(repair(&MapPath::named(&path), &env, true).unwrap().action, MapRepairAction::Sound);
}

#[test]
fn entries_are_salvaged_and_the_original_is_kept() {
    let whole = whole();
    let third = whole.windows(5).position(|window| window == b"ses_c").unwrap();
    check(&whole[..third + 100], &["ses_a 14:00", "ses_b 15:00"]);
    check(&whole[..third - 24], &["ses_a 14:00", "ses_b 15:00"]);
    let all = ["ses_a 14:00", "ses_b 15:00", "ses_c 16:00"];
    check(&[&whole[..], &whole[..]].concat(), &all);
    check(&[&whole[..], b"trailing"].concat(), &all);
    check(b"{", &[]);
}

#[test]
fn a_repair_removes_only_the_byte_order_mark() {
    let whole = whole();
    let all = ["ses_a 14:00", "ses_b 15:00", "ses_c 16:00"];
    check(&[b"\xef\xbb\xbf", whole.as_slice()].concat(), &all);
    let fixture = Fixture::new();
    let odd = b"\xef\xbb\xbf{\"version\": 1.0, \"x\": 7,\r\n \"mappings\": [{\"a\": 1}, 2]}";
    let path = fixture.file(MAP, odd);
    assert_eq!(
        repair(&MapPath::named(&path), &fixture.env(""), true).unwrap().action,
        MapRepairAction::Repaired
    );
    assert_eq!(fs::read(&path).unwrap(), odd[3..]);
}

#[test]
fn a_valid_map_is_not_changed() {
    let fixture = Fixture::new();
    let path = fixture.sessions(&[
        "{\"sessionId\": 7}".to_owned(),
        session("ses_one", "active", "2026-01-16T10:00:00.000Z"),
    ]);
    let before = fixture.tree();
    let done = repair(&MapPath::named(&path), &fixture.env(""), true).unwrap();
    assert_eq!((done.action, done.entries), (MapRepairAction::Sound, 2));
    assert_eq!(done.diagnostics[0].message, "entry 1: `sessionId` is not a string");
    assert_eq!(fixture.tree(), before);
}

#[test]
fn the_doctor_removes_a_byte_order_mark_even_if_no_entry_is_valid() {
    // The second map has no valid entry: the plugin gave it a short id that is too long.
    let odd = NewMapping { short_id: "merry-otter-lake".to_owned(), ..entry("ses_a", "14:00") };
    for map in [whole(), map_of(&[odd])] {
        let fixture = Fixture::new();
        fixture.dir("repo");
        let marked = [b"\xef\xbb\xbf", map.as_slice()].concat();
        let path = fixture.file(MAP, &marked);
        let reported = format!("removed the byte order mark of {MAP}; the old file is {ASIDE}");
        assert_eq!(repair_all(&fixture), [reported]);
        assert_eq!(fs::read(&path).unwrap(), map);
        assert_eq!(fs::read(fixture.path(ASIDE)).unwrap(), marked);
    }
}

#[test]
fn the_doctor_salvages_readable_entries() {
    let fixture = Fixture::new();
    fixture.dir("repo");
    let damaged = &whole()[..700];
    let path = fixture.file(MAP, damaged);
    let plan = run_check(&fixture).repairs[0].plan();
    assert_eq!(
        fixture.shorten(&plan),
        format!(
            "rebuild {MAP} from the 1 entries that can be read, and keep the old file under another name"
        )
    );
    assert_eq!(
        repair_all(&fixture),
        [format!("rebuilt {MAP} with 1 entries; the old file is {ASIDE}")]
    );
    assert_eq!(in_file(&path), ["ses_a 14:00"]);
    assert_eq!(fs::read(fixture.path(ASIDE)).unwrap(), damaged);
}

#[test]
fn the_doctor_does_not_overwrite_what_was_written_after_its_check() {
    let later = "{\"version\": 2, \"mappings\": []";
    let unknown = "the session map cannot be used: the file is not JSON: expected `,` or `}`, and its version is not known";
    let written = format!("{MAP} was not changed: another program has written it");
    for (bytes, expected) in [
        (&whole()[..], &*written),
        (&whole()[..700], &*written),
        (later.as_bytes(), &*format!("{unknown}: {MAP}")),
    ] {
        let fixture = Fixture::new();
        fixture.dir("repo");
        let path = fixture.file(MAP, "{");
        let report = run_check(&fixture);
        fs::write(&path, bytes).unwrap();
        let before = fixture.tree();
        let workspace = fixture.open("repo");
        let reported = skein_doctor::repair(&workspace, &report.repairs[0]);
        let reported = reported.unwrap_or_else(|error| error.to_string());
        assert_eq!(fixture.shorten(&reported), expected);
        assert_eq!(fixture.tree(), before);
    }
}

#[test]
fn the_doctor_keeps_a_link() {
    let fixture = Fixture::new();
    fixture.dir("repo");
    fixture.file("dotfiles/map.json", "{");
    fixture.link(MAP, fixture.path("dotfiles/map.json"));
    repair_all(&fixture);
    assert!(fixture.path(MAP).is_symlink());
    assert_eq!(in_file(&fixture.path(MAP)), [""; 0]);
}
