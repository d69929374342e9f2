use std::fs;

use crate::place::Place;

/// Returns a workspace with a thread, in which a command was run.
fn visited() -> Place {
    let place = Place::empty();
    place.file(".code-review/threads/t1.md", "");
    assert_eq!(place.run("list").code, 0);
    place
}

#[test]
fn a_workspace_is_listed_once_a_command_was_used_in_it() {
    let place = Place::empty();
    place.check(
        "workspaces",
        "
-- stderr
No workspaces yet. A workspace is added when you run a command where threads exist.
-- exit 0
",
    );
    let place = visited();
    let list = "
ROOT/here  1  -
-- exit 0
";
    place.check("workspaces list", list);
    place.check("workspaces", list);
    place.check(
        "workspaces list --json",
        "
{\"workspaces\":[{\"root\":\"ROOT/here\",\"exists\":true,\"reviews\":1,\"checkpoints\":null}]}
-- exit 0
",
    );
}

#[test]
fn listing_workspaces_and_failed_commands_add_no_workspace() {
    let place = Place::empty();
    place.file(".code-review/threads/t1.md", "");
    place.run("workspaces list");
    place.run("show nothing");
    place.run("list key:value");
    assert!(!place.path("home/.local").exists());
}

#[test]
fn a_forgotten_workspace_is_added_again() {
    let place = visited();
    place.check(
        "workspaces forget ../here",
        "
Forgot ROOT/here
-- stderr
Nothing in it was changed. It is added again when you run a command there.
-- exit 0
",
    );
    place.check(
        "workspaces forget .",
        "
-- stderr
Error: unknown workspace: .
Hint: run `skein workspaces list` to see every workspace
-- exit 2
",
    );
    place.run("list");
    place.check(
        "workspaces forget . --json",
        "
{\"forgotten\":[\"ROOT/here\"]}
-- exit 0
",
    );
}

#[test]
fn missing_workspaces_are_marked_and_forgotten_together() {
    let mut place = visited();
    place.check(
        "workspaces forget --gone",
        "
-- stderr
Every workspace in the list still exists.
-- exit 0
",
    );
    fs::rename(&place.machine.dir, place.path("elsewhere")).unwrap();
    place.machine.dir = place.path("home");
    place.check(
        "workspaces",
        "
ROOT/here  -  -  gone
-- stderr
1 is gone; `skein workspaces forget --gone` removes them from the list
-- exit 0
",
    );
    place.check(
        "workspaces forget --gone",
        "
Forgot ROOT/here
-- exit 0
",
    );
}

#[test]
fn invalid_files_in_the_list_of_workspaces_are_ignored() {
    let place = visited();
    let folder = place.path("home/.local/state/skein/workspaces");
    fs::write(folder.join("garbage"), [0xff, b'\n']).unwrap();
    fs::write(folder.join("x-0000000000000000"), "/\n").unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    place.check(
        "workspaces",
        "
ROOT/here  1  -
-- exit 0
",
    );
}

#[test]
fn without_a_home_directory_no_state_is_written_to_the_current_directory() {
    let mut place = Place::empty();
    place.file(".code-review/threads/t1.md", "");
    place.machine.home = None;
    place.run("list");
    let names = fs::read_dir(&place.machine.dir).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [".code-review"]);
}
