//! The parts that the child processes run.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fs, io, thread};

use serde_json::{Value, json};
use skein_format::session::{MapValidity, Mode, SessionMapDoc};
use skein_sessions::SessionError;
use skein_store::RealFs;
use skein_workspace::FileError;

use crate::sessions::{entry, load, now};

pub(super) const PART: &str = "SKEIN_ENGINE_TEST_PART";
pub(super) const DIR: &str = "SKEIN_ENGINE_TEST_PLACE";
pub(super) const MAP: &str = "store/mattermost-threads.json";
pub(super) const STOP: &str = "stop";

/// Prefix of the file that a foreign writer creates when it is done.
const DONE: &str = "foreign-done";

/// Pause of a foreign writer between two writes: a hundredth of the pause of the real plugin.
const PAUSE: Duration = Duration::from_millis(20);

/// How long [`keep`] waits for the foreign writers.
const TIMEOUT: Duration = Duration::from_secs(120);

pub(super) fn run(part: &str, dir: &Path) {
    let map = dir.join(MAP);
    match part.split(' ').collect::<Vec<_>>()[..] {
        ["reload", writer, count] => write_after_reload(&map, number(writer), number(count)),
        ["keeper", writer, count, foreign] => {
            keep(dir, number(writer), number(count), number(foreign));
        }
        ["renamer", writer, count] => foreign(dir, number(writer), number(count), rename_over),
        ["truncater", writer, count] => {
            foreign(dir, number(writer), number(count), write_in_place);
        }
        ["reader"] => read_until_stopped(dir),
        ["loader"] => load_until_stopped(dir),
        _ => panic!("no such part: {part}"),
    }
}

/// The id of a session that a writer adds.
pub(super) fn id(writer: usize, n: usize) -> String {
    format!("ses_{writer}_{n}")
}

fn number(text: &str) -> usize {
    text.parse().unwrap()
}

fn write_after_reload(map: &Path, writer: usize, count: usize) {
    for n in 0..count {
        let mut map = load(map);
        map.insert(&entry(&id(writer, n), "10:00"), now()).unwrap();
        map.save(&RealFs, now()).unwrap();
    }
}

/// Keeps one map in memory, adds to it and saves each time; then waits for the foreign writers and saves once more.
fn keep(dir: &Path, writer: usize, count: usize, foreign: usize) {
    let mut map = load(&dir.join(MAP));
    for n in 0..count {
        map.insert(&entry(&id(writer, n), "10:00"), now()).unwrap();
        match map.save(&RealFs, now()) {
            // Programs that write without a lock can win every retry; the next save writes the entries again.
            Ok(_) | Err(SessionError::File(FileError::Busy(_))) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    let started = Instant::now();
    while fs::read_dir(dir).unwrap().filter(|entry| is_done(entry.as_ref().unwrap())).count()
        < foreign
    {
        assert!(started.elapsed() < TIMEOUT, "a foreign writer is stuck");
        thread::sleep(Duration::from_millis(5));
    }
    map.save(&RealFs, now()).unwrap();
    let ours = load(&dir.join(MAP));
    let there: HashSet<String> =
        ours.mappings().iter().map(|one| one.session_id.to_string()).collect();
    for mapping in map.mappings() {
        assert!(there.contains(&*mapping.session_id), "{} is only in memory", mapping.session_id);
    }
}

fn is_done(entry: &fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with(DONE)
}

/// Loads once, then adds to its own map and writes all of it, as the plugin does.
fn foreign(dir: &Path, writer: usize, count: usize, write: fn(&Path, &[u8])) {
    let path = dir.join(MAP);
    let text = fs::read(&path).unwrap_or_default();
    let mut mappings = match serde_json::from_slice::<Value>(&text) {
        Ok(map) => map["mappings"].as_array().cloned().unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    for n in 0..count {
        mappings.push(serde_json::to_value(entry(&id(writer, n), "10:00")).unwrap());
        let map = json!({"version": 1, "mappings": mappings, "lastModified": now().to_string()});
        write(&path, &serde_json::to_vec_pretty(&map).unwrap());
        thread::sleep(PAUSE);
    }
    fs::write(dir.join(format!("{DONE}-{writer}")), "").unwrap();
}

/// Two programs that do this in the same millisecond share a temp file, and one of them fails without noticing.
fn rename_over(path: &Path, bytes: &[u8]) {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let temp = path.with_extension(format!("json.tmp.{millis}"));
    fs::write(&temp, bytes).unwrap();
    drop(fs::rename(&temp, path));
}

fn write_in_place(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

/// Returns whether a reader should continue; a test that failed has removed its directory.
fn should_continue(dir: &Path) -> bool {
    dir.exists() && !dir.join(STOP).exists()
}

/// Reads the file itself, which is always complete while all writers take the lock.
fn read_until_stopped(dir: &Path) {
    while should_continue(dir) {
        match fs::read(dir.join(MAP)) {
            Ok(bytes) => {
                let (doc, found) = SessionMapDoc::parse(bytes);
                assert_eq!((doc.soundness(), found), (MapValidity::Sound, Vec::new()));
                assert_eq!(doc.load(Mode::Strict).diagnostics, []);
            }
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
        }
    }
}

/// Loads the map while other programs write it in place: of 20 successive loads, at least one is valid.
fn load_until_stopped(dir: &Path) {
    let mut torn = 0;
    while should_continue(dir) {
        let map = load(&dir.join(MAP));
        torn = if map.diagnostics().is_empty() { 0 } else { torn + 1 };
        assert!(torn < 20, "{:?}", map.diagnostics());
    }
}
