//! A repository of a stranger: its symbolic links are not a way to write elsewhere.

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
fn an_index_that_is_a_link_leads_nowhere() {
    let it = Fixture::new();
    it.file("w/a.rs", "one\n");
    it.file("home/precious", "mine\n");
    it.dir("w/.code-review/threads");
    it.link("w/.code-review/index.json", it.path("home/precious"));
    let workspace = it.open("w");
    comment(&workspace, "a.rs:1", None);
    assert_eq!(it.read("home/precious"), "mine\n");
    assert!(it.read("w/.code-review/index.json").contains("\"file\": \"a.rs\""));
}

#[test]
fn sharing_writes_through_no_link() {
    let it = Fixture::new();
    it.repository("w");
    it.file("home/precious", "mine\n");
    it.dir("w/.code-review/threads");
    it.link("w/.code-review/.gitattributes", it.path("home/precious"));
    let workspace = it.open("w");
    let error = share(&workspace).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert_eq!(it.read("home/precious"), "mine\n");
}

#[test]
fn a_suggestion_is_not_applied_through_a_link_into_git() {
    let it = Fixture::new();
    it.repository("w");
    it.file("w/innocent", it.read("w/.git/config"));
    let workspace = it.open("w");
    comment(&workspace, "innocent:1", Some("[core]\n\tfsmonitor = evil"));
    fs::remove_file(it.path("w/innocent")).unwrap();
    it.link("w/innocent", ".git/config");
    let before = fs::read(it.path("w/.git/config")).unwrap();
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let options = ApplyOptions { dry_run: false, resolve: false };
    let error = apply(&workspace, &actor, &[], options).unwrap_err();
    assert!(matches!(error, ApplyError::Changed { .. }), "{error}");
    assert_eq!(fs::read(it.path("w/.git/config")).unwrap(), before);
}

#[test]
fn a_file_is_found_by_way_of_a_link_to_the_workspace() {
    let it = Fixture::new();
    it.file("w/src/a.rs", "one\n");
    it.file("a.rs", "one\n");
    it.link("way", it.path("w"));
    let workspace = it.open("w");
    let place = |name: &str| {
        let place = CodeLocation::parse(&workspace, &it.path(name).display().to_string());
        place.map(|place| place.path.to_string()).map_err(|error| it.shorten(&error.to_string()))
    };
    assert_eq!(place("way/src/a.rs:1"), Ok("src/a.rs".to_owned()));
    assert_eq!(place("a.rs:1"), Err("the path is outside the workspace: a.rs".to_owned()));
}

#[test]
fn nothing_in_git_is_shown_or_commented_on_through_a_link() {
    let it = Fixture::new();
    it.repository("w");
    it.link("w/innocent", ".git/config");
    let workspace = it.open("w");
    let place = CodeLocation::parse(&workspace, "innocent:1").unwrap();
    assert!(excerpt(&workspace, &place).is_err());
    let thread = Review { path: "innocent", selection: Some("[core]"), ..Review::default() };
    it.review("w", "r1", &thread);
    let workspace = it.open("w");
    let view = serde_json::to_string(&show(&workspace, "r1").unwrap()).unwrap();
    assert!(view.contains("\"unverified\"") && !view.contains("repositoryformatversion"), "{view}");
}

#[test]
fn a_thread_file_that_leads_out_is_not_written() {
    let it = Fixture::new();
    it.dir("w");
    let elsewhere = it.review("elsewhere", "r1", &Review::default());
    let before = fs::read(&elsewhere).unwrap();
    it.dir("w/.code-review/threads");
    it.link("w/.code-review/threads/r1.md", &elsewhere);
    let workspace = it.open("w");
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let thread = find(&workspace, "r1").unwrap();
    let error = reply(&workspace, &actor, &thread, "Hm.", ReplyOptions::default()).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
}
