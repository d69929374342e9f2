//! The workspaces that are remembered.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use skein_workspace::{discover, registry};

use skein_fixtures::Fixture;

const FOLDER: &str = "home/state/workspaces";

/// Remembers the workspace of a directory and returns the names of all known roots.
fn visit(fixture: &Fixture, dir: &str) -> String {
    let env = fixture.env(dir);
    registry::remember(&discover(&env));
    names(&registry::roots(&env))
}

fn names(roots: &[PathBuf]) -> String {
    let names = roots.iter().map(|root| root.file_name().unwrap().to_str().unwrap());
    names.collect::<Vec<_>>().join(" ")
}

fn counted(fixture: &Fixture) -> Vec<String> {
    let known = registry::list(&fixture.env("."), &());
    let line = |one: registry::KnownWorkspace| {
        let name = one.root.rsplit('/').next().unwrap_or_default().to_owned();
        format!("{name} {} {:?} {:?}", one.exists, one.reviews, one.checkpoints)
    };
    known.into_iter().map(line).collect()
}

#[test]
fn a_workspace_with_threads_is_remembered_and_forgotten() {
    let fixture = Fixture::new();
    let one = fixture.repository("one");
    assert_eq!(visit(&fixture, "one"), "");
    assert!(!fixture.path(FOLDER).exists());

    fixture.file("one/.code-review/threads/a.md", "");
    fixture.file("one/.code-review/threads/.hidden.md", "");
    fixture.file("one/workspace/threads/T-20260123-143000-a.json", "{}");
    fixture.file("one/workspace/threads/INDEX.md", "");
    let two = fixture.repository("two");
    fixture.dir("two/workspace/threads");
    assert_eq!(visit(&fixture, "one"), "one");
    fixture.dir("two/deep/down");
    assert_eq!(visit(&fixture, "two/deep/down"), "one two");
    assert_eq!(counted(&fixture), ["one true Some(1) Some(1)", "two true None Some(0)"]);
    let mode = fs::metadata(fixture.path(FOLDER)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);

    let env = fixture.env("one");
    assert_eq!(registry::forget(&env, &fixture.path("three")).unwrap(), None);
    assert_eq!(registry::forget(&env, "../two/./x/..".as_ref()).unwrap(), Some(two));
    assert_eq!(names(&registry::roots(&env)), "one");
    assert_eq!(registry::forget(&env, &one).unwrap(), Some(one.clone()));
    assert_eq!(registry::forget(&env, &one).unwrap(), None);
    assert_eq!(visit(&fixture, "one"), "one");
}

#[test]
fn a_deleted_root_is_listed_and_can_be_forgotten() {
    let fixture = Fixture::new();
    let one = fixture.dir("one");
    fixture.file("one/.code-review/threads/a.md", "");
    visit(&fixture, "one");
    fs::remove_dir_all(&one).unwrap();
    let env = fixture.env(".");
    assert_eq!(registry::roots(&env), [] as [PathBuf; 0]);
    assert_eq!(counted(&fixture), ["one false None None"]);
    assert_eq!(names(&registry::gone(&env)), "one");
    assert_eq!(registry::forget(&env, "one/".as_ref()).unwrap(), Some(one));
    assert_eq!(counted(&fixture), [] as [&str; 0]);
}

#[test]
fn unknown_files_in_the_registry_are_kept_and_truncated_entries_are_rewritten() {
    let fixture = Fixture::new();
    fixture.file("one/.code-review/threads/a.md", "");
    visit(&fixture, "one");
    let own = fs::read_dir(fixture.path(FOLDER)).unwrap().next().unwrap().unwrap().path();
    let text = fs::read(&own).unwrap();

    // The same content under another name, invalid contents, and entries that are not files.
    fixture.file(&format!("{FOLDER}/other"), &text);
    fixture.file(&format!("{FOLDER}/relative"), "one\n");
    fixture.file(&format!("{FOLDER}/bytes"), [0xff, 0, 0xfe, b'\n']);
    fixture.file(&format!("{FOLDER}/huge"), vec![b'/'; 200_000]);
    fixture.dir(&format!("{FOLDER}/folder-0000"));
    fixture.link(&format!("{FOLDER}/link"), "/dev/zero");
    assert_eq!(visit(&fixture, "one"), "one");

    for len in 0..text.len() {
        fs::write(&own, &text[..len]).unwrap();
        assert_eq!(registry::roots(&fixture.env("one")), [] as [PathBuf; 0], "{len}");
        assert_eq!(visit(&fixture, "one"), "one", "{len}");
    }
    assert_eq!(fs::read_dir(fixture.path(FOLDER)).unwrap().count(), 7);
}

#[test]
fn a_state_directory_that_cannot_be_created_is_not_an_error() {
    let fixture = Fixture::new();
    fixture.file("one/.code-review/threads/a.md", "");
    fixture.file("home/state", "a file in the way");
    assert_eq!(visit(&fixture, "one"), "");
    assert_eq!(registry::forget(&fixture.env("one"), &fixture.path("one")).unwrap(), None);
}

#[test]
fn a_name_that_is_not_utf_8_is_kept() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    let name = fixture.path(".").join(std::ffi::OsStr::from_bytes(b"a\xff\nb\n"));
    fs::create_dir_all(name.join(".code-review/threads")).unwrap();
    let mut env = fixture.env(".");
    env.dir = name.canonicalize().unwrap();
    registry::remember(&discover(&env));
    assert_eq!(registry::roots(&env), [env.dir.clone()]);
    assert_eq!(registry::forget(&env, ".".as_ref()).unwrap(), Some(env.dir.clone()));
}
