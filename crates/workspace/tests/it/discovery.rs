use std::fmt::Write as _;
use std::path::Path;

use skein_workspace::discover;

use skein_fixtures::{Fixture, Review, git};

/// Describes the stores of a directory, with paths relative to the fixture.
fn found(fixture: &Fixture, dir: &str) -> String {
    let workspace = fixture.open(dir);
    let mark = |exists: bool| if exists { "" } else { " (missing)" };
    let mut out = String::new();
    let (reviews, checkpoints) = (&workspace.reviews, &workspace.checkpoints);
    writeln!(out, "reviews {}{}", reviews.store().display(), mark(reviews.exists)).unwrap();
    let threads = checkpoints.threads();
    writeln!(out, "checkpoints {}{}", threads.display(), mark(checkpoints.exists)).unwrap();
    for diag in &workspace.diagnostics {
        writeln!(out, "{} {}", diag.code, diag.path).unwrap();
    }
    fixture.shorten(&out)
}

#[track_caller]
fn check(fixture: &Fixture, dir: &str, expected: &[&str]) {
    assert_eq!(found(fixture, dir).lines().collect::<Vec<_>>(), expected);
}

#[track_caller]
fn check_sessions(fixture: &Fixture, expected: Option<(&str, bool)>) {
    let before = fixture.tree();
    let workspace = fixture.open("home");
    let file = workspace.sessions.file().map(|file| fixture.shorten(&file.display().to_string()));
    let got = file.as_deref().map(|file| (file, workspace.sessions.exists));
    assert_eq!(got, expected);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn without_git_the_current_directory_is_the_root() {
    let fixture = Fixture::new();
    fixture.dir("plain/sub");
    check(
        &fixture,
        "plain/sub",
        &[
            "reviews plain/sub/.code-review (missing)",
            "checkpoints plain/sub/workspace/threads (missing)",
        ],
    );
    fixture.dir("plain/.code-review/threads");
    fixture.dir("plain/workspace/threads");
    check(
        &fixture,
        "plain/sub",
        &["reviews plain/.code-review", "checkpoints plain/workspace/threads"],
    );
}

#[test]
fn in_a_repository_its_top_level_is_the_root() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("repo/src/deep");
    let expected =
        ["reviews repo/.code-review (missing)", "checkpoints repo/workspace/threads (missing)"];
    check(&fixture, "repo", &expected);
    check(&fixture, "repo/src/deep", &expected);
}

#[test]
fn the_nearest_store_wins() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("repo/.code-review/threads");
    fixture.dir("repo/packages/a/.code-review/threads");
    fixture.dir("repo/packages/a/src");
    fixture.dir("repo/packages/b");
    check(
        &fixture,
        "repo/packages/a/src",
        &["reviews repo/packages/a/.code-review", "checkpoints repo/workspace/threads (missing)"],
    );
    check(
        &fixture,
        "repo/packages/b",
        &["reviews repo/.code-review", "checkpoints repo/workspace/threads (missing)"],
    );
}

#[test]
fn a_store_above_a_repository_is_not_used_for_its_reviews() {
    let fixture = Fixture::new();
    fixture.dir("outer/.code-review/threads");
    fixture.repository("outer/inner");
    fixture.dir("outer/inner/src");
    fixture.repository("outer/inner/vendor/nested");
    fixture.file("outer/broken/.git", "gitdir: /nowhere/at/all\n");
    let root = |dir: &str| found(&fixture, dir).lines().next().unwrap().to_owned();
    assert_eq!(root("outer/inner/src"), "reviews outer/inner/.code-review (missing)");
    let nested = "outer/inner/vendor/nested";
    assert_eq!(root(nested), format!("reviews {nested}/.code-review (missing)"));
    fixture.dir("outer/inner/.code-review/threads");
    assert_eq!(root("outer/inner/src"), "reviews outer/inner/.code-review");
    assert_eq!(root(nested), format!("reviews {nested}/.code-review (missing)"));
    assert_eq!(root("outer/broken"), "reviews outer/broken/.code-review (missing)");
    assert_eq!(root("outer"), "reviews outer/.code-review");
}

/// Returns a fixture whose stores belong to another user.
fn fixture_of_another_user() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.dir("shared/.code-review/threads");
    fixture.dir("shared/workspace/threads");
    fixture.dir("shared/mine");
    fixture.users = vec![fixture.users[0] + 1];
    fixture
}

