use std::fs;

use super::{MAP, map, place, read_map};
use crate::place::Place;

/// Returns the map of another program: one session is more recent and has another thread, one is active
/// again, and one is additional.
fn other() -> String {
    let other = MAP.replace("14:26:00", "14:28:00").replace("post_8d2k", "post_else");
    let other = other.replace(r#""status": "ended""#, r#""status": "active""#);
    let other = other.replace(
        "2026-01-21T09:30:00.000Z\",\n      \"endedAt\": \"2026-01-21T09:30:00.000Z\"",
        "2026-01-22T09:30:00.000Z\"",
    );
    other.replace("ses_4f1caa03c7", "ses_77aa10")
}

#[test]
fn the_map_is_on_stdout_and_the_reasons_are_on_stderr() {
    let place = Place::empty();
    place.file("memory.json", other());
    place.file("disk.json", MAP);
    let output = place.run("session merge memory.json disk.json");
    assert_eq!(output.code, 0, "{output}");
    assert_eq!(output.err, "\
ses_4f1c9a7be2: memory.json wins, more recent activity; disk.json had it in another thread: post_8d2k
ses_91d07f32b6: memory.json wins, more recent activity; it stays ended, as in disk.json
memory.json with disk.json: 2 differ, 1 the same, 1 only in memory.json, 1 only in disk.json
");
    let one = output.out;
    for text in
        ["ses_77aa10", "ses_4f1caa03c7", "post_else", r#""endedAt": "2026-01-21T09:30:00.000Z""#]
    {
        assert!(one.contains(text), "{text} in {one}");
    }
    assert!(one.starts_with("{\n  \"version\": 1,\n") && one.ends_with('}'));
    place.check("session merge memory.json disk.json -o out.json", "
Wrote: ROOT/here/out.json
-- stderr
ses_4f1c9a7be2: memory.json wins, more recent activity; disk.json had it in another thread: post_8d2k
ses_91d07f32b6: memory.json wins, more recent activity; it stays ended, as in disk.json
memory.json with disk.json: 2 differ, 1 the same, 1 only in memory.json, 1 only in disk.json
-- exit 0
");
    assert_eq!(fs::read_to_string(place.path("here/out.json")).unwrap(), one);
    place.check(
        "session merge memory.json out.json -o out.json",
        "
Unchanged: ROOT/here/out.json
-- stderr
ses_91d07f32b6: memory.json wins, same time; memory wins ties; it stays ended, as in out.json
memory.json with out.json: 1 differ, 3 the same, 1 only in out.json
-- exit 0
",
    );
    assert_eq!(place.run("session merge disk.json disk.json").out, MAP);
}

#[test]
fn on_a_tie_memory_wins_and_fields_that_only_disk_has_are_kept() {
    let place = Place::empty();
    place.file("memory.json", MAP.replace("Glaze batches", "Glazes"));
    place.file(
        "disk.json",
        MAP.replace(r#""shortId": "ses_91d0","#, r#""shortId": "ses_91d0", "colour": 1,"#),
    );
    let output = place.run("session merge memory.json disk.json");
    assert_eq!(
        output.err,
        "\
ses_4f1c9a7be2: memory.json wins, same time; memory wins ties
ses_91d07f32b6: memory.json wins, same time; memory wins ties; kept from disk.json: colour
memory.json with disk.json: 2 differ, 2 the same
"
    );
    assert!(output.out.contains("Glazes") && output.out.contains(r#""colour": 1"#), "{output}");
}

#[test]
fn several_maps_are_merged_one_after_the_other() {
    let place = place();
    place.file("a.json", other());
    place.file("b.json", MAP);
    let output = place.run_args(&[
        "session",
        "merge",
        "a.json",
        "b.json",
        &map(&place).display().to_string(),
        "-o",
        "c.json",
    ]);
    assert_eq!(output.to_string(), "\
Wrote: ROOT/here/c.json
-- stderr
ses_4f1c9a7be2: a.json wins, more recent activity; b.json had it in another thread: post_8d2k
ses_91d07f32b6: a.json wins, more recent activity; it stays ended, as in b.json
a.json with b.json: 2 differ, 1 the same, 1 only in a.json, 1 only in b.json
ses_4f1c9a7be2: the merge so far wins, more recent activity; ROOT/home/.config/opencode/mattermost-threads.json had it in another thread: post_8d2k
ses_91d07f32b6: the merge so far wins, more recent activity
ses_b7e25c90d8: the merge so far wins, same time; memory wins ties
the merge so far with ROOT/home/.config/opencode/mattermost-threads.json: 3 differ, 1 the same, 1 only in the merge so far
-- exit 0
");
}

#[test]
fn merge_overwrites_only_files_that_it_read() {
    let place = place();
    place.file("a.json", MAP);
    place.file("note.txt", "hello");
    let before = read_map(&place);
    place.check(
        "session merge a.json a.json -o note.txt",
        "
-- stderr
Error: already exists, and is not one of the merged maps: ROOT/here/note.txt
Hint: nothing was written: name a file that does not exist, or one of those that are merged
-- exit 2
",
    );
    place.check(
        "session merge a.json note.txt",
        "
-- stderr
Error: the session map is damaged: the file is not JSON: expected a value: ROOT/here/note.txt
Hint: `skein session repair --file ROOT/here/note.txt` shows what can be recovered
-- exit 2
",
    );
    place.check(
        "session merge a.json none.json",
        "
-- stderr
Error: there is no such file: ROOT/here/none.json
Hint: check the path: `ls ROOT/here`
-- exit 2
",
    );
    assert_eq!(fs::read_to_string(place.path("here/note.txt")).unwrap(), "hello");
    assert_eq!(read_map(&place), before);
    assert_eq!(place.run("session merge a.json").code, 2);
}

#[test]
fn a_merge_creates_the_directory_of_its_output() {
    let place = place();
    place.file("a.json", MAP);
    let output = place.run("session merge a.json a.json -o none/out.json");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.out.contains("Wrote: ROOT/here/none/out.json"), "{output}");
    assert_eq!(fs::read_to_string(place.path("here/none/out.json")).unwrap(), MAP);
}

#[test]
fn a_terminal_gets_no_control_characters() {
    let mut place = Place::empty().on_terminal(80);
    place.machine.no_color = true;
    place.file("a.json", MAP.replace("Glaze batches", "Glaze \u{9b}31m batches"));
    let output = place.run("session merge a.json a.json");
    assert!(output.out.contains("Glaze \\u009b31m batches"), "{output}");
    assert!(output.out.ends_with("}\n"));
}
