//! How often git is called to find commented code.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::place::Place;

const FILES: usize = 6;

fn git(place: &Place, args: &[&str]) {
    let dir = place.path("work");
    let id = ["-c", "user.name=Mira", "-c", "user.email=mira@example.org"];
    let status = Command::new("git").current_dir(dir).args(id).args(args).status().unwrap();
    assert!(status.success(), "git {args:?}");
}

/// Runs a command with a `git` wrapper that logs its arguments, and returns the logged lines.
fn git_calls(place: &Place, args: &[&str]) -> Vec<String> {
    let (bin, log) = (place.path("bin"), place.path("log"));
    let path = std::env::var("PATH").unwrap();
    if !bin.exists() {
        let script =
            format!("#!/bin/sh\necho \"$@\" >> {}\nPATH='{path}' exec git \"$@\"\n", log.display());
        let wrapper = place.file("bin/git", script);
        fs::set_permissions(wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(&log, "").unwrap();
    let wrapped = format!("{}:{path}", bin.display());
    let output = place.skein(args).env("PATH", wrapped).output().unwrap();
    assert!(output.status.success());
    fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn locations_are_cached_after_a_directory_was_renamed() {
    let place = Place::with_store();
    let text = |file: usize| -> String {
        (1..30).map(|line| format!("let value_{file}_{line} = {line};\n")).collect()
    };
    for file in 0..FILES {
        place.file(&format!("work/src/{file}.rs"), text(file));
    }
    git(&place, &["init", "-q"]);
    git(&place, &["add", "src"]);
    git(&place, &["commit", "-qm", "one"]);
    // Each thread names another commit, and the code of every second one is deleted.
    for file in 0..FILES {
        place.done(&["review", "add", &format!("src/{file}.rs:10"), "-m", "Why?"]);
        let changed = match file % 2 {
            0 => text(file).lines().take(4).map(|line| format!("{line}\n")).collect(),
            _ => format!("// first\n{}", text(file)),
        };
        place.file(&format!("work/src/{file}.rs"), changed);
        git(&place, &["commit", "-qam", "next"]);
    }
    git(&place, &["mv", "src", "moved"]);
    git(&place, &["commit", "-qm", "moved"]);
    let first = place.done(&["review", "list"]);
    for file in 0..FILES {
        let expected = if file % 2 == 0 { " (gone)" } else { ":11" };
        assert!(first.contains(&format!("moved/{file}.rs{expected}")), "{first}");
    }
    let again = git_calls(&place, &["review", "list"]);
    // One process serves the files of all commits.
    assert!(again.len() <= 1 && again.iter().all(|args| args.contains("cat-file")), "{again:#?}");
    assert_eq!(place.done(&["review", "list"]), first);
}
