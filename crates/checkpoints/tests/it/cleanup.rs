use skein_checkpoints::{CleanupOptions, ResumeLockRequest, acquire, cleanup};

use skein_fixtures::Fixture;

const DIR: &str = "r/workspace/threads";

fn auto(fixture: &Fixture, id: &str, members: &str) {
    let members = format!("  \"type\": \"auto-checkpoint\",\n{members}");
    fixture.checkpoint("r", id, &members);
}

/// Many checkpoints, some of which can be removed on 23 January at 14:30.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let old =
        "  \"created_at\": \"2026-01-01T00:00:00Z\", \"updated_at\": \"2026-01-01T00:00:00Z\"";
    let just = "  \"created_at\": \"2026-01-09T14:30:00Z\"";
    auto(&fixture, "T-20260101-000000-auto-old", old);
    auto(&fixture, "T-20260109-143000-auto-just-14-days", just);
    auto(
        &fixture,
        "T-20260101-000000-auto-touched",
        &old.replace("updated_at\": \"2026-01-01", "updated_at\": \"2026-01-22"),
    );
    auto(&fixture, "T-20260122-000000-auto-named-later", old);
    auto(&fixture, "T-20260101-000000-auto-steps", &format!("{old}, \"next_steps\": [\"one\"]"));
    auto(
        &fixture,
        "T-20260101-000000-auto-closed",
        &format!("{old}, \"next_steps\": [{{\"step\": \"x\", \"status\": \"done\"}}]"),
    );
    auto(&fixture, "T-20260101-000000-auto-mentioned", old);
    auto(&fixture, "T-20260101-000000-auto-handed", old);
    auto(&fixture, "T-20260101-000000-auto-undated", "  \"created_at\": \"long ago\"");
    auto(
        &fixture,
        "T-20260101-000000-auto-newer",
        "  \"created_at\": \"2026-01-01T00:00:00Z\",\n  \"version\": 2",
    );
    auto(&fixture, "T-20260101-000000-auto-taken", old);
    fixture.checkpoint(
        "r",
        "T-20260101-000000-fix-auto-scroll",
        &format!("  \"type\": \"checkpoint\",\n{old}"),
    );
    fixture.checkpoint(
        "r",
        "T-20260101-000000-worker-skill",
        &format!("  \"type\": \"auto-checkpoint\",\n{old}"),
    );
    fixture.checkpoint("r", "T-20260120-000000-plan", "  \"type\": \"checkpoint\",\n  \"created_at\": \"2026-01-20T00:00:00Z\",\n  \"next_steps\": [\"Look at T-20260101-000000-auto-mentioned.\"]");
    fixture.file(&format!("{DIR}/T-20260101-000000-auto-broken.json"), "{");
    fixture.file(
        &format!("{DIR}/handoff.json"),
        "{\"last_thread\": \"T-20260101-000000-auto-handed\"}",
    );
    fixture.file(&format!("{DIR}/T-20260101-000000-fix-auto-scroll.changeset.json"), "{}");
    let workspace = fixture.open("r");
    let lasts = std::time::Duration::from_secs(3600);
    let owner = ResumeLockRequest { name: "Mira".to_owned(), agent: false, session: None, lasts };
    acquire(&workspace, "T-20260101-000000-auto-taken", &owner, false).unwrap();
    fixture
}

fn run(fixture: &Fixture, archive_days: Option<u32>, apply: bool) -> String {
    let workspace = fixture.open("r");
    let done = cleanup(&workspace, &CleanupOptions { archive_days, apply, expect: None }).unwrap();
    assert!(done.diagnostics.is_empty(), "{:?}", done.diagnostics);
    let goes = done.goes.iter().map(|one| {
        format!("{} {}: {}\n", one.id.replace("T-20260101-000000-", ""), one.to, one.reason)
    });
    let stays = done
        .stays
        .iter()
        .map(|one| format!("{} stays: {}\n", one.id.replace("T-20260101-000000-", ""), one.reason));
    format!("{}{}{} young", goes.collect::<String>(), stays.collect::<String>(), done.young)
}