#[test]
fn a_store_of_another_user_is_not_used() {
    let fixture = fixture_of_another_user();
    check(
        &fixture,
        "shared/mine",
        &[
            "reviews shared/mine/.code-review (missing)",
            "checkpoints shared/mine/workspace/threads (missing)",
            "store-not-owned shared/.code-review",
            "store-not-owned shared/workspace/threads",
        ],
    );
    check(
        &fixture,
        "shared",
        &[
            "reviews shared/.code-review (missing)",
            "checkpoints /dev/null/threads (missing)",
            "store-not-owned shared/.code-review",
            "store-not-owned shared/workspace/threads",
        ],
    );
}

#[test]
fn a_store_of_another_user_is_not_written() {
    let fixture = fixture_of_another_user();
    let before = fixture.tree();
    let workspace = fixture.open("shared");
    let error = skein_install::setup::init(&workspace).unwrap_err().to_string();
    assert!(error.starts_with("another user owns the store"), "{error}");
    let error = skein_install::prepare(&workspace).unwrap_err().to_string();
    assert!(error.starts_with("another user owns the store"), "{error}");
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_store_of_another_user_is_used_if_the_user_allows_it() {
    let mut fixture = fixture_of_another_user();
    let expected = ["reviews shared/.code-review", "checkpoints shared/workspace/threads"];
    for safe in [fixture.path("shared").display().to_string(), "*".to_owned()] {
        fixture.variables.insert("SKEIN_STORE_SAFE_DIRECTORIES".to_owned(), safe);
        check(&fixture, "shared/mine", &expected);
    }
    fixture.variables.clear();
    fixture.file("shared/mine/.skein.toml", "store.safe_directories = [\"*\"]\n");
    assert!(found(&fixture, "shared/mine").contains("settings-unsafe"));
    assert!(found(&fixture, "shared/mine").contains("store-not-owned"));
}

#[test]
fn a_linked_worktree_has_reviews_of_its_own_and_shares_checkpoints() {
    for name in ["beside", "main/inside", "main/deep/inside"] {
        let fixture = Fixture::new();
        fixture.repository("main");
        fixture.dir("main/.code-review/threads");
        fixture.worktree("main", name, "topic");
        fixture.dir(&format!("{name}/src"));
        check(
            &fixture,
            &format!("{name}/src"),
            &[
                &format!("reviews {name}/.code-review (missing)"),
                "checkpoints main/workspace/threads (missing)",
            ],
        );
        fixture.dir(&format!("{name}/.code-review/threads"));
        fixture.dir("main/workspace/threads");
        check(
            &fixture,
            &format!("{name}/src"),
            &[&format!("reviews {name}/.code-review"), "checkpoints main/workspace/threads"],
        );
        check(
            &fixture,
            "main",
            &["reviews main/.code-review", "checkpoints main/workspace/threads"],
        );
    }
}

#[test]
fn directories_without_a_repository_share_the_store_above_them() {
    let fixture = Fixture::new();
    fixture.dir("hq/.code-review/threads");
    fixture.dir("hq/workspace/threads");
    fixture.dir("hq/notes/deep");
    for dir in ["hq/notes/deep", "hq/notes", "hq"] {
        check(&fixture, dir, &["reviews hq/.code-review", "checkpoints hq/workspace/threads"]);
    }
}

#[test]
fn checkpoints_of_a_repository_below_an_hq_root_go_to_the_hq() {
    let fixture = Fixture::new();
    fixture.dir("hq/workspace/threads");
    fixture.repository("hq/repos/one");
    check(
        &fixture,
        "hq/repos/one",
        &["reviews hq/repos/one/.code-review (missing)", "checkpoints hq/workspace/threads"],
    );
}

#[test]
fn a_main_checkout_with_only_legacy_checkpoints_is_a_checkpoint_root() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("repo/workspace/checkpoints");
    check(
        &fixture,
        "repo",
        &["reviews repo/.code-review (missing)", "checkpoints repo/workspace/threads"],
    );
}

#[test]
fn a_bare_repository_has_no_top_level() {
    let fixture = Fixture::new();
    fixture.dir("bare.git");
    git(&fixture.path("bare.git"), &["init", "--quiet", "--bare"]);
    check(
        &fixture,
        "bare.git",
        &[
            "reviews bare.git/.code-review (missing)",
            "checkpoints bare.git/workspace/threads (missing)",
        ],
    );
}

#[test]
fn a_broken_git_file_is_reported_and_the_rest_works() {
    let fixture = Fixture::new();
    fixture.file("broken/.git", "gitdir: /nowhere/at/all\n");
    fixture.review("broken", "t1", &Review::default());
    fixture.dir("broken/workspace/threads");
    fixture.dir("broken/src");
    check(
        &fixture,
        "broken/src",
        &[
            "reviews broken/.code-review",
            "checkpoints broken/workspace/threads",
            "git-broken broken/.git",
        ],
    );
}

