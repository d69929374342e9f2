//! A live workspace counts the changes of its stores.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use skein_fixtures::{Fixture, Review, session};
use skein_live::LiveWorkspace;

const TIMEOUT: Duration = Duration::from_secs(20);

/// Waits until a directory has another version than `before`, and returns it.
#[track_caller]
fn next_version(live: &LiveWorkspace, dir: &Path, before: Option<u64>) -> Option<u64> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let version = live.dir_version(dir);
        if version.is_some() && version != before {
            return version;
        }
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_directory_has_another_version_after_each_change_of_another_program() {
    let fixture = Fixture::new();
    let review = fixture.review("r", "r-a", &Review::default());
    let checkpoint = fixture.checkpoint("r", "T-20260101-100000-a", "");
    let live = LiveWorkspace::open(&fixture.env("r"));
    for file in [review, checkpoint] {
        let dir = file.parent().unwrap();
        let mut version = next_version(&live, dir, None);
        let moved = dir.join("T-20260101-100000-b").with_extension(file.extension().unwrap());
        let changes: [&dyn Fn(); 3] = [
            &|| fs::write(&file, "changed").unwrap(),
            &|| fs::rename(&file, &moved).unwrap(),
            &|| fs::remove_file(&moved).unwrap(),
        ];
        for change in changes {
            change();
            version = next_version(&live, dir, version);
        }
    }
    assert_eq!(live.dir_version(&fixture.path("r/workspace/threads/archive/2026-01")), None);
}

#[test]
fn own_writes_are_counted_at_once() {
    let fixture = Fixture::new();
    let review = fixture.review("r", "r-a", &Review::default());
    let dir = review.parent().unwrap();
    let live = LiveWorkspace::open(&fixture.env("r"));
    for refresh in [LiveWorkspace::refresh_reviews, LiveWorkspace::refresh_checkpoints] {
        let before = next_version(&live, dir, None);
        refresh(&live);
        assert_ne!(live.dir_version(dir), before);
    }
}

#[test]
fn values_that_the_formats_do_not_define_occur_if_a_thread_has_them() {
    let fixture = skein_fixtures::filterable();
    fixture.checkpoint("repo", "T-20260101-100000-a", r#"  "status": "parked", "type": "odd""#);
    fixture.sessions(&[session("ses_one", "dozing", "2026-01-23T10:00:00.000Z")]);
    let workspace = fixture.open("repo");
    let live = LiveWorkspace::open(&fixture.env("repo"));
    let values = [
        ("status", "open"),
        ("status", "OPEN"),
        ("status", "parked"),
        ("status", "dozing"),
        ("status", "op"),
        ("status", "error"),
        ("type", "auto"),
        ("type", "odd"),
        ("type", "open"),
        ("waiting", "Mira"),
        ("waiting", "Claude Code"),
        ("waiting", "parked"),
    ];
    let mut occurring = 0;
    for (key, value) in values {
        let expected = skein_catalog::occurs(&workspace, key, value);
        assert_eq!(live.occurs(key, value), expected, "{key}:{value}");
        occurring += u32::from(expected);
    }
    assert!((4..10).contains(&occurring), "{occurring}");
}
