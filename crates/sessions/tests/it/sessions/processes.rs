//! Real processes: many writers of one map, programs among them that take no lock.
//!
//! A child is this test binary again, running [`child`] alone with its part in the environment.

mod parts;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use self::parts::{MAP, PART, PLACE, STOP, id};
use super::load;

const WRITERS: usize = 8;
/// How many entries each adds.
const EACH: usize = 200;

/// Plays the part named in the environment; does nothing in an ordinary run of the tests.
#[test]
fn child() {
    if let (Ok(part), Ok(place)) = (std::env::var(PART), std::env::var(PLACE)) {
        parts::play(&part, Path::new(&place));
    }
}

fn spawn(place: &Path, part: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["sessions::processes::child", "--exact", "--quiet", "--nocapture"])
        .env(PART, part)
        .env(PLACE, place)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn finish(children: Vec<Child>) {
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

/// Runs the parts beside one that reads all the time, and returns the place of the map.
fn run(reader: &str, parts: &[String]) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("store")).unwrap();
    let reader = spawn(place.path(), reader);
    finish(parts.iter().map(|part| spawn(place.path(), part)).collect());
    fs::write(place.path().join(STOP), "").unwrap();
    finish(vec![reader]);
    let map = place.path().join(MAP);
    (place, map)
}

fn ids(map: &Path) -> BTreeSet<String> {
    let map = load(map);
    map.mappings().iter().map(|one| one.session_id.to_string()).collect()
}

/// Lists what is beside the map.
fn strangers(map: &Path) -> Vec<String> {
    let names = fs::read_dir(map.parent().unwrap()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !MAP.ends_with(name)).collect()
}

fn expected(writers: usize) -> BTreeSet<String> {
    (0..writers).flat_map(|writer| (0..EACH).map(move |n| id(writer, n))).collect()
}

#[test]
fn eight_processes_that_reload_lose_nothing() {
    let parts: Vec<_> = (0..WRITERS).map(|n| format!("anew {n} {EACH}")).collect();
    let (_place, map) = run("reader", &parts);
    assert_eq!(ids(&map), expected(WRITERS));
    assert_eq!(strangers(&map), [""; 0]);
}

#[test]
fn eight_processes_that_keep_the_map_in_memory_lose_nothing() {
    let parts: Vec<_> = (0..WRITERS).map(|n| format!("keeper {n} {EACH} 0")).collect();
    let (_place, map) = run("reader", &parts);
    assert_eq!(ids(&map), expected(WRITERS));
    assert_eq!(strangers(&map), [""; 0]);
}

/// Half of the writers load once and write their whole map again and again, without a lock.
///
/// What such a program overwrites is gone from the file until the next save of a program of ours that knows it. So what
/// is promised is what a `SessionMap` holds in memory: it is in the file after that map's own last save, when nobody
/// writes any more.
fn beside_foreign_writers(how: &str) {
    let ours = WRITERS / 2;
    let keepers = (0..ours).map(|n| format!("keeper {n} {EACH} {}", WRITERS - ours));
    let foreign = (ours..WRITERS).map(|n| format!("{how} {n} {EACH}"));
    let parts: Vec<_> = keepers.chain(foreign).collect();
    let (_place, map) = run("loader", &parts);
    let there = ids(&map);
    for id in expected(ours) {
        assert!(there.contains(&id), "{id} is lost");
    }
    assert_eq!(strangers(&map).iter().find(|name| is_map_without_place(&map, name)), None);
}

/// Returns whether a temp file was left that a save could have taken over; a torn one stays for `doctor`.
fn is_map_without_place(map: &Path, name: &str) -> bool {
    let sound = || {
        let bytes = fs::read(map.with_file_name(name)).unwrap();
        serde_json::from_slice::<serde_json::Value>(&bytes).is_ok()
    };
    skein_store::is_temp_name(name.as_ref()) && sound()
}

#[test]
fn what_is_in_memory_survives_programs_that_rename_without_a_lock() {
    beside_foreign_writers("renamer");
}

#[test]
fn what_is_in_memory_survives_programs_that_write_in_place() {
    beside_foreign_writers("truncater");
}
