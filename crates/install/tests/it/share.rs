use skein_checkpoints::{Save, save};
use skein_install::prepare;
use skein_install::setup::{MergeFiles, init, merge_driver, share, uninstall};

use skein_fixtures::{Fixture, git};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.checkpoint("r", "T-20260122-100000-x", "  \"type\": \"checkpoint\"");
    fixture.file("r/.git/info/exclude", "/workspace/threads/\n");
    fixture
}

const ATTRIBUTES: &str = "r/workspace/threads/.gitattributes";

#[test]
fn checkpoints_are_shared_with_the_reviews_and_that_can_be_undone() {
    let fixture = fixture();
    let workspace = fixture.open("r");
    let setup = share(&workspace).unwrap();
    assert!(setup.next[0].starts_with("`git add .code-review workspace/threads &&"), "{setup:?}");
    assert!(fixture.read(ATTRIBUTES).starts_with("T-*.json merge=skein-checkpoint\n"));
    assert!(!fixture.read("r/.git/info/exclude").contains("workspace"));
    let top = fixture.path("r");
    let attribute = |path: &str| git(&top, &["check-attr", "merge", "--", path]);
    for name in ["T-1.json", "archive/2026-01/T-1.json", "handoff.json", "INDEX.md"] {
        let output = attribute(&format!("workspace/threads/{name}"));
        assert!(output.ends_with(": skein-checkpoint\n"), "{output}");
    }
    assert!(attribute("workspace/threads/T-1.changeset.json").ends_with(": unspecified\n"));
    assert!(git(&top, &["config", "merge.skein-checkpoint.driver"]).contains("merge-driver"));
    assert!(!share(&workspace).unwrap().done.iter().any(|line| line.contains("workspace")));

    git(&top, &["config", "--remove-section", "merge.skein-checkpoint"]);
    let again = fixture.open("r");
    init(&again).unwrap();
    assert!(git(&top, &["config", "merge.skein-checkpoint.driver"]).contains("merge-driver"));

    uninstall(&again, false, false).unwrap();
    assert!(!fixture.path(ATTRIBUTES).exists());
    assert!(!fixture.read("r/.git/config").contains("skein"));
    assert!(fixture.read("r/.git/info/exclude").contains("/workspace/threads/"));
}

#[test]
fn committed_files_are_kept_and_reported() {
    let fixture = fixture();
    let top = fixture.path("r");
    let workspace = fixture.open("r");
    share(&workspace).unwrap();
    git(&top, &["add", "."]);
    let before = fixture.tree();
    let workspace = fixture.open("r");
    let would = uninstall(&workspace, false, true).unwrap().done;
    assert_eq!(fixture.tree(), before);
    let done = uninstall(&workspace, false, false).unwrap().done;
    let stays =
        |name: &str| format!("{name} stays: it is committed; `git rm` it to stop sharing threads");
    let files = [
        ".code-review/.gitattributes",
        ".code-review/.gitignore",
        "workspace/threads/.gitattributes",
        "workspace/threads/.gitignore",
    ];
    for name in files {
        assert!(done.contains(&stays(name)) && would.contains(&stays(name)), "{done:?} {would:?}");
        assert!(fixture.path(&format!("r/{name}")).exists());
    }
    assert!(done.contains(&"Removed the merge driver from git's configuration".to_owned()));
    assert!(would.contains(&"Would remove the merge driver from git's configuration".to_owned()));
    assert!(!fixture.read("r/.git/config").contains("skein"));
}

const AUTO: &str = "T-20260123-143000-auto-c1-commit-1a2b3c4";

fn status(fixture: &Fixture) -> String {
    git(&fixture.path("r"), &["status", "--short"])
}

