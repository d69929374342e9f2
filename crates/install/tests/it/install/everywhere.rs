//! Uninstalling everything that Skein has installed.

use std::fs;

use skein_install::{InstallOptions, Scope};
use skein_workspace::{discover, trust};

use super::{fixture, put, tools, tree};

#[test]
fn uninstalling_everywhere_covers_every_repository() {
    let fixture = fixture();
    fixture.repository("other");
    fixture.file("other/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    fixture.repository("gone");
    fixture.dir("home/.codex");
    let before = (tree(&fixture), fixture.read("other/.claude/settings.json"));
    for dir in ["other", "gone"] {
        let env = fixture.env(dir);
        let workspace = discover(&env);
        for (agent, scope) in [("claude-code", Scope::Project), ("git", Scope::Local)] {
            let options = InstallOptions { scope: Some(scope), dry_run: false, consent: false };
            skein_install::install(&workspace, &tools(), agent, &options).unwrap();
        }
    }
    let other = discover(&fixture.env("other"));
    skein_install::setup::share(&other).unwrap();
    fs::remove_dir_all(fixture.path("gone")).unwrap();
    for (agent, scope) in
        [("claude-code", Scope::Local), ("codex", Scope::User), ("opencode", Scope::Local)]
    {
        put(&fixture, agent, scope);
    }
    let workspace = fixture.open("r");
    let once = fixture.tree();
    let report = skein_install::uninstall_agents(&workspace, true, true).unwrap();
    assert!(report.changes_anything());
    assert_eq!(fixture.tree(), once);
    let notes: Vec<String> = report.notes.iter().map(|note| fixture.shorten(note)).collect();
    assert!(notes.contains(&"Would remove the merge driver of other".to_owned()), "{notes:?}");
    assert!(notes.contains(&"Hooks would not pass threads of other to agents any more".to_owned()));
    let start = "Would remove from .git/info/exclude in r: /.claude/settings.local.json, ";
    assert!(notes.iter().any(|note| note.starts_with(start)), "{notes:?}");

    let report = skein_install::uninstall_agents(&workspace, true, false).unwrap();
    assert_eq!(report.failed, Vec::<String>::new());
    let after = (tree(&fixture), fixture.read("other/.claude/settings.json"));
    assert_eq!(after, before);
    assert!(!fixture.path("other/.git/hooks/post-commit").exists());
    assert!(!fixture.path("other/.claude/commands").exists());
    assert!(!fixture.read("other/.git/config").contains("skein"));
    assert!(trust::accepted(&workspace.env).is_empty());
    assert!(!fixture.path("home/state").exists());
    let again = skein_install::uninstall_agents(&workspace, true, false).unwrap();
    assert!(again.changes.is_empty() && again.notes.is_empty());
}