const EXPECTED: &str = "auto-closed trash: an auto-checkpoint, older than 14 days
auto-old trash: an auto-checkpoint, older than 14 days
worker-skill trash: an auto-checkpoint, older than 14 days
auto-broken stays: cannot be used
auto-handed stays: the handoff points to it
auto-mentioned stays: an open step of another checkpoint names it
auto-newer stays: has a newer version
auto-steps stays: has an open step
auto-taken stays: taken by Mira
auto-undated stays: cannot be dated
5 young";

#[test]
fn a_dry_run_reports_what_would_be_removed_and_writes_nothing() {
    let fixture = fixture();
    let before = fixture.tree();
    let mut reported: Vec<String> = run(&fixture, None, false).lines().map(str::to_owned).collect();
    let mut expected: Vec<&str> = EXPECTED.lines().collect();
    reported.sort_unstable();
    expected.sort_unstable();
    assert_eq!(reported, expected);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn removed_checkpoints_are_in_the_trash() {
    let fixture = fixture();
    let old = fixture.read(&format!("{DIR}/T-20260101-000000-auto-old.json"));
    run(&fixture, None, true);
    let tree = fixture.tree();
    for id in ["auto-closed", "auto-old", "worker-skill"] {
        assert!(!fixture.path(&format!("{DIR}/T-20260101-000000-{id}.json")).exists(), "{id}");
        assert!(
            tree.contains(&format!(
                "trash/checkpoints/20260123-143000-T-20260101-000000-{id}.json"
            )),
            "{id}"
        );
    }
    assert!(tree.contains(&format!("{old:?}")));
    assert!(fixture.read(&format!("{DIR}/INDEX.md")).contains("Active threads: 12"));
    assert!(!run(&fixture, None, true).contains("trash"));
}

#[test]
fn full_checkpoints_are_archived_with_their_changesets() {
    let fixture = fixture();
    let reported = run(&fixture, Some(20), true);
    assert!(
        reported.contains("fix-auto-scroll 2026-01: older than 20 days, nothing left to do"),
        "{reported}"
    );
    let archived = format!("{DIR}/archive/2026-01/T-20260101-000000-fix-auto-scroll");
    for ending in ["json", "changeset.json"] {
        assert!(fixture.path(&format!("{archived}.{ending}")).exists());
        assert!(
            !fixture.path(&format!("{DIR}/T-20260101-000000-fix-auto-scroll.{ending}")).exists()
        );
    }
    assert!(fixture.path(&format!("{DIR}/T-20260120-000000-plan.json")).exists());
}

#[test]
fn a_checkpoint_that_cannot_be_moved_does_not_prevent_the_others() {
    let fixture = fixture();
    let archived = format!("{DIR}/archive/2026-01/T-20260101-000000-fix-auto-scroll.json");
    fixture.file(&archived, "another one");
    let reported = run(&fixture, Some(20), true);
    assert!(reported.contains("fix-auto-scroll stays: cannot move"), "{reported}");
    assert!(reported.contains("auto-old trash"), "{reported}");
    assert_eq!(fixture.read(&archived), "another one");
    assert!(fixture.path(&format!("{DIR}/T-20260101-000000-fix-auto-scroll.json")).exists());
}

#[test]
fn nothing_is_archived_through_a_link_and_private_files_stay_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let fixture = fixture();
    fixture.dir("elsewhere");
    let archive = fixture.path(&format!("{DIR}/archive"));
    std::os::unix::fs::symlink(fixture.path("elsewhere"), &archive).unwrap();
    let reported = run(&fixture, Some(20), true);
    assert!(reported.contains("fix-auto-scroll stays: unexpected symbolic link"), "{reported}");
    assert!(fixture.path("elsewhere").read_dir().unwrap().next().is_none());
    std::fs::remove_file(&archive).unwrap();
    let name = "T-20260101-000000-fix-auto-scroll.json";
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(fixture.path(&format!("{DIR}/{name}")), private).unwrap();
    run(&fixture, Some(20), true);
    let mode = archive.join("2026-01").join(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn without_checkpoints_there_is_nothing_to_do() {
    let fixture = Fixture::new();
    fixture.dir("r");
    assert_eq!(run(&fixture, Some(0), true), "0 young");
    assert_eq!(fixture.tree(), "r/\n");
}