#[test]
fn auto_checkpoints_leave_a_shared_store_clean() {
    let fixture = fixture();
    let workspace = fixture.open("r");
    share(&workspace).unwrap();
    let top = fixture.path("r");
    fixture.commit("r", "share");
    assert_eq!(status(&fixture), "");
    fixture.checkpoint("r", AUTO, "  \"type\": \"auto-checkpoint\"");
    assert_eq!(status(&fixture), "");
    // The tables are committed, so they list only what others have as well.
    let full = Save { summary: "Auto scroll".to_owned(), ..Save::default() };
    save(&workspace, &full).unwrap();
    let index = fixture.read("r/workspace/threads/INDEX.md");
    assert!(index.contains("T-20260122-100000-x") && !index.contains("-auto-"), "{index}");
    let found =
        skein_doctor::check(&workspace, skein_catalog::WorktreeScope::ThisWorktree).diagnostics;
    assert!(!found.iter().any(|found| found.code == "tables-stale"), "{found:?}");
    git(&top, &["add", "-A"]);
    let listed = git(&top, &["ls-files", "workspace/threads/T-*"]);
    let full = "workspace/threads/T-20260123-143000-manual-autoscroll.json";
    assert_eq!(listed, format!("workspace/threads/T-20260122-100000-x.json\n{full}\n"));
}

#[test]
fn sharing_again_adds_the_missing_ignore_lines() {
    let fixture = fixture();
    let workspace = fixture.open("r");
    let old = "# Who is at work on what, which concerns this machine alone.\nresume-locks/\n";
    fixture.file("r/workspace/threads/.gitignore", format!("mine\n{old}"));
    let done = share(&workspace).unwrap().done;
    assert!(done.contains(&"Wrote workspace/threads/.gitignore".to_owned()), "{done:?}");
    let text = fixture.read("r/workspace/threads/.gitignore");
    assert!(text.starts_with(&format!("mine\n{old}#")), "{text}");
    assert_eq!(text.matches("resume-locks").count(), 1, "{text}");
    assert!(text.ends_with("\nT-????????-??????-auto-*.json\n"), "{text}");
    let done = uninstall(&workspace, false, false).unwrap().done;
    let removed = |line: &&String| line.ends_with("workspace/threads/.gitignore");
    assert_eq!(done.iter().filter(removed).count(), 1, "{done:?}");
    assert_eq!(fixture.read("r/workspace/threads/.gitignore"), "mine\n");
}

#[test]
fn checkpoints_that_are_created_later_are_shared_too() {
    let fixture = Fixture::new();
    fixture.repository("r");
    let workspace = fixture.open("r");
    share(&workspace).unwrap();
    let workspace = fixture.open("r");
    let notes = prepare(&workspace).unwrap();
    let last =
        "The repository shares its threads, and checkpoints with them: `git add workspace/threads`";
    assert_eq!(notes.last().map(String::as_str), Some(last), "{notes:?}");
    assert!(fixture.read(ATTRIBUTES).starts_with("T-*.json merge=skein-checkpoint\n"));
    assert!(!fixture.read("r/.git/info/exclude").contains("workspace"));
    let driver = git(&fixture.path("r"), &["config", "merge.skein-checkpoint.driver"]);
    assert!(driver.contains("merge-driver"));
}

#[test]
fn the_merge_driver_recognises_each_file_by_its_name() {
    let fixture = fixture();
    let check = |path: &str, [base, ours, theirs]: [&str; 3], expected: Option<&str>| {
        let files = MergeFiles {
            base: fixture.file("m/base", base),
            ours: fixture.file("m/ours", ours),
            theirs: fixture.file("m/theirs", theirs),
            path: path.to_owned(),
        };
        let merged = merge_driver(&files).ok().map(|outcome| {
            assert!(!outcome.is_conflicted);
            fixture.read("m/ours")
        });
        assert_eq!(merged.as_deref(), expected, "{path}");
    };
    let thread = "workspace/threads/T-1.json";
    check(
        thread,
        ["{\"a\": [1]}", "{\"a\": [1, 2]}", "{\"a\": [1, 3]}"],
        Some("{\"a\": [1, 2, 3]}"),
    );
    check(thread, ["{}", "{\"a\": 1}", "<<<"], None);
    check("w/INDEX.md", ["a", "b", "c"], Some("b"));
    let pointer = |day: u8| {
        format!("{{\"last_thread\": \"T-{day}\", \"created_at\": \"2026-01-0{day}T00:00:00Z\"}}")
    };
    let (one, two, three) = (pointer(1), pointer(2), pointer(3));
    check("w/handoff.json", [&one, &two, &three], Some(&three));
    check("w/handoff.json", [&one, &three, &two], Some(&three));
    check("w/handoff.json", [&one, &three, "{"], None);
}
