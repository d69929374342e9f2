//! The symbolic links of an untrusted repository cannot make Skein write elsewhere.

use std::fs;

use skein_catalog::show;
use skein_install::setup::share;
use skein_review::{
    AddOptions, ApplyError, ApplyOptions, CodeLocation, NewThread, ReplyOptions, add, apply,
    excerpt, find, reply,
};
use skein_workspace::{Actor, Workspace};

use skein_fixtures::{Fixture, Review};

fn comment(workspace: &Workspace, place: &str, suggestion: Option<&str>) {
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let thread = NewThread {
        place: CodeLocation::parse(workspace, place).unwrap(),
        body: "Why?".to_owned(),
        suggestion: suggestion.map(str::to_owned),
        expect: None,
    };
    let options = AddOptions { draft: false, changed_only: false };
    add(workspace, &actor, &[thread], options).unwrap();
}

#[test]
fn an_index_that_is_a_symlink_is_replaced() {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "one\n");
    fixture.file("home/precious", "mine\n");
    fixture.dir("w/.code-review/threads");
    fixture.link("w/.code-review/index.json", fixture.path("home/precious"));
    let workspace = fixture.open("w");
    comment(&workspace, "a.rs:1", None);
    assert_eq!(fixture.read("home/precious"), "mine\n");
    assert!(fixture.read("w/.code-review/index.json").contains("\"file\": \"a.rs\""));
}

#[test]
fn share_does_not_write_through_a_symlink() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("home/precious", "mine\n");
    fixture.dir("w/.code-review/threads");
    fixture.link("w/.code-review/.gitattributes", fixture.path("home/precious"));
    let workspace = fixture.open("w");
    let error = share(&workspace).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert_eq!(fixture.read("home/precious"), "mine\n");
}

#[test]
fn a_suggestion_is_not_applied_through_a_symlink_into_the_git_directory() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/innocent", fixture.read("w/.git/config"));
    let workspace = fixture.open("w");
    comment(&workspace, "innocent:1", Some("[core]\n\tfsmonitor = evil"));
    fs::remove_file(fixture.path("w/innocent")).unwrap();
    fixture.link("w/innocent", ".git/config");
    let before = fs::read(fixture.path("w/.git/config")).unwrap();
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let options = ApplyOptions { dry_run: false, resolve: false };
    let error = apply(&workspace, &actor, &[], options).unwrap_err();
    assert!(matches!(error, ApplyError::Changed { .. }), "{error}");
    assert_eq!(fs::read(fixture.path("w/.git/config")).unwrap(), before);
}

#[test]
fn a_file_is_found_through_a_symlink_to_the_workspace() {
    let fixture = Fixture::new();
    fixture.file("w/src/a.rs", "one\n");
    fixture.file("a.rs", "one\n");
    fixture.link("way", fixture.path("w"));
    let workspace = fixture.open("w");
    let place = |name: &str| {
        let place = CodeLocation::parse(&workspace, &fixture.path(name).display().to_string());
        place
            .map(|place| place.path.to_string())
            .map_err(|error| fixture.shorten(&error.to_string()))
    };
    assert_eq!(place("way/src/a.rs:1"), Ok("src/a.rs".to_owned()));
    assert_eq!(place("a.rs:1"), Err("the path is outside the workspace: a.rs".to_owned()));
}

#[test]
fn the_git_directory_is_not_shown_or_commented_on_through_a_symlink() {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.link("w/innocent", ".git/config");
    let workspace = fixture.open("w");
    let place = CodeLocation::parse(&workspace, "innocent:1").unwrap();
    assert!(excerpt(&workspace, &place).is_err());
    let thread = Review { path: "innocent", selection: Some("[core]"), ..Review::default() };
    fixture.review("w", "r1", &thread);
    let workspace = fixture.open("w");
    let view = serde_json::to_string(&show(&workspace, "r1").unwrap()).unwrap();
    assert!(view.contains("\"unverified\"") && !view.contains("repositoryformatversion"), "{view}");
}

#[test]
fn a_thread_file_that_is_a_symlink_out_of_the_workspace_is_not_written() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let elsewhere = fixture.review("elsewhere", "r1", &Review::default());
    let before = fs::read(&elsewhere).unwrap();
    fixture.dir("w/.code-review/threads");
    fixture.link("w/.code-review/threads/r1.md", &elsewhere);
    let workspace = fixture.open("w");
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let thread = find(&workspace, "r1").unwrap();
    let error = reply(&workspace, &actor, &thread, "Hm.", ReplyOptions::default()).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
}
