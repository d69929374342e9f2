//! Each kind of invalid map has its own message, and is not changed before a copy is made.

use std::error::Error as _;
use std::fs;
use std::path::Path;

use skein_format::session::Mode;
use skein_sessions::{MapPath, SessionError, SessionMap};
use skein_store::RealFs;
use skein_testkit::SimFs;

use super::{MAP, entry, load, map_of, now};
use skein_fixtures::{Fixture, session};

/// Loads the file, adds an entry and saves; compares the messages and how the old bytes are kept.
#[track_caller]
fn check(bytes: impl AsRef<[u8]>, messages: &str, survives: Survives) {
    let bytes = bytes.as_ref();
    let fixture = Fixture::new();
    let path = fixture.file(MAP, bytes);
    let mut map = load(&path);
    let entries = map.entries();
    let mut found: Vec<_> = map.diagnostics().iter().map(|one| one.message.clone()).collect();
    found.extend(entries.diagnostics.iter().map(|one| one.message.clone()));
    assert_eq!(found.join("; "), messages);
    map.insert(&entry("ses_new", "15:00"), now()).unwrap();
    let saved = map.save(&RealFs, now()).unwrap();
    let after = fs::read(&path).unwrap();
    match survives {
        Survives::Aside => assert_eq!(fs::read(saved.set_aside.unwrap()).unwrap(), bytes),
        Survives::InPlace(parts) => {
            assert!(saved.set_aside.is_none());
            for part in parts {
                let there = after.windows(part.len()).any(|window| window == *part);
                assert!(there, "{}", String::from_utf8_lossy(part));
            }
        }
    }
    let again = load(&path);
    assert!(again.mappings().iter().any(|one| one.session_id == "ses_new"));
}

/// How the old content is kept by a save.
#[derive(Clone, Copy)]
enum Survives {
    /// Complete, under another name.
    Aside,
    /// These parts are still in the file, byte for byte.
    InPlace(&'static [&'static [u8]]),
}

fn sound(entries: &[&str]) -> String {
    format!(
        "{{\n  \"version\": 1,\n  \"mappings\": [\n    {}\n  ],\n  \"lastModified\": \"2026-01-15T10:00:00.000Z\"\n}}\n",
        entries.join(",\n    ")
    )
}

fn one() -> String {
    session("ses_a", "active", "2026-01-15T10:00:00.000Z")
}

#[test]
fn an_invalid_map_is_set_aside() {
    let whole = sound(&[&one()]);
    let not = |why: &str| format!("the file is not JSON: expected {why}");
    check("{", &not("a key in double quotes"), Survives::Aside);
    check(&whole.as_bytes()[..whole.len() - 40], &not("a closing quote"), Survives::Aside);
    check("\0\u{1}\u{2}", &not("a value"), Survives::Aside);
    check(format!("{whole}trailing"), &not("the end of the text"), Survives::Aside);
    check(format!("{whole}{whole}"), &not("the end of the text"), Survives::Aside);
    check("[".repeat(10_000_000), &not("a value"), Survives::Aside);
    check("[]", "the file is not an object", Survives::Aside);
    check("{\"version\": 1}", "`mappings` is missing or not an array", Survives::Aside);
    check(
        "{\"version\": 1, \"mappings\": {}}",
        "`mappings` is missing or not an array",
        Survives::Aside,
    );
}

#[test]
fn unusual_parts_of_a_map_are_kept_in_place() {
    let bom = "the file starts with a byte order mark";
    check(format!("\u{feff}{}", sound(&[&one()])), bom, Survives::InPlace(&[b"\xef\xbb\xbf{"]));
    check(
        sound(&[&one()]).replace('\n', "\r\n"),
        "",
        Survives::InPlace(&[b"{\r\n  \"version\": 1,\r\n"]),
    );
    check(
        sound(&[&one(), &one().replace("post-", "other-")]),
        "the session ses_a is bound to post-ses_a and to other-ses_a",
        Survives::InPlace(&[b"post-ses_a", b"other-ses_a"]),
    );
    check(
        sound(&[&one(), &one()]),
        "the session ses_a appears more than once",
        Survives::InPlace(&[b"ses_a"]),
    );
    let lone = one().replace("Title of", "\\ud800 of");
    check(sound(&[&lone]), "", Survives::InPlace(&[b"\\ud800 of"]));
    check(sound(&["7"]), "entry 1: it is not an object", Survives::InPlace(&[b"\n    7"]));
    check(
        sound(&["{\"sessionId\": 7}"]),
        "entry 1: `sessionId` is not a string",
        Survives::InPlace(&[b"{\"sessionId\": 7}"]),
    );
    let twice = one().replace("\"shortId\"", "\"shortId\": \"first\", \"shortId\"");
    check(
        sound(&[&twice]),
        "entry 1: `shortId` appears more than once",
        Survives::InPlace(&[b"\"shortId\": \"first\", \"shortId\": \"abcdef\""]),
    );
    check(
        "{\"version\": 1.0, \"mappings\": [], \"other\": 1e400}",
        "`lastModified` is missing or not a time",
        Survives::InPlace(&[b"\"version\": 1.0", b"\"other\": 1e400"]),
    );
}

