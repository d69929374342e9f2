//! `skein session …` as a program: exit codes, streams, and many at once.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A home directory with a session map of this number of sessions.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(sessions: usize) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let map = place.map();
        fs::create_dir_all(map.parent().unwrap()).unwrap();
        fs::write(map, text(sessions)).unwrap();
        place
    }

    fn map(&self) -> PathBuf {
        self.folder.path().join(".config/opencode/mattermost-threads.json")
    }

    fn skein(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skein"));
        command
            .args(words.split_whitespace())
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("SKEIN_NOW", "2026-01-23T14:30:00Z")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.skein(words).output().unwrap()
    }
}

fn text(sessions: usize) -> String {
    let entry = |n: usize| {
        format!(
            r#"    {{"sessionId": "ses_{n:04}x", "threadRootPostId": "post_{n}", "shortId": "ses_{n:04}", "mattermostUserId": "u",
     "dmChannelId": "c", "projectName": "kiln", "directory": "/k", "status": "active",
     "createdAt": "2026-01-23T10:00:00.000Z", "lastActivityAt": "2026-01-23T11:00:00.000Z"}}"#
        )
    };
    let entries: Vec<String> = (0..sessions).map(entry).collect();
    format!(
        "{{\n  \"version\": 1,\n  \"mappings\": [\n{}\n  ],\n  \"lastModified\": \"2026-01-23T11:00:00.000Z\"\n}}",
        entries.join(",\n")
    )
}

#[test]
fn a_map_is_listed_changed_truncated_and_repaired() {
    let place = Place::new(3);
    let printed = place.run("session list");
    assert_eq!((printed.status.code(), printed.stderr.as_slice()), (Some(0), [].as_slice()));
    assert_eq!(printed.stdout.iter().filter(|byte| **byte == b'\n').count(), 3);
    assert_eq!(place.run("session set ses_0001 status=ended").status.code(), Some(0));
    assert_eq!(place.run("session set ses_0001 status=active").status.code(), Some(2));
    let whole = fs::read(place.map()).unwrap();
    fs::write(place.map(), &whole[..whole.len() * 2 / 3]).unwrap();
    assert_eq!(place.run("session list").status.code(), Some(2));
    assert_eq!(place.run("session repair --yes").status.code(), Some(0));
    assert_eq!(place.run("session list").status.code(), Some(0));
    let dir = place.map().parent().unwrap().read_dir().unwrap();
    assert_eq!(dir.count(), 2, "the map and the kept original");
}

#[test]
fn merge_prints_only_the_map_on_stdout() {
    let place = Place::new(2);
    fs::write(place.folder.path().join("other.json"), text(3)).unwrap();
    let map = place.map().display().to_string();
    let printed = place.run(&format!("session merge {map} other.json"));
    assert_eq!(printed.status.code(), Some(0));
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), text(3));
}

#[test]
fn many_commands_at_once_lose_no_change() {
    const MANY: usize = 16;
    let place = Place::new(MANY);
    let start = |n: usize| {
        let mut command = place.skein(&format!("session set ses_{n:04} title=t{n}"));
        command.stdout(Stdio::null()).spawn().unwrap()
    };
    let running: Vec<_> = (0..MANY).map(start).collect();
    for mut one in running {
        assert!(one.wait().unwrap().success());
    }
    let map = fs::read_to_string(place.map()).unwrap();
    for n in 0..MANY {
        assert!(map.contains(&format!("\"sessionTitle\": \"t{n}\"")), "{map}");
    }
    assert_eq!(
        place.map().parent().unwrap().read_dir().unwrap().count(),
        1,
        "no temporary file is left"
    );
}
