//! The test cases of the contract, by their names.

use std::fs;

use skein_format::session::{Lookup, Mode};
use skein_sessions::{MapPath, SessionMap, map_path};
use skein_testkit::SimFs;

use super::{MAP, entry, in_file, load, map_of, now, save, shown};
use skein_fixtures::{Fixture, session};

#[test]
fn tc_001_load_from_a_missing_file() {
    let fixture = Fixture::new();
    let map = load(&fixture.path(MAP));
    assert_eq!(shown(&map), [""; 0]);
    assert_eq!(map.diagnostics(), []);
    assert_eq!(fixture.tree(), "", "reading creates nothing");
}

#[test]
fn tc_002_load_a_valid_file() {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, map_of(&[entry("ses_a", "14:00"), entry("ses_b", "15:00")]));
    let map = load(&path);
    assert_eq!(shown(&map), ["ses_a 14:00", "ses_b 15:00"]);
    let mappings = map.mappings();
    let lookup = Lookup::new(&mappings);
    assert_eq!(lookup.by_session("ses_b").unwrap().thread_root_post_id, "post-ses_b");
    assert_eq!(lookup.by_thread("post-ses_a").unwrap().session_id, "ses_a");
}

#[test]
fn tc_003_load_a_file_with_an_invalid_mapping() {
    let fixture = Fixture::new();
    let bad = session("ses_x", "active", "2026-01-15T10:00:00.000Z")
        .replace("\"sessionId\": \"ses_x\", ", "");
    let good = ["ses_a", "ses_b"].map(|id| session(id, "active", "2026-01-15T10:00:00.000Z"));
    let path = fixture.sessions(&[good[0].clone(), bad.clone(), good[1].clone()]);
    let mut map = load(&path);
    let entries = map.entries();
    assert_eq!(entries.mappings.len(), 2);
    let warnings: Vec<_> = entries.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(warnings, ["entry 2: `sessionId` is missing"]);
    map.insert(&entry("ses_c", "11:00"), now()).unwrap();
    save(&mut map);
    assert!(fixture.read(MAP).contains(&bad), "the invalid entry is kept byte for byte");
}

#[test]
fn tc_004_save_atomically() {
    let path = std::path::Path::new("/home/map.json");
    let old = map_of(&[entry("ses_a", "14:00")]);
    let start = || SimFs::new().with_dir(path.parent().unwrap()).with_file(path, &old);
    let run = |sim: &SimFs| {
        let mut map = SessionMap::load_through(sim, &MapPath::named(path), Mode::Strict).unwrap();
        map.insert(&entry("ses_b", "15:00"), now()).unwrap();
        let before = sim.operations();
        (before, map.save(sim, now()).is_ok(), map)
    };
    let sim = start();
    let (before, _, _) = run(&sim);
    let new = sim.files()[path].clone();
    for number in before..=sim.operations() {
        let sim = start();
        sim.cut_after(number);
        let (_, ok, _) = run(&sim);
        for files in sim.survivors() {
            assert!(files[path] == old || files[path] == new, "cut after {number}");
            assert!(!ok || files[path] == new, "cut after {number}");
        }
    }
}

#[test]
fn tc_005_merge_concurrent_updates() {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, map_of(&[entry("ses_a", "15:00")]));
    let mut map = load(&path);
    fs::write(&path, map_of(&[entry("ses_a", "14:00")])).unwrap();
    assert_eq!(save(&mut map), "written");
    assert_eq!(in_file(&path), ["ses_a 15:00"]);
}

#[test]
fn tc_006_merge_new_entries_from_disk() {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, map_of(&[entry("ses_a", "15:00")]));
    let mut map = load(&path);
    fs::write(&path, map_of(&[entry("ses_a", "14:00"), entry("ses_b", "14:30")])).unwrap();
    assert_eq!(save(&mut map), "written");
    assert_eq!(shown(&map), ["ses_a 15:00", "ses_b 14:30"]);
    assert_eq!(in_file(&path), shown(&map));
}

#[test]
fn directories_are_searched_in_the_order_of_the_contract() {
    let fixture = Fixture::new();
    let home = fixture.dir("home");
    let check = |expected: &str| {
        let path = map_path(&home).display().to_string();
        assert_eq!(fixture.shorten(&path), format!("home/{expected}/mattermost-threads.json"));
    };
    check(".config/opencode");
    fixture.dir("home/.opencode");
    check(".opencode");
    fixture.dir("home/.config/opencode");
    check(".config/opencode");
}
