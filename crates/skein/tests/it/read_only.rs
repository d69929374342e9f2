//! A store that may be read and not written.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use crate::place::Place;

/// Permissions do not bind the superuser, who runs the program as this user instead.
const NOBODY: u32 = 65534;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_read_only_store_is_read_and_named_when_it_should_be_written() {
    let place = Place::new();
    place.file("work/a.rs", "one\n");
    place.done(&["review", "add", "a.rs:1", "-m", "Why?"]);
    let thread = place.threads().remove(0);
    let before = (fs::read(&thread).unwrap(), fs::metadata(&thread).unwrap().modified().unwrap());
    let superuser = fs::metadata(&thread).unwrap().uid() == 0;
    mode(&place.path(""), 0o755);
    if superuser {
        chown(place.path("home"), Some(NOBODY), None).unwrap();
    }
    mode(&place.path("work/.code-review/threads"), 0o555);
    mode(&place.path("work/.code-review"), 0o555);
    let run = |args: &[&str]| {
        let mut command = place.skein(args);
        if superuser {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text.replace(&place.path("").display().to_string(), "ROOT/"))
    };
    assert_eq!(run(&["review", "show", "a.rs:1"]).0, Some(0));
    let tries: [&[&str]; 6] = [
        &["review", "reply", "a.rs:1", "-m", "x"],
        &["review", "resolve", "a.rs:1"],
        &["review", "edit", "a.rs:1", "-m", "x"],
        &["review", "delete", "a.rs:1"],
        &["review", "add", "a.rs:1", "-m", "x"],
        &["review", "clear", "--yes"],
    ];
    for args in tries {
        let (code, text) = run(args);
        assert_eq!(code, Some(2), "{args:?}: {text}");
        assert!(text.contains("Caused by: Permission denied (os error 13)\n"), "{text}");
        assert!(text.contains("Hint: check who may read and write there"), "{text}");
        let after =
            (fs::read(&thread).unwrap(), fs::metadata(&thread).unwrap().modified().unwrap());
        assert_eq!(after, before, "{args:?}");
        assert_eq!(place.threads(), std::slice::from_ref(&thread), "{args:?}");
    }
    mode(&place.path("work/.code-review"), 0o755);
    mode(&place.path("work/.code-review/threads"), 0o755);
}
