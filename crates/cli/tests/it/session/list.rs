use std::fs;

use super::{MAP, map, place, read_map, write_map};
use crate::place::Place;

#[test]
fn the_last_active_session_is_first_and_a_missing_directory_is_marked() {
    place().check(
        "session list",
        "
ses_4f1c9  ses_4f1c  active        kiln                   4m  post_8d2k  Glaze batches
ses_4f1ca  ses_4f1c  disconnected  loom (directory gone)  1h  post_2n7c
ses_91d0             ended         kiln                   2d  post_5t1v
-- stderr
1 entry of the map is invalid and skipped; `--lenient` shows it, `skein doctor` shows the problem
-- exit 0
",
    );
}

#[test]
fn a_lenient_list_includes_invalid_entries() {
    place().check(
        "session list --lenient",
        "
ses_4f1c9  ses_4f1c          active        kiln                   4m   post_8d2k  Glaze batches
ses_b      merry-otter-lake  active        kiln*                  10m  post_6y4u
ses_4f1ca  ses_4f1c          disconnected  loom (directory gone)  1h   post_2n7c
ses_91d0                     ended         kiln                   2d   post_5t1v
-- stderr
1 entry of the map is invalid and still shown, marked `*`; `skein doctor` shows the problem
-- exit 0
",
    );
    let place = place();
    assert_eq!(place.run("config set session.lenient true").code, 0);
    place.check(
        "session list --status active",
        "
ses_4f1c9  ses_4f1c          active  kiln   4m   post_8d2k  Glaze batches
ses_b      merry-otter-lake  active  kiln*  10m  post_6y4u
-- exit 0
",
    );
    let output = place.run("");
    assert!(
        !output.out.contains("warning"),
        "entries that the user asked for cause no warning: {output}"
    );
}

