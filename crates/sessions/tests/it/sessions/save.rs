//! What a save merges, and when it writes.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use skein_format::session::MappingField;
use skein_store::RealFs;

use super::{MAP, entry, in_file, load, map_of, now, save, shown};
use skein_fixtures::{Fixture, at};

#[test]
fn an_unchanged_map_is_not_written() {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, map_of(&[entry("ses_a", "14:00")]));
    let seen = || {
        let meta = fs::metadata(&path).unwrap();
        (meta.ino(), meta.mtime(), meta.mtime_nsec(), fs::read(&path).unwrap())
    };
    let before = seen();
    let mut map = load(&path);
    assert_eq!(save(&mut map), "unchanged");
    map.set("ses_a", &[(MappingField::ProjectName, "lantern")], now()).unwrap();
    assert_eq!(save(&mut map), "unchanged");
    assert_eq!(seen(), before);
    map.set("ses_a", &[(MappingField::ProjectName, "torch")], now()).unwrap();
    assert_eq!(save(&mut map), "written");
    let text = fixture.read(MAP);
    assert!(text.contains("\"lastModified\": \"2026-01-23T14:30:00.000Z\""), "{text}");
    let before = seen();
    assert_eq!(save(&mut map), "unchanged");
    assert_eq!(load(&path).save(&RealFs, at("2027-01-01")).unwrap().action.as_str(), "unchanged");
    assert_eq!(seen(), before);
}

#[test]
fn a_foreign_writer_with_an_old_map_removes_no_entry_that_is_in_memory() {
    let fixture = Fixture::new();
    let stale = map_of(&[entry("ses_a", "14:00")]);
    let path = fixture.file(MAP, &stale);
    let mut map = load(&path);
    map.insert(&entry("ses_b", "15:00"), now()).unwrap();
    assert_eq!(save(&mut map), "written");
    for round in 0..3 {
        fs::write(&path, &stale).unwrap();
        assert_eq!(save(&mut map), "written", "{round}");
        assert_eq!(in_file(&path), ["ses_a 14:00", "ses_b 15:00"]);
    }
    assert_eq!(save(&mut map), "unchanged");
}

#[test]
fn entries_of_two_programs_are_merged() {
    let fixture = Fixture::new();
    let path = fixture.path(MAP);
    let (mut one, mut other) = (load(&path), load(&path));
    one.insert(&entry("ses_a", "14:00"), now()).unwrap();
    other.insert(&entry("ses_b", "15:00"), now()).unwrap();
    assert_eq!((save(&mut one), save(&mut other)), ("created", "written"));
    assert_eq!(shown(&other), ["ses_a 14:00", "ses_b 15:00"]);
    assert_eq!(shown(&one), ["ses_a 14:00"]);
    assert_eq!(save(&mut one), "unchanged", "the file has all entries");
    assert_eq!(shown(&one), shown(&other), "memory is updated from the file");
}

#[test]
fn a_save_without_changes_updates_memory_from_the_file() {
    let fixture = Fixture::new();
    let path = fixture.path(MAP);
    let mut map = load(&path);
    assert_eq!(save(&mut map), "unchanged");
    assert_eq!(fixture.tree(), "");
    fixture.file(MAP, map_of(&[entry("ses_a", "14:00")]));
    assert_eq!(save(&mut map), "unchanged");
    assert_eq!(shown(&map), ["ses_a 14:00"]);
}

#[test]
fn a_removed_file_is_restored() {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, map_of(&[entry("ses_a", "14:00")]));
    let mut map = load(&path);
    fs::remove_file(&path).unwrap();
    assert_eq!(save(&mut map), "created");
    assert_eq!(in_file(&path), ["ses_a 14:00"]);
}

#[test]
fn a_damaged_file_is_copied_before_it_is_written() {
    let fixture = Fixture::new();
    let damaged = &map_of(&[entry("ses_a", "14:00")])[..200];
    let path = fixture.file(MAP, damaged);
    let mut map = load(&path);
    assert_eq!(map.diagnostics()[0].code, "session-bad-json");
    assert_eq!(save(&mut map), "unchanged", "there is nothing to write");
    map.insert(&entry("ses_b", "15:00"), now()).unwrap();
    let saved = map.save(&RealFs, now()).unwrap();
    let aside = saved.set_aside.unwrap();
    assert_eq!(aside, fixture.path(&format!("{MAP}.corrupt-20260123-143000")));
    assert_eq!(fs::read(aside).unwrap(), damaged);
    assert_eq!(in_file(&path), ["ses_b 15:00"]);
}

#[test]
fn a_damaged_file_of_another_version_is_not_displaced() {
    let fixture = Fixture::new();
    let whole = map_of(&[entry("ses_a", "14:00"), entry("ses_b", "15:00")]);
    let later =
        String::from_utf8(whole).unwrap().replace("\"version\": 1", "\"version\": 2").into_bytes();
    let damaged: [&[u8]; 4] =
        [b"{\"version\": 2", &later[..20], &later[..300], &[&later[..], b"trailing"].concat()];
    for damaged in damaged {
        let path = fixture.file(MAP, "");
        let mut map = load(&path);
        map.insert(&entry("ses_c", "15:00"), now()).unwrap();
        fs::write(&path, damaged).unwrap();
        let before = fixture.tree();
        let error = map.save(&RealFs, now()).unwrap_err().to_string();
        assert!(error.contains("its version is not known"), "{error}");
        assert_eq!(fixture.tree(), before, "{}", damaged.len());
        assert_eq!(shown(&map), ["ses_c 15:00"]);
    }
}

#[test]
fn an_existing_copy_is_never_overwritten() {
    let fixture = Fixture::new();
    let first = format!("{MAP}.corrupt-20260123-143000");
    fixture.file(&first, "somebody's");
    let path = fixture.file(MAP, "{");
    let mut map = load(&path);
    map.insert(&entry("ses_b", "15:00"), now()).unwrap();
    let saved = map.save(&RealFs, now()).unwrap();
    assert_eq!(saved.set_aside.unwrap(), fixture.path(&format!("{first}-2")));
    assert_eq!(
        (&*fixture.read(&first), &*fixture.read(&format!("{first}-2"))),
        ("somebody's", "{")
    );
    fs::write(&path, "{").unwrap();
    let saved = map.save(&RealFs, now()).unwrap();
    assert_eq!(
        saved.set_aside.unwrap(),
        fixture.path(&format!("{first}-2")),
        "the same copy is used again"
    );
}

#[test]
fn ended_is_final_even_if_the_other_side_was_active_later() {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, map_of(&[entry("ses_a", "14:00")]));
    let mut map = load(&path);
    map.set("ses_a", &[(MappingField::Status, "ended")], now()).unwrap();
    save(&mut map);
    let mut later = entry("ses_a", "14:00");
    later.last_activity_at = "2026-01-24T10:00:00.000Z".to_owned();
    fs::write(&path, map_of(&[later])).unwrap();
    assert_eq!(save(&mut map), "written");
    let map = load(&path);
    let mappings = map.mappings();
    assert_eq!(mappings[0].status.as_str(), "ended");
    assert_eq!(mappings[0].ended_at.as_deref(), Some("2026-01-23T14:30:00.000Z"));
    assert_eq!(mappings[0].last_activity_at, "2026-01-24T10:00:00.000Z");
}
