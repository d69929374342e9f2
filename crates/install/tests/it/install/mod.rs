//! Installing Skein in the settings of agents and of git.

mod everywhere;
mod git_hook;
mod moved;
mod own_files;
mod refusals;
mod servers;
mod settings_files;
mod states;
mod worktrees;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use skein_install::{Action, DetectedPrograms, InstallError, InstallOptions, InstallReport, Scope};

use skein_fixtures::Fixture;

/// A repository `r` and a home directory, on a machine that has Skein on its search path.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("r");
    fixture.dir("home");
    fixture
}

fn tools() -> DetectedPrograms<'static> {
    DetectedPrograms { has: &|name| name == "skein", program: None }
}

fn try_install(
    fixture: &Fixture,
    agent: &str,
    scope: Option<Scope>,
    dry_run: bool,
) -> Result<InstallReport, InstallError> {
    let workspace = fixture.open("r");
    let options = InstallOptions { scope, dry_run, consent: false };
    skein_install::install(&workspace, &tools(), agent, &options)
}

#[track_caller]
fn put(fixture: &Fixture, agent: &str, scope: Scope) -> InstallReport {
    try_install(fixture, agent, Some(scope), false).unwrap()
}

/// Uninstalls an agent in the repository and for the user.
#[track_caller]
fn take(fixture: &Fixture, agent: &str) -> InstallReport {
    let workspace = fixture.open("r");
    let mut report = skein_install::uninstall(&workspace, agent, None, false).unwrap();
    if agent != "git" {
        let own = skein_install::uninstall(&workspace, agent, Some(Scope::User), false).unwrap();
        report.changes.extend(own.changes);
        report.failed.extend(own.failed);
        report.notes.extend(own.notes);
    }
    assert_eq!(report.failed, Vec::<String>::new());
    report
}

/// Describes what happened to each file, with its path relative to the fixture.
fn said(fixture: &Fixture, report: &InstallReport) -> Vec<String> {
    let name = |action: Action| serde_json::to_value(action).unwrap().as_str().unwrap().to_owned();
    let changes = report.changes.iter();
    changes.map(|one| format!("{} {}", name(one.action), fixture.shorten(&one.file))).collect()
}

/// Lists every file of the repository and the home directory with mode and content, except the state of Skein and the
/// objects of git.
fn tree(fixture: &Fixture) -> String {
    let mut out = String::new();
    for top in ["r", "home"] {
        walk(&fixture.path(top), &mut out);
    }
    out
}

fn walk(dir: &Path, out: &mut String) {
    let mut paths: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.ends_with("home/state") || path.ends_with(".git/objects") {
            continue;
        }
        let meta = path.symlink_metadata().unwrap();
        if meta.is_symlink() {
            writeln!(out, "{} -> {}", path.display(), path.read_link().unwrap().display()).unwrap();
        } else if meta.is_dir() {
            writeln!(out, "{}/", path.display()).unwrap();
            walk(&path, out);
        } else {
            let (mode, bytes) = (meta.permissions().mode(), fs::read(&path).unwrap());
            writeln!(out, "{} {mode:o} {}", path.display(), bytes.escape_ascii()).unwrap();
        }
    }
}