/// A map whose short ids are shorter than the contract allows.
#[test]
fn a_list_whose_entries_are_all_skipped_is_not_called_empty() {
    let place = Place::empty();
    write_map(&place, &MAP.replace("\"ses_4f1c\"", "\"fox\"").replace("\"ses_91d0\"", "\"ses\""));
    place.check("session list", "
-- stderr
4 entries of the map are invalid and skipped; `--lenient` shows them, `skein doctor` shows the problem
To always include invalid entries: `skein config set session.lenient true`
-- exit 0
");
    place.check(
        "list session",
        "
-- stderr
4 sessions skipped (invalid entries); `--lenient` shows them
-- exit 0
",
    );
    place.check(
        "",
        "
here: 0 open threads, 0 resolved; 0 checkpoints; 0 sessions

Sessions bound to chat
  4 skipped (invalid entries): skein session list --lenient
  next: skein review add FILE:LINE -m TEXT; skein checkpoint save -m TEXT

There are warnings: skein doctor
-- exit 0
",
    );
    let output = place.run("session repair");
    assert!(
        output.out.contains(": 4 entries in ") && output.out.contains(", 4 of which"),
        "{output}"
    );
    assert_eq!(place.run("config set session.lenient true").code, 0);
    assert_eq!(place.run("session list").out.lines().count(), 4);
}

#[test]
fn filters_narrow_the_list() {
    let place = place();
    place.check(
        "session list --status ended",
        "
ses_91d0  ended  kiln  2d  post_5t1v
-- stderr
1 entry of the map is invalid and skipped; `--lenient` shows it, `skein doctor` shows the problem
-- exit 0
",
    );
    place.check(
        "session list --project loom",
        "
ses_4f1ca  ses_4f1c  disconnected  loom (directory gone)  1h  post_2n7c
-- stderr
1 entry of the map is invalid and skipped; `--lenient` shows it, `skein doctor` shows the problem
-- exit 0
",
    );
    place.check(
        "session list --user user_tom --status active",
        "
-- stderr
No sessions match. `skein session list` shows all of them.
1 entry of the map is invalid and skipped; `--lenient` shows it, `skein doctor` shows the problem
-- exit 0
",
    );
    place.check(
        "session list --status stoped",
        "
-- stderr
Error: a session cannot be `stoped`
Hint: it is `active`, `disconnected`, `orphaned` or `ended`
-- exit 2
",
    );
    place.check(
        "session list --status stoped --lenient",
        "
-- stderr
Error: a session cannot be `stoped`
Hint: it is `active`, `disconnected`, `orphaned` or `ended`
-- exit 2
",
    );
    write_map(&place, &MAP.replace("\"status\": \"ended\"", "\"status\": \"parked\""));
    let output = place.run("session list --status parked --lenient");
    assert_eq!((output.code, output.out.lines().count()), (0, 1), "{output}");
}

#[test]
fn warnings_about_the_map_are_counted() {
    let place = place();
    write_map(
        &place,
        &format!(
            "\u{feff}{}",
            MAP.replace("\"dmChannelId\": \"\"", "\"dmChannelId\": \"c\"")
                .replace("merry-otter-lake", "ses_b7e2")
        ),
    );
    let output = place.run("session list");
    assert_eq!(output.err, "1 warning about the session map; see `skein doctor`\n");
}

#[test]
fn an_empty_map_says_what_bound_to_chat_means() {
    let place = Place::empty();
    place.check("session list", "
-- stderr
No session is bound to chat. `skein bridge run` or an agent's chat plugin binds one by giving it a thread: messages in the thread go to the session.
The map would be ROOT/home/.config/opencode/mattermost-threads.json
-- exit 0
");
    place.check(
        "list session",
        "
-- stderr
There are no threads here yet. Run `skein` to see what to try.
-- exit 0
",
    );
    assert!(!place.path("home/.config").exists(), "reading creates nothing");
    write_map(
        &place,
        r#"{"version": 1, "mappings": [], "lastModified": "2026-01-23T14:26:00.000Z"}"#,
    );
    place.check("session list", "
-- stderr
No session is bound to chat. `skein bridge run` or an agent's chat plugin binds one by giving it a thread: messages in the thread go to the session.
The map is ROOT/home/.config/opencode/mattermost-threads.json
-- exit 0
");
}

#[test]
fn another_map_can_be_named_relative_to_the_current_directory() {
    let place = Place::empty();
    place.file("maps/one.json", MAP);
    let output = place.run("session list --file maps/one.json");
    assert_eq!((output.code, output.out.lines().count()), (0, 3), "{output}");
    assert!(
        output.err.contains("`skein session repair --file maps/one.json` shows the problem"),
        "{output}"
    );
    let output = place.run("session show ses_91 --file one.json -C maps");
    assert_eq!(output.code, 0, "{output}");
    place.check(
        "session list --file none.json",
        "
-- stderr
Error: there is no such file: ROOT/here/none.json
Hint: check the path: `ls ROOT/here`
-- exit 2
",
    );
}

#[test]
fn a_narrow_terminal_gets_short_cells() {
    let mut place = place().on_terminal(80);
    place.machine.no_color = true;
    write_map(
        &place,
        &MAP.replace("post_8d2k", "k3w8x1q7r5t9y2u4i6o0p8a1sd").replace("/nowhere", "~"),
    );
    let output = place.run("session list --lenient");
    assert_eq!(
        output.out,
        "\
ID         SHORT         STATUS        PROJECT      ACTIVE  TITLE
ses_4f1c9  ses_4f1c      active        kiln         4m      Glaze batches
ses_b      merry-otter…  active        kiln*        10m
ses_4f1ca  ses_4f1c      disconnected  loom (gone)  1h
ses_91d0                 ended         kiln         2d
"
    );
    let mut place = place;
    for width in [40, 60, 100] {
        place.machine.width = Some(width);
        let output = place.run("session list --lenient");
        assert!(output.out.lines().all(|line| line.chars().count() <= width), "{output}");
    }
    assert!(place.run("session list").out.contains("k3w8x1q7r5t…"), "100 columns have room");
    place.machine.width = Some(120);
    let output = place.run("session list --lenient");
    assert!(output.out.contains("k3w8x1q7r5t9y2u4i6o0p8a1sd"), "{output}");
}

#[test]
fn secrets_are_not_shown_and_controls_do_not_reach_the_terminal() {
    let place = place();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    write_map(&place, &MAP.replace("Glaze batches", &format!("{token} \\u001b[31m")));
    for words in ["session list", "session show ses_4f1c9a", "session list --json", ""] {
        let output = place.run(words);
        assert_eq!(output.code, 0, "{output}");
        assert!(output.out.contains("[REDACTED:"), "{output}");
        assert!(!output.out.contains(token) && !output.out.contains("^[["), "{output}");
    }
    assert!(fs::read_to_string(map(&place)).unwrap().contains(token));
}

#[test]
fn an_unknown_project_or_user_lists_the_known_ones() {
    let place = place();
    let check = |words: &str, answer: &str| {
        let output = place.run(words);
        assert_eq!(output.err.lines().next(), Some(answer), "{output}");
    };
    check(
        "session list --project Kiln",
        "No sessions match; the map has these projects: `kiln`, `loom`",
    );
    check(
        "session list --user mira",
        "No sessions match; the map has these users: `user_mira`, `user_tom`",
    );
    check(
        "session list --project loom --status ended",
        "No sessions match. `skein session list` shows all of them.",
    );
}

#[test]
fn a_hint_names_the_given_map() {
    let place = place();
    fs::copy(map(&place), place.path("here/other.json")).unwrap();
    let check = |words: &str, hint: &str| {
        let output = place.run(words);
        assert!(output.err.contains(&format!("`{hint}` ")), "{output}");
        let next = place.run(hint.trim_start_matches("skein "));
        assert_eq!(next.code, 0, "{next}");
    };
    let all = "skein session list --file other.json --lenient";
    check("session show zzzz --file other.json", all);
    check("session list --status orphaned --lenient --file other.json", all);
    check(
        "session set ses_91 status=active --file other.json",
        "skein session show ses_91d07f32b6 --file other.json",
    );
}

#[test]
fn the_prefix_of_a_thread_id_suggests_its_session() {
    place().check(
        "session show post_8d",
        "
-- stderr
Error: no such session: post_8d
Hint: did you mean `ses_4f1c9a7be2`?
-- exit 2
",
    );
}

#[test]
fn show_accepts_every_id_of_a_session() {
    let place = place();
    for id in ["ses_4f1c9", "post_8d2k"] {
        let output = place.run(&format!("show {id}"));
        assert!(output.out.starts_with("Glaze batches"), "{output}");
    }
    assert_eq!(place.run("show --lenient merry-otter-lake").code, 0);
    place.check(
        "show merry-otter-lake",
        "
-- stderr
Error: the entry of this session is invalid and was skipped: ses_b7e25c90d8
Hint: use `--lenient` to include it anyway; `skein doctor` shows the problem
-- exit 2
",
    );
    place.check(
        "show nobody",
        "
-- stderr
Error: no thread has this id: nobody
Hint: run `skein list` to see every thread
-- exit 2
",
    );
}

#[test]
fn one_session_is_shown() {
    let place = place();
    place.check(
        "session show ses_4f1c9a",
        "
Glaze batches  active
session ses_4f1c9a7be2
started 1h ago, last active 4m ago, in ROOT/home/.config/opencode/mattermost-threads.json

short id   ses_4f1c
project    kiln
directory  ROOT/here
thread     post_8d2k
channel    chan_mira
user       user_mira
-- exit 0
",
    );
    place.check(
        "session show post_2n7c",
        "
loom  disconnected
session ses_4f1caa03c7
started 1h ago, last active 1h ago, in ROOT/home/.config/opencode/mattermost-threads.json

short id   ses_4f1c
project    loom
directory  /nowhere/loom (gone)
thread     post_2n7c
channel    chan_tom
user       user_tom
-- exit 0
",
    );
    assert_eq!(place.run("session show ses_4f1c9a").out, place.run("show ses_4f1c9a").out);
}

#[test]
fn the_overview_has_running_sessions_and_counts_the_others() {
    let place = place();
    let overview = "";
    place.check(
        overview,
        "
here: 0 open threads, 0 resolved; 0 checkpoints; 3 sessions

Sessions bound to chat
  ses_4f1c9  kiln    4m  Glaze batches
  1 disconnected: skein session list
  1 skipped (invalid entries): skein session list --lenient

There are warnings: skein doctor
-- exit 0
",
    );
    write_map(&place, &MAP.replace("ROOT/here", "/nowhere/kiln"));
    let output = place.run(overview);
    assert!(
        output.out.contains("ses_4f1c9  kiln (directory gone)    4m  Glaze batches\n"),
        "{output}"
    );
    write_map(&place, &MAP.replace(r#""status": "active""#, r#""status": "orphaned""#));
    place.check(
        overview,
        "
here: 0 open threads, 0 resolved; 0 checkpoints; 3 sessions

Sessions bound to chat
  1 disconnected, 1 orphaned: skein session list
  1 skipped (invalid entries): skein session list --lenient
  next: skein review add FILE:LINE -m TEXT; skein checkpoint save -m TEXT

There are warnings: skein doctor
-- exit 0
",
    );
}

#[test]
fn with_more_invalid_entries_than_findings_the_count_is_a_minimum() {
    let place = place();
    let entry = |n: usize| format!(r#"{{"sessionId": "ses_{n}", "threadRootPostId": "post_{n}"}}"#);
    let list = |entries: Vec<String>| {
        let entries = entries.join(",");
        format!(
            r#"{{"version": 1, "mappings": [{entries}], "lastModified": "2026-01-23T14:26:00.000Z"}}"#
        )
    };
    write_map(&place, &list((0..60).map(entry).collect()));
    place.check("session list", "
-- stderr
At least 50 entries of the map are invalid and skipped; `--lenient` shows them, `skein doctor` shows the problem
To always include invalid entries: `skein config set session.lenient true`
-- exit 0
");
    let output = place.run("list session");
    assert!(output.err.starts_with("At least 50 sessions skipped"), "{output}");
    let output = place.run("");
    assert!(output.out.contains("  At least 50 skipped (invalid entries)"), "{output}");
    let output = place.run("session repair");
    assert!(output.out.contains(": 60 entries in"), "{output}");
    assert!(output.out.contains(", at least 50 of which are invalid"), "{output}");
    let output = place.run("session list --lenient");
    assert_eq!(output.out.lines().count(), 60, "{output}");
    assert!(output.err.starts_with("At least 50 entries of the map are invalid"), "{output}");
    let at = MAP.find('{').unwrap() + MAP[1..].find('{').unwrap() + 1;
    let one = &MAP[at..=at + MAP[at..].find('}').unwrap()];
    write_map(&place, &list(vec![one.to_owned(); 60]));
    let output = place.run("session list");
    let expected = "At least 50 warnings about the session map; see `skein doctor`\n";
    assert_eq!((output.out.lines().count(), output.err.as_str()), (1, expected), "{output}");
}

/// The short ids that OpenCode gives to sessions are mostly longer than the contract allows.
#[test]
fn a_session_with_a_long_short_id_is_shown_with_a_mark() {
    let place = place();
    write_map(&place, &MAP.replace("\"dmChannelId\": \"\"", "\"dmChannelId\": \"chan_mira\""));
    place.check(
        "session list --status active",
        "
ses_4f1c9  ses_4f1c          active  kiln   4m   post_8d2k  Glaze batches
ses_b      merry-otter-lake  active  kiln*  10m  post_6y4u
-- stderr
1 entry of the map is invalid and still shown, marked `*`; `skein doctor` shows the problem
-- exit 0
",
    );
    place.check(
        "list session status:active",
        "
ses_4f1c9  active  kiln   4m   Glaze batches
ses_b      active  kiln*  10m  kiln
-- stderr
* the entry in the session map is invalid; `skein doctor` shows which rule
-- exit 0
",
    );
    let output = place.run("show merry-otter-lake");
    let rule = "invalid    `shortId` must have 6 to 10 characters\n";
    assert!(output.out.ends_with(rule), "{output}");
    let output = place.run("");
    assert!(output.out.contains("kiln*"), "{output}");
    assert!(output.out.contains("* the entry in the session map is invalid"), "{output}");
    assert!(!output.out.contains("left out"), "{output}");
    let output = place.run("search kind:session merry-otter-lake");
    assert!(output.out.contains("kiln*"), "{output}");
    let output = place.run("list session status:active --json");
    assert!(
        output.out.contains(r#""breach":"`shortId` must have 6 to 10 characters""#),
        "{output}"
    );
    assert_eq!(place.run("session set ses_b status=ended").code, 0);
    assert!(read_map(&place).contains("merry-otter-lake"));
}
