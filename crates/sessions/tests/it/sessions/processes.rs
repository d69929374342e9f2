//! Real processes: several writers of one map, some of which take no lock.
//!
//! A child is another process of this test binary. It runs only [`child`], and its part is named in
//! the environment.

mod parts;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use skein_testkit::size;

use self::parts::{DIR, MAP, PART, STOP, id};
use super::load;

const WRITERS: usize = 8;

/// Returns the number of entries that each writer adds.
fn entries() -> usize {
    size(50, 200)
}

/// Runs the part named in the environment; does nothing in a normal test run.
#[test]
fn child() {
    if let (Ok(part), Ok(dir)) = (std::env::var(PART), std::env::var(DIR)) {
        parts::run(&part, Path::new(&dir));
    }
}

fn spawn(dir: &Path, part: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["sessions::processes::child", "--exact", "--quiet", "--nocapture"])
        .env(PART, part)
        .env(DIR, dir)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn finish(children: Vec<Child>) {
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

/// Runs the parts while another process reads continuously; returns the directory and the path of the map.
fn run(reader: &str, parts: &[String]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("store")).unwrap();
    let reader = spawn(dir.path(), reader);
    finish(parts.iter().map(|part| spawn(dir.path(), part)).collect());
    fs::write(dir.path().join(STOP), "").unwrap();
    finish(vec![reader]);
    let map = dir.path().join(MAP);
    (dir, map)
}

fn ids(map: &Path) -> BTreeSet<String> {
    let map = load(map);
    map.mappings().iter().map(|one| one.session_id.to_string()).collect()
}

/// Lists the other files in the directory of the map.
fn other_files(map: &Path) -> Vec<String> {
    let names = fs::read_dir(map.parent().unwrap()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !MAP.ends_with(name)).collect()
}

fn expected(writers: usize) -> BTreeSet<String> {
    (0..writers).flat_map(|writer| (0..entries()).map(move |n| id(writer, n))).collect()
}

#[test]
fn eight_processes_that_reload_lose_nothing() {
    let parts: Vec<_> = (0..WRITERS).map(|n| format!("reload {n} {}", entries())).collect();
    let (_dir, map) = run("reader", &parts);
    assert_eq!(ids(&map), expected(WRITERS));
    assert_eq!(other_files(&map), [""; 0]);
}

#[test]
fn eight_processes_that_keep_the_map_in_memory_lose_nothing() {
    let parts: Vec<_> = (0..WRITERS).map(|n| format!("keeper {n} {} 0", entries())).collect();
    let (_dir, map) = run("reader", &parts);
    assert_eq!(ids(&map), expected(WRITERS));
    assert_eq!(other_files(&map), [""; 0]);
}

/// Half of the writers load once and write their whole map again and again, without a lock.
///
/// An entry that such a program overwrites is missing from the file until the next save of a `SessionMap` that has it
/// in memory. So the guarantee is: once no other program writes, the last save of a `SessionMap` puts all of its
/// entries into the file.
fn check_with_foreign_writers(how: &str) {
    let ours = WRITERS / 2;
    let keepers = (0..ours).map(|n| format!("keeper {n} {} {}", entries(), WRITERS - ours));
    let foreign = (ours..WRITERS).map(|n| format!("{how} {n} {}", entries()));
    let parts: Vec<_> = keepers.chain(foreign).collect();
    let (_dir, map) = run("loader", &parts);
    let there = ids(&map);
    for id in expected(ours) {
        assert!(there.contains(&id), "{id} is lost");
    }
    assert_eq!(other_files(&map).iter().find(|name| is_displaced_map(&map, name)), None);
}

/// Returns whether this is a temp file with a map that a save could have merged; a torn one is left for `doctor`.
fn is_displaced_map(map: &Path, name: &str) -> bool {
    let sound = || {
        let bytes = fs::read(map.with_file_name(name)).unwrap();
        serde_json::from_slice::<serde_json::Value>(&bytes).is_ok()
    };
    skein_store::is_temp_name(name.as_ref()) && sound()
}

#[test]
fn entries_in_memory_survive_programs_that_rename_without_a_lock() {
    check_with_foreign_writers("renamer");
}

#[test]
fn entries_in_memory_survive_programs_that_write_in_place() {
    check_with_foreign_writers("truncater");
}
