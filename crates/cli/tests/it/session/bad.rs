//! Session maps that cannot be used.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{MAP, map, place, read_map, write_map};
use crate::place::Place;

#[test]
fn a_map_of_an_unknown_version_is_an_error() {
    let place = place();
    write_map(&place, &MAP.replace(r#""version": 1"#, r#""version": 2"#));
    place.check(
        "session list",
        "
-- stderr
Error: ROOT/home/.config/opencode/mattermost-threads.json: version 2 is not known [session-version]
Hint: nothing was changed: use the program that wrote the file, or a newer version of Skein
-- exit 2
",
    );
    place.check("session show ses_91", "
-- stderr
Error: the session map cannot be used: version 2 is not known: ROOT/home/.config/opencode/mattermost-threads.json
Hint: nothing was changed: use the program that wrote the file, or a newer version of Skein
-- exit 2
");
    place.check("session set ses_91 title=x", "
-- stderr
Error: the session map cannot be used: version 2 is not known: ROOT/home/.config/opencode/mattermost-threads.json
Hint: nothing was changed: use the program that wrote the file, or a newer version of Skein
-- exit 2
");
    place.check("session repair", "
-- stderr
Error: the session map cannot be used: version 2 is not known: ROOT/home/.config/opencode/mattermost-threads.json
Hint: nothing was changed: use the program that wrote the file, or a newer version of Skein
-- exit 2
");
}

#[test]
fn a_broken_map_of_an_unknown_version_is_not_repaired() {
    let place = place();
    let text = MAP.replace(r#""version": 1"#, r#""version": 2"#);
    write_map(&place, &text[..text.find("merry-otter").unwrap()]);
    let before = read_map(&place);
    place.check("session repair --yes", "
-- stderr
Error: the session map cannot be used: the file is not JSON: expected a closing quote, and its version is not known: ROOT/home/.config/opencode/mattermost-threads.json
Hint: nothing was changed: use the program that wrote the file, or a newer version of Skein
-- exit 2
");
    assert_eq!(place.run("doctor --fix --yes").code, 1);
    assert_eq!(read_map(&place), before);
    assert_eq!(map(&place).parent().unwrap().read_dir().unwrap().count(), 1);
}

#[test]
fn a_directory_or_a_dangling_symlink_instead_of_the_map_is_an_error() {
    let place = place();
    fs::remove_file(map(&place)).unwrap();
    fs::create_dir(map(&place)).unwrap();
    place.check("session list", "
-- stderr
Error: ROOT/home/.config/opencode/mattermost-threads.json: the session map cannot be read: not a regular file [file-unreadable]
Hint: `ls -l ROOT/home/.config/opencode/mattermost-threads.json` shows what it is, and its permissions
-- exit 2
");
    place.check(
        "session set ses_91 title=x",
        "
-- stderr
Error: the session map path is a directory: ROOT/home/.config/opencode/mattermost-threads.json
Hint: nothing was changed: move it elsewhere, or name a regular file
-- exit 2
",
    );
    fs::remove_dir(map(&place)).unwrap();
    symlink("/nowhere/map.json", map(&place)).unwrap();
    let output = place.run("session list");
    assert!(output.code == 2 && output.err.contains("is a dangling symlink"), "{output}");
    assert_eq!(place.run("doctor").code, 1, "doctor reports a dangling symlink");
    place.check("session set ses_91 title=x", "
-- stderr
Error: the session map is a dangling symlink: ROOT/home/.config/opencode/mattermost-threads.json
Hint: `ls -l ROOT/home/.config/opencode/mattermost-threads.json` shows where it points: fix the link or delete it
-- exit 2
");
    place.check(
        "session list --file /dev/null",
        "
-- stderr
Error: /dev/null: the session map cannot be read: not a regular file [file-unreadable]
Hint: `ls -l /dev/null` shows what it is, and its permissions
-- exit 2
",
    );
}

#[test]
fn a_map_that_is_a_symlink_stays_a_symlink() {
    let place = place();
    let real = place.path("home/real.json");
    fs::rename(map(&place), &real).unwrap();
    symlink(&real, map(&place)).unwrap();
    assert_eq!(place.run("session set ses_91 title=x").code, 0);
    assert!(fs::symlink_metadata(map(&place)).unwrap().is_symlink());
    assert!(fs::read_to_string(real).unwrap().contains(r#""sessionTitle": "x""#));
}

#[test]
fn without_a_home_directory_the_map_is_not_found() {
    let mut place = Place::empty();
    place.machine.home = None;
    for words in ["session list", "session show x", "session set x title=y", "session repair"] {
        place.check(
            words,
            "
-- stderr
Error: cannot find the session map: no home directory
Hint: set `HOME`, or name a map with `--file MAP`
-- exit 2
",
        );
    }
}

#[test]
fn maps_with_problems_are_shown_with_the_problems() {
    let place = place();
    for text in [
        format!("\u{feff}{MAP}"),
        MAP.replace('\n', "\r\n"),
        MAP.replace(r#""projectName": "loom""#, r#""projectName": 7"#),
        MAP.replace("Glaze batches", "\\ud800"),
    ] {
        write_map(&place, &text);
        let output = place.run("session list");
        assert_eq!(output.code, 0, "{output}");
        assert!(output.out.contains("ses_91d0"), "{output}");
        assert_eq!(place.run("session set ses_91 title=x").code, 0);
        assert!(read_map(&place).contains("merry-otter-lake"));
    }
    write_map(&place, &format!("{MAP} and more"));
    place.check("session list", "
-- stderr
Error: ROOT/home/.config/opencode/mattermost-threads.json: the file is not JSON: expected the end of the text [session-bad-json]
Hint: `skein session repair` shows what can be recovered
-- exit 2
");
}

#[test]
fn a_map_without_read_permission() {
    let place = place();
    let mode = |mode| fs::set_permissions(map(&place), fs::Permissions::from_mode(mode)).unwrap();
    mode(0);
    // Root can read the file whatever its mode is.
    if fs::read(map(&place)).is_ok() {
        return;
    }
    place.check(
        "session set ses_91 title=x",
        "
-- stderr
Error: cannot read ROOT/home/.config/opencode/mattermost-threads.json
Caused by: Permission denied (os error 13)
Hint: check the permissions of the file and its directory
-- exit 2
",
    );
    mode(0o600);
}

#[test]
fn control_characters_in_a_path_do_not_reach_the_terminal() {
    let place = place();
    let name = "a\u{1b}[1m\u{7}.json";
    for text in [MAP, &MAP[..MAP.len() - 2], "{"] {
        fs::write(place.path("here").join(name), text).unwrap();
        fs::copy(map(&place), place.path("here/b.json")).unwrap();
        for command in [
            format!("session list --file {name}"),
            format!("session show ses_91 --file {name}"),
            format!("session set ses_91 title=x --file {name}"),
            format!("session merge {name} b.json -o b.json"),
            format!("session merge b.json {name} -o {name}"),
            format!("session repair --file {name}"),
            format!("session repair --yes --file {name}"),
            format!("session repair --yes --file {name}"),
        ] {
            let output = place.run(&command);
            let has_control_characters = |text: &str| text.contains(['\u{1b}', '\u{7}']);
            assert!(
                !has_control_characters(&output.out) && !has_control_characters(&output.err),
                "{command}: {output}"
            );
        }
    }
}