#[test]
fn an_empty_file_is_a_map_without_entries_and_needs_no_copy() {
    let fixture = Fixture::new();
    let path = fixture.file(MAP, "");
    let mut map = load(&path);
    assert_eq!(map.diagnostics()[0].message, "the file is empty");
    map.insert(&entry("ses_a", "15:00"), now()).unwrap();
    assert_eq!(map.save(&RealFs, now()).unwrap().set_aside, None);
}

/// Checks that loading and saving fail with this message and change nothing.
#[track_caller]
fn check_refused(prepare: impl FnOnce(&Fixture), expected: &str) {
    let fixture = Fixture::new();
    let mut map = load(&fixture.path(MAP));
    map.insert(&entry("ses_a", "15:00"), now()).unwrap();
    prepare(&fixture);
    let before = fixture.path(MAP).symlink_metadata().unwrap().file_type();
    let saved = map.save(&RealFs, now()).unwrap_err();
    let loaded = SessionMap::load(&MapPath::named(fixture.path(MAP)), Mode::Strict).unwrap_err();
    for error in [saved, loaded] {
        assert_eq!(fixture.shorten(&error.to_string()), format!("{expected}: {MAP}"));
    }
    assert_eq!(fixture.path(MAP).symlink_metadata().unwrap().file_type(), before);
}

#[test]
fn a_path_that_is_not_a_regular_file_is_refused() {
    check_refused(|fixture| drop(fixture.dir(MAP)), "the session map path is a directory");
    check_refused(
        |fixture| fixture.link(MAP, "/dev/null"),
        "the session map path is a device, a pipe or a socket",
    );
    check_refused(
        |fixture| fixture.link(MAP, "nowhere.json"),
        "the session map is a dangling symlink",
    );
    check_refused(
        |fixture| {
            fixture.dir("home/.config/opencode");
            drop(std::os::unix::net::UnixListener::bind(fixture.path(MAP)).unwrap());
        },
        "the session map path is a device, a pipe or a socket",
    );
}

#[test]
fn another_version_is_neither_read_nor_written() {
    for (text, why) in [
        ("{\"version\": 2, \"mappings\": []}", "version 2 is not known"),
        ("{\"mappings\": []}", "the file has no version"),
        ("{\"version\": \"1\", \"mappings\": []}", "version \"1\" is not known"),
    ] {
        let expected = format!("the session map cannot be used: {why}");
        check_refused(|fixture| drop(fixture.file(MAP, text)), &expected);
    }
}

fn describe(error: &SessionError) -> String {
    let source = error.source().map_or(String::new(), |source| format!(" <- {source}"));
    format!("{error}{source}")
}

#[test]
fn missing_permissions_are_reported() {
    const EACCES: i32 = 13;
    const EROFS: i32 = 30;
    let path = Path::new("/home/map.json");
    let start = || SimFs::new().with_dir(Path::new("/home")).with_file(path, &map_of(&[]));
    let denied = "Permission denied (os error 13)";
    for number in 1..=3 {
        let sim = start();
        sim.fail_at(number, EACCES);
        let error =
            SessionMap::load_through(&sim, &MapPath::named(path), Mode::Strict).unwrap_err();
        assert_eq!(
            describe(&error),
            format!("no permission to read the session map: /home/map.json <- {denied}")
        );
    }
    for (errno, why) in [(EACCES, denied), (EROFS, "Read-only file system (os error 30)")] {
        let sim = start();
        let mut map = SessionMap::load_through(&sim, &MapPath::named(path), Mode::Strict).unwrap();
        map.insert(&entry("ses_a", "15:00"), now()).unwrap();
        let before = sim.operations();
        let trail = {
            let sim = start();
            let mut map =
                SessionMap::load_through(&sim, &MapPath::named(path), Mode::Strict).unwrap();
            map.insert(&entry("ses_a", "15:00"), now()).unwrap();
            map.save(&sim, now()).unwrap();
            sim.operation_names()
        };
        let create = trail.iter().position(|name| *name == "create").unwrap() + 1;
        assert!(create > before);
        sim.fail_at(create, errno);
        let error = map.save(&sim, now()).unwrap_err();
        assert_eq!(describe(&error), format!("no permission to write in /home <- {why}"));
    }
}
