use crate::place::Place;

#[test]
fn the_demo_is_written_and_shown() {
    let place = Place::empty();
    let output = place.run("demo lantern");
    assert_eq!(output.code, 0);
    assert_eq!(output.out, Place::demo().run("").out);
    let commands: Vec<&str> = output
        .err
        .lines()
        .filter_map(|line| line.strip_prefix("  skein "))
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    assert_eq!(commands.len(), 4, "{}", output.err);
    for command in commands {
        assert!(place.run(command).code < 2, "{command}");
    }
}

#[test]
fn a_directory_that_is_not_empty_is_left_alone() {
    let place = Place::demo();
    let mut above = Place::empty();
    above.machine = place.machine.clone();
    above.machine.dir = place.path("here");
    let output = above.run("demo lantern");
    let err = place.shorten(&output.err);
    assert_eq!(output.code, 2);
    assert_eq!(
        err,
        "Error: the demo could not be written\n\
         Caused by: already exists: ROOT/here/lantern\n\
         Hint: name a directory that does not exist yet: `skein demo ROOT/here/lantern-2`\n"
    );
    let hint = output.err.split('`').nth(1).unwrap().strip_prefix("skein ").unwrap();
    assert_eq!(above.run(hint).code, 0);
    assert!(above.run("demo lantern").err.contains("lantern-3"));
}

#[test]
fn a_file_in_the_way_is_an_error_with_a_hint() {
    let place = Place::empty();
    place.file("file", "");
    place.check(
        "demo file/below",
        "
-- stderr
Error: the demo could not be written
Caused by: cannot create the directory ROOT/here/file/below
Caused by: Not a directory (os error 20)
Hint: expected a directory but found a file; move it
-- exit 2
",
    );
}

#[test]
fn the_store_of_the_demo_has_instructions_for_agents() {
    let place = Place::demo();
    let text = std::fs::read_to_string(place.machine.dir.join(".code-review/AGENTS.md")).unwrap();
    assert!(text.contains("skein review next"), "{text}");
}