#[test]
fn the_editor_settings_may_name_another_store() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("repo/src");
    fixture.file(
        "repo/.vscode/settings.json",
        "\u{feff}// ours\n{\n  /* where */ \"localCodeReview.storagePath\": \".reviews/local\", // here\n}\n",
    );
    let root = "checkpoints repo/workspace/threads (missing)";
    check(&fixture, "repo/src", &["reviews repo/.reviews/local (missing)", root]);
    fixture.dir("repo/.reviews/local/threads");
    check(&fixture, "repo/src", &["reviews repo/.reviews/local", root]);
}

#[test]
fn threads_in_a_store_that_the_settings_replace_are_reported() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("repo/src");
    fixture.dir("repo/.code-review/threads");
    fixture.file("repo/.code-review/threads/notes.md", "of another tool\n");
    fixture.file("repo/.skein.toml", "review.storage_path = \".mine\"\n");
    let rest = ["reviews repo/.mine (missing)", "checkpoints repo/workspace/threads (missing)"];
    check(&fixture, "repo/src", &rest);
    fixture.review("repo", "t1", &Review::default());
    let with = |store| [rest[0], rest[1], store];
    check(&fixture, "repo/src", &with("store-unused repo/.code-review"));
    let message = fixture.open("repo/src").diagnostics.remove(0).message;
    assert_eq!(
        message,
        "its threads are not shown, because `review.storage_path` names the store .mine"
    );
    // A store that the editor settings name is reported too.
    let threads = fixture.dir("repo/.editor");
    std::fs::rename(fixture.path("repo/.code-review/threads"), threads.join("threads")).unwrap();
    let setting = "{\"localCodeReview.storagePath\": \".editor\"}";
    fixture.file("repo/.vscode/settings.json", setting);
    check(&fixture, "repo/src", &with("store-unused repo/.editor"));
    // The same directory under another name is used.
    fixture.link("repo/.mine", ".editor");
    check(&fixture, "repo/src", &["reviews repo/.mine", rest[1]]);
}

#[test]
fn a_store_path_that_is_not_inside_the_workspace_is_ignored() {
    for path in ["../x", "/tmp/x", ".git/x", "a/../../x", "C:\\\\x", "", "..\\\\x"] {
        let fixture = Fixture::new();
        fixture.repository("repo");
        let settings = format!("{{\"localCodeReview.storagePath\": \"{path}\"}}");
        fixture.file("repo/.vscode/settings.json", settings);
        let root = "checkpoints repo/workspace/threads (missing)";
        check(&fixture, "repo", &["reviews repo/.code-review (missing)", root]);
    }
}

#[test]
fn invalid_editor_settings_are_ignored() {
    for settings in ["", "{", "[]", "{\"localCodeReview.storagePath\": 7}", "null"] {
        let fixture = Fixture::new();
        fixture.file("plain/.vscode/settings.json", settings);
        let root = "checkpoints plain/workspace/threads (missing)";
        check(&fixture, "plain", &["reviews plain/.code-review (missing)", root]);
    }
}

#[test]
fn a_store_that_is_a_symlink_out_of_the_workspace_is_not_used() {
    let fixture = Fixture::new();
    fixture.review("elsewhere", "t1", &Review::default());
    fixture.repository("repo");
    fixture.link("repo/.code-review", "../elsewhere/.code-review");
    let root = "checkpoints repo/workspace/threads (missing)";
    check(
        &fixture,
        "repo",
        &["reviews repo/.code-review (missing)", root, "store-foreign repo/.code-review"],
    );
    fixture.dir("other/.code-review");
    fixture.link("other/.code-review/threads", fixture.path("elsewhere/.code-review/threads"));
    check(
        &fixture,
        "other",
        &[
            "reviews other/.code-review (missing)",
            "checkpoints other/workspace/threads (missing)",
            "store-foreign other/.code-review",
        ],
    );
}

#[test]
fn a_store_behind_a_symlink_inside_the_workspace_is_used() {
    let fixture = Fixture::new();
    fixture.dir("plain/notes/threads");
    fixture.link("plain/.code-review", "notes");
    let root = "checkpoints plain/workspace/threads (missing)";
    check(&fixture, "plain", &["reviews plain/.code-review", root]);
}

#[test]
fn a_directory_of_another_tool_is_not_a_store() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.file("repo/.code-review/config.yaml", "rules: []\n");
    fixture.file("repo/.code-review/index.json", "{\"entries\": []}\n");
    let root = "checkpoints repo/workspace/threads (missing)";
    check(
        &fixture,
        "repo",
        &["reviews repo/.code-review (missing)", root, "store-foreign repo/.code-review"],
    );
}

