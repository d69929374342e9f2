use std::fs;

use super::{MAP, map, place, read_map, write_map};
use crate::place::Place;

fn write_truncated_map(place: &Place) -> String {
    let at = MAP.find("merry-otter").unwrap();
    write_map(place, &MAP[..at]);
    read_map(place)
}

#[test]
fn repair_lists_what_can_be_recovered_and_writes_it_with_yes() {
    let place = place();
    let before = write_truncated_map(&place);
    place.check(
        "session repair",
        "
3 entries of ROOT/home/.config/opencode/mattermost-threads.json can be recovered
-- stderr
error in line 45: the file is not JSON: expected a closing quote [session-bad-json]
1 entry is truncated or unreadable, in line 42
Nothing was changed; `skein session repair --yes` repairs it and keeps the original next to the map
-- exit 0
",
    );
    assert_eq!(read_map(&place), before);
    place.check("session list", "
-- stderr
Error: ROOT/home/.config/opencode/mattermost-threads.json: the file is not JSON: expected a closing quote [session-bad-json]
Hint: `skein session repair` shows what can be recovered
-- exit 2
");
    place.check(
        "session repair --yes",
        "
Recovered 3 entries of ROOT/home/.config/opencode/mattermost-threads.json
-- stderr
error in line 45: the file is not JSON: expected a closing quote [session-bad-json]
1 entry is truncated or unreadable, in line 42
The original is kept: ROOT/home/.config/opencode/mattermost-threads.json.corrupt-20260123-143000
-- exit 0
",
    );
    let kept = place.path("home/.config/opencode/mattermost-threads.json.corrupt-20260123-143000");
    assert_eq!(place.shorten(&fs::read_to_string(kept).unwrap()), before);
    let output = place.run("session list");
    assert_eq!((output.code, output.out.lines().count()), (0, 3), "{output}");
    place.check("session repair --yes", "
The session map is valid; nothing to repair: 3 entries in ROOT/home/.config/opencode/mattermost-threads.json
-- exit 0
");
}

#[test]
fn a_map_that_was_written_twice_has_each_entry_once() {
    let place = place();
    write_map(&place, &format!("{MAP}{MAP}"));
    place.check(
        "session repair --yes",
        "
Recovered 4 entries of ROOT/home/.config/opencode/mattermost-threads.json
-- stderr
error in line 57: the file is not JSON: expected the end of the text [session-bad-json]
4 copies of entries skipped: each is kept once
The original is kept: ROOT/home/.config/opencode/mattermost-threads.json.corrupt-20260123-143000
-- exit 0
",
    );
    let output = place.run("session list --lenient");
    assert_eq!((output.code, output.out.lines().count()), (0, 4), "{output}");
}

#[test]
fn a_valid_map_is_not_changed() {
    let place = place();
    let before = fs::read(map(&place)).unwrap();
    place.check("session repair --yes", "
The session map is valid; nothing to repair: 4 entries in ROOT/home/.config/opencode/mattermost-threads.json, 1 of which is invalid
-- stderr
warning in line 42: entry 4: `shortId` must have 6 to 10 characters [session-entry]
-- exit 0
");
    assert_eq!(fs::read(map(&place)).unwrap(), before);
}

#[test]
fn a_map_without_recoverable_entries_is_reported() {
    let place = Place::empty();
    place.check(
        "session repair",
        "
-- stderr
Error: there is no session map: ROOT/home/.config/opencode/mattermost-threads.json
Hint: `skein bridge run` or an agent's chat plugin writes the map when it binds its first session
-- exit 2
",
    );
    place.file("note.txt", "hello");
    place.check("session repair --file note.txt", "
No entry of ROOT/here/note.txt can be recovered
-- stderr
error in line 1: the file is not JSON: expected a value [session-bad-json]
1 entry is truncated or unreadable, in line 1
Nothing was changed; `skein session repair --file note.txt --yes` starts an empty map and keeps the original next to the map
-- exit 0
");
    assert_eq!(fs::read_to_string(place.path("here/note.txt")).unwrap(), "hello");
    place.check(
        "session repair --file note.txt --yes",
        "
No entry could be recovered; the map is empty: ROOT/here/note.txt
-- stderr
error in line 1: the file is not JSON: expected a value [session-bad-json]
1 entry is truncated or unreadable, in line 1
The original is kept: ROOT/here/note.txt.corrupt-20260123-143000
-- exit 0
",
    );
    assert_eq!(
        fs::read_to_string(place.path("here/note.txt.corrupt-20260123-143000")).unwrap(),
        "hello"
    );
}

#[test]
fn a_byte_order_mark_is_removed_and_every_entry_is_kept() {
    let place = place();
    // Every entry is invalid, as in the map of a plugin that makes its own short ids.
    let plain = MAP.replace("\"shortId\": \"ses_", "\"shortId\": \"merry-otter-lake-");
    write_map(&place, &format!("\u{feff}{plain}"));
    let output = place.run("session repair");
    assert!(output.out.starts_with("The byte order mark can be removed from"), "{output}");
    assert!(output.err.contains("`skein session repair --yes` repairs it"), "{output}");
    let output = place.run("session repair --yes");
    assert!(output.out.starts_with("Removed the byte order mark from"), "{output}");
    assert_eq!(read_map(&place), plain);
}
