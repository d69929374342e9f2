//! A map that the settings of a repository name never causes a write outside of that repository.

use std::fs;
use std::os::unix::fs::symlink;

use skein_doctor::Repair;
use skein_format::session::{MappingField, Mode};
use skein_sessions::{MapPath, SessionError, SessionMap, SetRequest, repair, set_session};
use skein_store::RealFs;
use skein_workspace::{discover, settings};

use super::{entry, map_of, now};
use skein_fixtures::Fixture;

const SECRET: &str = "export PATH=/opt/bin\n";

/// A repository whose settings name `map`, and a file of the user outside of it.
fn fixture_with_map(map: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("repo");
    fixture.file("home/.bashrc", SECRET);
    fixture.file("repo/.skein.toml", format!("[session]\nmap = \"{map}\"\n"));
    fixture
}

/// Checks that the setting is ignored for this reason.
#[track_caller]
fn check_refused(fixture: &Fixture, why: &str) {
    let (settings, found) = settings::load(&fixture.env("repo"), &fixture.path("repo"));
    assert_eq!(settings.session_map(), None);
    let found: Vec<String> =
        found.iter().map(|diag| format!("{} {}", diag.code, diag.message)).collect();
    assert_eq!(found, [format!("settings-unsafe `session.map` {why}")]);
    let workspace = discover(&fixture.env("repo"));
    let own = fixture.path("home/.config/opencode/mattermost-threads.json");
    assert_eq!(workspace.sessions.file(), Some(own.as_path()));
}

#[test]
fn a_repository_cannot_name_a_map_behind_a_link() {
    let link = "must not be reached through a symbolic link";
    let fixture = fixture_with_map("m.json");
    fixture.link("repo/m.json", fixture.path("home/.bashrc"));
    check_refused(&fixture, link);
    let fixture = fixture_with_map("m.json");
    fixture.link("repo/m.json", ".git/config");
    check_refused(&fixture, link);
    let fixture = fixture_with_map("m.json");
    fixture.link("repo/m.json", "nowhere");
    check_refused(&fixture, link);
    let fixture = fixture_with_map("maps/m.json");
    fixture.link("repo/maps", fixture.path("home"));
    check_refused(&fixture, link);
    let fixture = fixture_with_map("a/maps/m.json");
    fixture.link("repo/a/maps", "../.git");
    check_refused(&fixture, link);
}

#[test]
fn a_repository_cannot_name_a_map_outside_of_it_or_in_git() {
    let out = "must be inside the repository";
    for map in ["../home/.bashrc", "a/../../home/.bashrc", "~/.bashrc", "/etc/passwd"] {
        check_refused(&fixture_with_map(map), out);
    }
    let fixture = Fixture::new();
    fixture.repository("repo");
    let absolute = fixture.file("home/.bashrc", SECRET).display().to_string();
    fixture.file("repo/.skein.toml", format!("[session]\nmap = \"{absolute}\"\n"));
    check_refused(&fixture, out);
    for map in [".git/config", "./.git/config", "sub/.GIT/config"] {
        check_refused(&fixture_with_map(map), "must not be inside `.git`");
    }
}

#[test]
fn a_map_that_becomes_a_link_is_not_written_by_anything() {
    for parent in [false, true] {
        let fixture = fixture_with_map("maps/m.json");
        fixture.file("repo/maps/m.json", map_of(&[entry("ses_a", "12:00")]));
        fixture.file("home/m.json", SECRET);
        let workspace = fixture.open("repo");
        let map = workspace.sessions.map.clone().unwrap();
        assert_eq!(map.path(), fixture.path("repo/maps/m.json"));
        let mut memory = SessionMap::load(&map, Mode::Strict).unwrap();
        memory.insert(&entry("ses_b", "13:00"), now()).unwrap();
        // Another checkout replaces it by a link after the settings were read.
        if parent {
            fs::remove_dir_all(fixture.path("repo/maps")).unwrap();
            symlink(fixture.path("home"), fixture.path("repo/maps")).unwrap();
        } else {
            fs::remove_file(fixture.path("repo/maps/m.json")).unwrap();
            symlink(fixture.path("home/m.json"), fixture.path("repo/maps/m.json")).unwrap();
        }
        let before = fixture.tree();
        let fields = vec![(MappingField::Status, "ended".to_owned())];
        let request = SetRequest { file: None, lenient: true, expect: None, fields };
        let is_link = |error: SessionError| matches!(error, SessionError::Link { .. });
        assert!(is_link(set_session(&workspace, "ses_a", &request).unwrap_err()));
        assert!(is_link(repair(&map, &workspace.env, true).unwrap_err()));
        assert!(is_link(memory.save(&RealFs, now()).unwrap_err()));
        assert!(is_link(SessionMap::load(&map, Mode::Strict).unwrap_err()));
        for one in [
            Repair::Unmark { map: map.clone() },
            Repair::Salvage { map: map.clone(), entries: 1 },
            Repair::Rename { map: map.clone() },
        ] {
            let error = skein_doctor::repair(&workspace, &one).unwrap_err();
            assert!(error.to_string().contains("symbolic link"), "{error}");
        }
        assert_eq!(fixture.tree(), before);
    }
}

#[test]
fn the_users_own_link_is_followed() {
    let fixture = Fixture::new();
    let path = fixture.file("dotfiles/map.json", map_of(&[entry("ses_a", "12:00")]));
    fixture.link("home/m.json", &path);
    let mut map =
        SessionMap::load(&MapPath::named(fixture.path("home/m.json")), Mode::Strict).unwrap();
    map.insert(&entry("ses_b", "13:00"), now()).unwrap();
    map.save(&RealFs, now()).unwrap();
    assert!(fixture.path("home/m.json").is_symlink());
    assert!(fixture.read("dotfiles/map.json").contains("ses_b"));
}
