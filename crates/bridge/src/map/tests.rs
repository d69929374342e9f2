use std::fs;
use std::os::unix::fs::MetadataExt as _;

use skein_fixtures::Fixture;

use super::*;

const FILE: &str = "home/.config/opencode/mattermost-threads.json";
const OTHER: &str = "ses_other";

/// The time of the fixtures in milliseconds is later than these.
const CREATED: u64 = 1_700_000_000_000;
const LATER: u64 = 1_800_000_000_000;

fn mapping(session: &str, title: &str) -> ThreadMapping {
    ThreadMapping {
        session: session.into(),
        root: format!("post-of-{session}").as_str().into(),
        short_id: "ses_abcdef".to_owned(),
        user: "ada".into(),
        channel: "direct".into(),
        project: "lantern".to_owned(),
        directory: "/src/lantern".to_owned(),
        title: title.to_owned(),
        created: Millis(CREATED),
        active: Millis(CREATED),
    }
}

fn open(fixture: &Fixture, entries: &[(ThreadMapping, MappingStatus)]) -> BridgeMap {
    let path = MapPath::named(fixture.path(FILE));
    BridgeMap::open(&fixture.env(""), path, entries).unwrap()
}

fn touch(session: &str, at: u64) -> MapChange {
    MapChange::Touch { session: session.into(), at: Millis(at) }
}

fn status(session: &str, status: MappingStatus) -> MapChange {
    MapChange::Status { session: session.into(), status }
}

fn change(map: &mut BridgeMap, change: &MapChange) {
    map.apply(change);
    map.save().unwrap();
}

/// Lists the entries in the file: session, status, title.
fn entries(fixture: &Fixture) -> Vec<String> {
    let map = SessionMap::load(&MapPath::named(fixture.path(FILE)), Mode::Lenient).unwrap();
    let line = |mapping: &session::Mapping<'_>| {
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
    skein_fixtures::session(OTHER, "active", "2026-01-10T10:00:00.000Z")
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
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    change(&mut map, &MapChange::Set(mapping("ses_1", "Uno")));
    assert_eq!(entries(&fixture), ["ses_1 active Uno"]);
    change(&mut map, &touch("ses_1", LATER));
    let text = fixture.read(FILE);
    let at = format!("\"lastActivityAt\": \"{}\"", map_time(Millis(LATER)));
    assert!(text.contains(&at), "{text}");
    // A session that is not the bridge's own is not changed.
    change(&mut map, &touch("ses_unknown", LATER));
    change(&mut map, &status("ses_unknown", MappingStatus::Ended));
    assert_eq!(fixture.read(FILE), text);
}

#[test]
fn entries_that_another_program_overwrites_are_restored_and_its_own_are_kept() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    change(&mut map, &MapChange::Set(mapping("ses_2", "Two")));
    let empty = Fixture::new();
    empty.sessions(&[other_entry()]);
    overwrite(&fixture, &empty.read(FILE));
    assert_eq!(entries(&fixture), ["ses_other active Title of ses_other"]);
    map.save().unwrap();
    let expected = ["ses_other active Title of ses_other", "ses_1 active One", "ses_2 active Two"];
    assert_eq!(entries(&fixture), expected);
}

#[test]
fn an_entry_that_another_program_changed_back_is_restored() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    let before = fixture.read(FILE);
    change(
        &mut map,
        &MapChange::Set(ThreadMapping {
            directory: "/src/kiln".to_owned(),
            ..mapping("ses_1", "Uno")
        }),
    );
    overwrite(&fixture, &before);
    map.save().unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active Uno"]);
    assert!(fixture.read(FILE).contains("/src/kiln"));
}

#[test]
fn a_removed_file_is_written_again_and_an_unchanged_one_is_not() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    map.save().unwrap();
    assert!(!fixture.path(FILE).exists());
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    // A write would replace the file.
    let file = || fs::metadata(fixture.path(FILE)).unwrap().ino();
    let before = file();
    map.save().unwrap();
    assert_eq!(file(), before);
    fs::remove_file(fixture.path(FILE)).unwrap();
    map.save().unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active One"]);
}

#[test]
fn a_session_that_is_opened_again_is_active_again() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    change(&mut map, &status("ses_1", MappingStatus::Disconnected));
    assert_eq!(entries(&fixture), ["ses_1 disconnected One"]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    assert_eq!(entries(&fixture), ["ses_1 active One"]);
}

