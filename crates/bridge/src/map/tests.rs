use std::fs;
use std::os::unix::fs::MetadataExt as _;

use skein_fixtures::{Fixture, session};

use super::*;
use crate::core::ids::Time as CoreTime;

const FILE: &str = "home/.config/opencode/mattermost-threads.json";
const OTHER: &str = "ses_other";

/// The time of the fixtures in milliseconds is later than these.
const CREATED: u64 = 1_700_000_000_000;

fn mapping(session: &str, title: &str) -> Mapping {
    Mapping {
        session: session.into(),
        root: format!("post-of-{session}").as_str().into(),
        short_id: "ses_abcdef".to_owned(),
        user: "ada".into(),
        channel: "direct".into(),
        project: "lantern".to_owned(),
        directory: "/src/lantern".to_owned(),
        title: title.to_owned(),
        created: CoreTime(CREATED),
        active: CoreTime(CREATED),
    }
}

fn open(fixture: &Fixture, entries: &[(Mapping, MappingStatus)]) -> BridgeMap {
    let path = MapPath::named(fixture.path(FILE));
    BridgeMap::open(&fixture.env(""), path, entries).unwrap()
}

/// Lists the entries in the file: session, status, title.
fn entries(fixture: &Fixture) -> Vec<String> {
    let map = SessionMap::load(&MapPath::named(fixture.path(FILE)), Mode::Lenient).unwrap();
    let line = |mapping: &skein_format::session::Mapping<'_>| {
        let title = mapping.session_title.as_deref().unwrap_or("-");
        format!("{} {} {title}", mapping.session_id, mapping.status.as_str())
    };
    map.mappings().iter().map(line).collect()
}

/// Replaces the file, as a program does that has another version of it in memory.
#[expect(clippy::disallowed_methods, reason = "it is what the other program does")]
fn overwrite(fixture: &Fixture, text: &str) {
    let staged = fixture.file("home/staged", text);
    fs::rename(staged, fixture.path(FILE)).unwrap();
}

fn other_entry() -> String {
    session(OTHER, "active", "2026-01-10T10:00:00.000Z")
}

#[test]
fn entries_that_the_map_lacks_are_added_when_the_bridge_starts() {
    let fixture = Fixture::new();
    fixture.sessions(&[other_entry()]);
    let known = [
        (mapping("ses_1", "One"), MappingStatus::Active),
        (mapping("ses_2", ""), MappingStatus::Ended),
    ];
    drop(open(&fixture, &known));
    let expected = ["ses_other active Title of ses_other", "ses_1 active One", "ses_2 ended -"];
    assert_eq!(entries(&fixture), expected);
    // They are not added twice.
    let before = fs::read(fixture.path(FILE)).unwrap();
    drop(open(&fixture, &known));
    assert_eq!(fs::read(fixture.path(FILE)).unwrap(), before);
}

#[test]
fn a_new_title_and_the_last_activity_are_written() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    assert!(!fixture.path(FILE).exists());
    map.set(&mapping("ses_1", "One")).unwrap();
    map.set(&mapping("ses_1", "Uno")).unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active Uno"]);
    map.touch("ses_1", time(CREATED + 5_000)).unwrap();
    let text = fixture.read(FILE);
    let at = format!("\"lastActivityAt\": \"{}\"", time(CREATED + 5_000));
    assert!(text.contains(&at), "{text}");
    // A session that is not the bridge's own is not changed.
    map.touch("ses_unknown", time(CREATED)).unwrap();
    map.set_status("ses_unknown", MappingStatus::Ended).unwrap();
    assert_eq!(fixture.read(FILE), text);
}

#[test]
fn entries_that_another_program_overwrites_are_restored_and_its_own_are_kept() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    map.set(&mapping("ses_1", "One")).unwrap();
    map.set(&mapping("ses_2", "Two")).unwrap();
    let empty = Fixture::new();
    empty.sessions(&[other_entry()]);
    overwrite(&fixture, &empty.read(FILE));
    assert_eq!(entries(&fixture), ["ses_other active Title of ses_other"]);
    map.check().unwrap();
    let expected = ["ses_other active Title of ses_other", "ses_1 active One", "ses_2 active Two"];
    assert_eq!(entries(&fixture), expected);
}

#[test]
fn an_entry_that_another_program_changed_back_is_restored() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    map.set(&mapping("ses_1", "One")).unwrap();
    let before = fixture.read(FILE);
    map.set(&Mapping { directory: "/src/kiln".to_owned(), ..mapping("ses_1", "Uno") }).unwrap();
    overwrite(&fixture, &before);
    map.check().unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active Uno"]);
    assert!(fixture.read(FILE).contains("/src/kiln"));
}

#[test]
fn a_removed_file_is_written_again_and_an_unchanged_one_is_not() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    map.check().unwrap();
    assert!(!fixture.path(FILE).exists());
    map.set(&mapping("ses_1", "One")).unwrap();
    // A write would replace the file.
    let file = || fs::metadata(fixture.path(FILE)).unwrap().ino();
    let before = file();
    map.check().unwrap();
    assert_eq!(file(), before);
    fs::remove_file(fixture.path(FILE)).unwrap();
    map.check().unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active One"]);
}

#[test]
fn a_session_that_is_opened_again_is_active_again() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    map.set(&mapping("ses_1", "One")).unwrap();
    map.set_status("ses_1", MappingStatus::Disconnected).unwrap();
    assert_eq!(entries(&fixture), ["ses_1 disconnected One"]);
    map.set(&mapping("ses_1", "One")).unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active One"]);
}

#[test]
fn a_session_that_ended_stays_ended() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    map.set(&mapping("ses_1", "One")).unwrap();
    let before = fixture.read(FILE);
    map.set_status("ses_1", MappingStatus::Ended).unwrap();
    let ended = ["ses_1 ended One"];
    assert_eq!(entries(&fixture), ended);
    overwrite(&fixture, &before);
    map.check().unwrap();
    assert_eq!(entries(&fixture), ended);
    // An event that comes late does not bring it back.
    map.set_status("ses_1", MappingStatus::Active).unwrap();
    assert_eq!(entries(&fixture), ended);
    map.set(&mapping("ses_1", "Later")).unwrap();
    let ended = ["ses_1 ended Later"];
    assert_eq!(entries(&fixture), ended);
    // The next start of a bridge does not bring it back.
    drop(open(&fixture, &[(mapping("ses_1", "Later"), MappingStatus::Active)]));
    assert_eq!(entries(&fixture), ended);
}

#[test]
fn a_map_that_is_not_json_is_kept_beside_the_restored_one() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    map.set(&mapping("ses_1", "One")).unwrap();
    overwrite(&fixture, "{\"version\": 1, \"mappings\": [");
    map.check().unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active One"]);
    let names = fs::read_dir(fixture.path("home/.config/opencode")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains(".corrupt-")).count(), 1);
}