#[test]
fn a_store_without_threads_is_recognized() {
    let root = "checkpoints plain/workspace/threads (missing)";
    let check_recognized = |make: &dyn Fn(&Fixture)| {
        let fixture = Fixture::new();
        make(&fixture);
        check(&fixture, "plain", &["reviews plain/.code-review", root]);
    };
    check_recognized(&|fixture| drop(fixture.dir("plain/.code-review")));
    check_recognized(&|fixture| {
        drop(fixture.file("plain/.code-review/AGENTS.md", "How to answer.\n"));
    });
    check_recognized(&|fixture| {
        let index = "{\"schemaVersion\": 1, \"threads\": []}\n";
        drop(fixture.file("plain/.code-review/index.json", index));
    });
}

#[test]
fn a_file_with_the_name_of_the_store_is_not_a_store() {
    let fixture = Fixture::new();
    fixture.file("plain/.code-review", "notes\n");
    let root = "checkpoints plain/workspace/threads (missing)";
    let workspace = fixture.open("plain");
    assert!(!workspace.reviews.exists);
    check(
        &fixture,
        "plain",
        &["reviews plain/.code-review (missing)", root, "store-foreign plain/.code-review"],
    );
}

#[test]
fn the_session_map_is_at_the_path_that_its_contract_defines() {
    let primary = "home/.config/opencode/mattermost-threads.json";
    let fallback = "home/.opencode/mattermost-threads.json";
    let fixture = Fixture::new();
    fixture.dir("home");
    check_sessions(&fixture, Some((primary, false)));
    fixture.dir("home/.opencode");
    check_sessions(&fixture, Some((fallback, false)));
    fixture.file(fallback, "{}");
    check_sessions(&fixture, Some((fallback, true)));
    fixture.dir("home/.config/opencode");
    check_sessions(&fixture, Some((primary, false)));
    fixture.sessions(&[]);
    check_sessions(&fixture, Some((primary, true)));
}

#[test]
fn the_session_map_does_not_depend_on_the_config_directory() {
    let fixture = Fixture::new();
    let mut env = fixture.env("");
    env.config_home = Some(fixture.dir("elsewhere/opencode"));
    let file = discover(&env).sessions.file().unwrap().to_owned();
    assert_eq!(file, fixture.path("home/.config/opencode/mattermost-threads.json"));
    env.home = None;
    let sessions = discover(&env).sessions;
    assert_eq!((sessions.map, sessions.exists), (None, false));
}

#[test]
fn a_symlinked_directory_is_resolved() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.dir("repo/.code-review/threads");
    fixture.dir("repo/src");
    fixture.link("shortcut", "repo/src");
    check(
        &fixture,
        "shortcut",
        &["reviews repo/.code-review", "checkpoints repo/workspace/threads (missing)"],
    );
}

#[test]
fn discovery_creates_nothing() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    let before = fixture.tree();
    let workspace = fixture.open("repo");
    assert!(workspace.is_fresh());
    assert_eq!(fixture.tree(), before);
    assert!(!Path::new(&workspace.reviews.store()).exists());
}

#[test]
fn the_worktrees_of_a_bare_repository_share_checkpoints_that_outlive_them() {
    let fixture = Fixture::new();
    fixture.repository("seed");
    let bare = fixture.path("bare.git").display().to_string();
    git(&fixture.path("seed"), &["clone", "--quiet", "--bare", ".", &bare]);
    for (tree, branch) in [("one", "a"), ("two", "b")] {
        let path = fixture.path(tree).display().to_string();
        git(&fixture.path("bare.git"), &["worktree", "add", "--quiet", "-b", branch, &path]);
    }
    let workspace = fixture.open("one");
    let save = skein_checkpoints::Save { summary: "Mine".to_owned(), ..Default::default() };
    let saved = skein_checkpoints::save(&workspace, &save).unwrap();
    assert_eq!(
        fixture.shorten(&saved.file),
        "bare.git/workspace/threads/T-20260123-143000-mine.json"
    );
    assert_eq!(git(&fixture.path("one"), &["status", "--porcelain"]), "");
    git(
        &fixture.path("bare.git"),
        &["worktree", "remove", &fixture.path("one").display().to_string()],
    );
    let workspace = fixture.open("two");
    let brief = skein_summary::brief(&workspace, None).unwrap();
    assert_eq!((brief.id, brief.origin.branch.as_deref()), (saved.id, Some("a")));
}
