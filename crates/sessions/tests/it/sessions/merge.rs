//! Merging files that contain session maps.

use std::fs;

use skein_sessions::{MapWriteAction, MergeReport, SessionError, merge_files};

use super::{entry, in_file, map_of};
use skein_fixtures::Fixture;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("memory.json", map_of(&[entry("ses_a", "15:00"), entry("ses_m", "10:00")]));
    fixture.file("disk.json", map_of(&[entry("ses_a", "14:00"), entry("ses_b", "14:00")]));
    fixture.file("other.json", map_of(&[entry("ses_b", "16:00"), entry("ses_m", "10:00")]));
    fixture
}

fn run(fixture: &Fixture, disks: &[&str], out: Option<&str>) -> Result<MergeReport, SessionError> {
    let disks: Vec<_> = disks.iter().map(|name| fixture.path(name)).collect();
    let out = out.map(|name| fixture.path(name));
    merge_files(&fixture.path("memory.json"), &disks, out.as_deref(), &fixture.env(""))
}

#[test]
fn each_verdict_has_the_winning_side_and_the_reason() {
    let fixture = fixture();
    let before = fixture.tree();
    let report = run(&fixture, &["disk.json", "other.json"], None).unwrap();
    assert_eq!(fixture.tree(), before);
    let reported: Vec<String> = report
        .steps
        .iter()
        .flat_map(|step| step.verdicts.iter())
        .map(|one| {
            let one = serde_json::to_value(one).unwrap();
            ["session_id", "won", "why"].map(|key| one[key].as_str().unwrap().to_owned()).join(" ")
        })
        .collect();
    let expected = [
        "ses_a memory later-activity",
        "ses_b disk only-one",
        "ses_m memory only-one",
        "ses_b disk later-activity",
        "ses_m disk equal",
        "ses_a memory only-one",
    ];
    let without_equal = |reported: &[String]| -> Vec<String> {
        reported.iter().filter(|one| !one.ends_with("equal")).cloned().collect()
    };
    assert_eq!(
        without_equal(&reported),
        expected.into_iter().filter(|one| !one.ends_with("equal")).collect::<Vec<_>>()
    );
    assert_eq!(reported.len(), expected.len());
    assert_eq!(report.sessions, 3);
    let out = fixture.path("out.json");
    fs::write(&out, report.bytes).unwrap();
    assert_eq!(in_file(&out), ["ses_b 16:00", "ses_m 10:00", "ses_a 15:00"]);
}

#[test]
fn only_a_new_file_or_one_of_the_maps_is_written() {
    let fixture = fixture();
    assert_eq!(
        run(&fixture, &["disk.json"], Some("out.json")).unwrap().action,
        Some(MapWriteAction::Created)
    );
    let error = run(&fixture, &["disk.json"], Some("out.json")).unwrap_err();
    assert!(matches!(error, SessionError::Exists { .. }), "{error}");
    fixture.link("link.json", fixture.path("disk.json"));
    assert_eq!(
        run(&fixture, &["disk.json"], Some("link.json")).unwrap().action,
        Some(MapWriteAction::Written)
    );
    assert_eq!(in_file(&fixture.path("disk.json")), in_file(&fixture.path("out.json")));
    assert_eq!(
        run(&fixture, &["disk.json"], Some("disk.json")).unwrap().action,
        Some(MapWriteAction::Unchanged)
    );
    assert!(fixture.path("link.json").is_symlink());
}

#[test]
fn invalid_maps_are_not_merged() {
    let fixture = fixture();
    fixture.file("damaged.json", "{");
    fixture.file("later.json", "{\"version\": 2}");
    let before = fixture.tree();
    let reported = |name: &str| run(&fixture, &[name], Some(name)).unwrap_err().to_string();
    assert!(reported("damaged.json").starts_with("the session map is damaged"));
    assert!(reported("later.json").contains("version 2 is not known"));
    assert!(reported("missing.json").starts_with("there is no session map"));
    assert_eq!(fixture.tree(), before);
}

#[test]
fn concurrent_merges_into_one_map_lose_nothing() {
    const WRITERS: usize = 8;
    const RUNS: usize = 40;
    let fixture = Fixture::new();
    let map = fixture.file("map.json", map_of(&[entry("ses_first", "10:00")]));
    let env = fixture.env("");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (fixture, map, env) = (&fixture, &map, &env);
            scope.spawn(move || {
                for run in 0..RUNS {
                    let id = format!("ses_{writer}_{run}");
                    let new = fixture.file(&format!("{id}.json"), map_of(&[entry(&id, "11:00")]));
                    merge_files(&new, std::slice::from_ref(map), Some(map), env).unwrap();
                }
            });
        }
    });
    assert_eq!(in_file(&map).len(), 1 + WRITERS * RUNS);
}

#[test]
fn a_merge_creates_the_directory_of_its_output_but_not_for_wrong_inputs() {
    let fixture = fixture();
    let before = fixture.tree();
    let out = "home/.config/opencode/mattermost-threads.json";
    run(&fixture, &["missing.json"], Some(out)).unwrap_err();
    assert_eq!(fixture.tree(), before);
    run(&fixture, &["disk.json"], Some(out)).unwrap();
    assert_eq!(in_file(&fixture.path(out)).len(), 3);
    let mode = fs::metadata(fixture.path("home/.config/opencode")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o700);
}