#[test]
fn a_session_that_ended_stays_ended() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    let before = fixture.read(FILE);
    change(&mut map, &status("ses_1", MappingStatus::Ended));
    let ended = ["ses_1 ended One"];
    assert_eq!(entries(&fixture), ended);
    overwrite(&fixture, &before);
    map.save().unwrap();
    assert_eq!(entries(&fixture), ended);
    // An event that comes late does not bring it back.
    change(&mut map, &status("ses_1", MappingStatus::Active));
    assert_eq!(entries(&fixture), ended);
    change(&mut map, &MapChange::Set(mapping("ses_1", "Later")));
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
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    overwrite(&fixture, "{\"version\": 1, \"mappings\": [");
    map.save().unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active One"]);
    let names = fs::read_dir(fixture.path("home/.config/opencode")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains(".corrupt-")).count(), 1);
}

#[test]
fn every_field_of_an_entry_is_restored() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    let is_restored = |before: &str, changed: &str, map: &mut BridgeMap| {
        let text = fixture.read(FILE);
        assert!(text.contains(before), "{text}");
        // The time of the last activity of the other program is later.
        let text = text.replace(before, changed).replace("2026-01", "2027-01");
        overwrite(&fixture, &text);
        map.save().unwrap();
        let text = fixture.read(FILE);
        assert!(text.contains(before) && !text.contains(changed), "{text}");
    };
    let fields = [
        ("post-of-ses_1", "another-post"),
        ("ses_abcdef", "ses_ghijkl"),
        ("\"ada\"", "\"ben\""),
        ("\"direct\"", "\"another\""),
        ("\"lantern\"", "\"kiln\""),
        ("\"/src/lantern\"", "\"/src/kiln\""),
        ("\"One\"", "\"Two\""),
        ("\"active\"", "\"orphaned\""),
        ("\"createdAt\": \"2023", "\"createdAt\": \"2022"),
    ];
    for (before, changed) in fields {
        is_restored(before, changed, &mut map);
    }
}

#[test]
fn a_thread_in_another_channel_changes_the_entry() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    let moved = ThreadMapping { channel: "town-square".into(), ..mapping("ses_1", "One") };
    change(&mut map, &MapChange::Set(moved));
    assert!(fixture.read(FILE).contains("\"dmChannelId\": \"town-square\""));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it is what another program does")]
fn a_save_that_failed_is_repeated() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    let (dir, moved) = (fixture.path("home/.config/opencode"), fixture.path("home/moved"));
    fs::rename(&dir, &moved).unwrap();
    fs::write(&dir, "not a directory").unwrap();
    map.apply(&MapChange::Set(mapping("ses_2", "Two")));
    map.save().unwrap_err();
    fs::remove_file(&dir).unwrap();
    fs::rename(&moved, &dir).unwrap();
    map.save().unwrap();
    assert_eq!(entries(&fixture), ["ses_1 active One", "ses_2 active Two"]);
}

#[tokio::test]
async fn changes_are_taken_while_another_program_has_locked_the_map() {
    let fixture = Fixture::new();
    let mut map = open(&fixture, &[]);
    change(&mut map, &MapChange::Set(mapping("ses_1", "One")));
    let env = fixture.env("");
    let dir = fixture.path("home/.config/opencode");
    let guard = skein_store::lock(&*env.fs, &dir, std::time::Duration::from_secs(1)).unwrap();
    let (writer, _ended) = MapWriter::start(map).unwrap();
    writer.send(MapChange::Set(mapping("ses_2", "Two")));
    writer.send(status("ses_2", MappingStatus::Disconnected));
    writer.send(MapChange::Set(mapping("ses_3", "Three")));
    assert_eq!(entries(&fixture), ["ses_1 active One"]);
    drop(guard);
    writer.finish().await;
    let expected = ["ses_1 active One", "ses_2 disconnected Two", "ses_3 active Three"];
    assert_eq!(entries(&fixture), expected);
}

#[test]
fn a_session_that_another_program_has_ended_is_reported_once() {
    let fixture = Fixture::new();
    let entries_of_bridge = ["ses_1", "ses_2"].map(|id| (mapping(id, "t"), MappingStatus::Active));
    let mut map = open(&fixture, &entries_of_bridge);
    assert!(map.take_ended().is_empty());
    change(&mut map, &status("ses_2", MappingStatus::Ended));
    assert!(map.take_ended().is_empty());
    let text = fs::read_to_string(fixture.path(FILE)).unwrap();
    overwrite(&fixture, &text.replacen("\"active\"", "\"ended\"", 1));
    map.save().unwrap();
    assert_eq!(map.take_ended(), ["ses_1".into()]);
    change(&mut map, &touch("ses_1", LATER));
    assert!(map.take_ended().is_empty());
    assert_eq!(entries(&fixture), ["ses_1 ended t", "ses_2 ended t"]);
    // The next bridge does not know it yet.
    assert_eq!(open(&fixture, &entries_of_bridge[..1]).take_ended(), ["ses_1".into()]);
}
