//! Which workspaces the user has accepted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use skein_workspace::trust;

use skein_fixtures::Fixture;

#[test]
fn a_workspace_is_accepted_until_it_is_forgotten() {
    let fixture = Fixture::new();
    let (one, two) = (fixture.dir("one"), fixture.dir("two"));
    let env = fixture.env("one");
    assert!(!trust::is_accepted(&env, &one));
    assert!(!trust::forget(&env, &one).unwrap());
    assert!(!fixture.path("home/state").exists());

    assert!(trust::accept(&env, &one).unwrap());
    assert!(!trust::accept(&env, &one).unwrap());
    assert!(trust::accept(&env, &two).unwrap());
    assert!(trust::is_accepted(&env, &one));
    assert_eq!(trust::accepted(&env), [one.clone(), two.clone()]);
    let mode = fs::metadata(fixture.path("home/state/trust.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    assert!(trust::forget(&env, &one).unwrap());
    assert!(!trust::is_accepted(&env, &one));
    assert_eq!(trust::accepted(&env), [two]);
}

#[test]
fn accepting_a_symlink_accepts_its_target() {
    let fixture = Fixture::new();
    let one = fixture.dir("one");
    fixture.link("link", &one);
    let env = fixture.env("one");
    trust::accept(&env, &fixture.path("link")).unwrap();
    assert!(trust::is_accepted(&env, &one));
    assert_eq!(trust::accepted(&env), [one]);
}

#[test]
fn an_invalid_trust_file_accepts_nothing() {
    let fixture = Fixture::new();
    let one = fixture.dir("one");
    fixture.file("home/state/trust.json", "{\"accepted\": 3}");
    let env = fixture.env("one");
    assert!(!trust::is_accepted(&env, &one));
    trust::accept(&env, &one).unwrap();
    assert!(trust::is_accepted(&env, &one));
}

#[test]
fn a_deleted_workspace_can_be_forgotten() {
    let fixture = Fixture::new();
    let one = fixture.dir("one");
    let env = fixture.env("one");
    trust::accept(&env, &one).unwrap();
    fs::remove_dir(&one).unwrap();
    assert!(trust::forget(&env, &one).unwrap());
    assert!(trust::accepted(&env).is_empty());
}

#[test]
fn another_repository_at_the_same_path_is_not_accepted() {
    let fixture = Fixture::new();
    let one = fixture.repository("one");
    let env = fixture.env("one");
    assert!(trust::accept(&env, &one).unwrap());
    fs::rename(&one, fixture.path("old")).unwrap();
    assert!(!trust::is_accepted(&env, &one));
    fixture.repository("one");
    assert!(!trust::is_accepted(&env, &one));
    fs::remove_dir_all(&one).unwrap();
    fs::rename(fixture.path("old"), &one).unwrap();
    assert!(trust::is_accepted(&env, &one));
    // The same directory with another repository in it.
    fs::rename(one.join(".git"), fixture.path("old")).unwrap();
    fixture.repository("one");
    assert!(!trust::is_accepted(&env, &one));
    assert!(trust::is_recorded(&env, &one));
    assert!(trust::accept(&env, &one).unwrap());
    assert!(trust::is_accepted(&env, &one));
    assert_eq!(trust::accepted(&env), [one]);
}
