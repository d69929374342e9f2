use std::fs;

use super::{MAP, map, place, read_map, write_map};

/// Returns the lines that a change removed and added.
fn changed(before: &str, after: &str) -> String {
    let removed = before.lines().filter(|line| !after.lines().any(|other| other == *line));
    let added = after.lines().filter(|line| !before.lines().any(|other| other == *line));
    let removed = removed.map(|line| format!("-{}\n", line.trim()));
    removed.chain(added.map(|line| format!("+{}\n", line.trim()))).collect()
}

#[test]
fn ending_a_session_changes_nothing_else() {
    let place = place();
    let before = read_map(&place);
    place.check(
        "session set ses_4f1c9a status=ended",
        "
Changed ses_4f1c9a7be2: status is ended, endedAt is 2026-01-23T14:30:00.000Z
-- exit 0
",
    );
    assert_eq!(
        changed(&before, &read_map(&place)),
        "\
-\"lastActivityAt\": \"2026-01-23T14:26:00.000Z\"
-\"lastModified\": \"2026-01-23T14:26:00.000Z\"
+\"lastActivityAt\": \"2026-01-23T14:30:00.000Z\",
+\"endedAt\": \"2026-01-23T14:30:00.000Z\"
+\"lastModified\": \"2026-01-23T14:30:00.000Z\"
"
    );
    place.check(
        "session set ses_4f1c9a status=active",
        "
-- stderr
Error: the session has ended and cannot be changed: ses_4f1c9a7be2
Hint: `ended` is final; `skein session show ses_4f1c9a7be2` shows since when
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a status=ended",
        "
Unchanged: ses_4f1c9a7be2
-- exit 0
",
    );
}

#[test]
fn fields_are_named_by_their_short_names_or_their_keys() {
    let place = place();
    let args = ["session", "set", "ses_4f1caa", "title=Warp and weft", "projectName=Loom"];
    let output = place.run_args(&[&args[..], &["directory=.", "thread=post_new"]].concat());
    assert_eq!(output.to_string(), "\
Changed ses_4f1caa03c7: title is Warp and weft, project is Loom, directory is ROOT/here, thread is post_new
-- exit 0
");
    place.check(
        "session set ses_4f1caa session_title= directory=~/gone",
        "
Changed ses_4f1caa03c7: title is empty, directory is ROOT/home/gone
-- stderr
Warning: there is no such directory: ROOT/home/gone
-- exit 0
",
    );
}

#[test]
fn a_value_that_is_already_set_is_not_written() {
    let place = place();
    let before = fs::metadata(map(&place)).unwrap().modified().unwrap();
    place.check(
        "session set ses_4f1c9a status=active",
        "
Unchanged: ses_4f1c9a7be2
-- exit 0
",
    );
    assert_eq!(fs::metadata(map(&place)).unwrap().modified().unwrap(), before);
}

#[test]
fn a_session_is_named_by_its_thread_or_its_short_id() {
    let place = place();
    for name in ["post_5t1v", "ses_91d0", "ses_9", "ses_91d07f32b6"] {
        let output = place.run(&format!("session set {name} project={name}"));
        assert!(output.out.starts_with("Changed ses_91d07f32b6: "), "{output}");
    }
}

#[test]
fn an_ambiguous_unknown_or_invalid_session_is_refused() {
    let place = place();
    place.check(
        "session set ses_4f1c status=ended",
        "
-- stderr
Error: ambiguous session id: ses_4f1c
Hint: name one of them:
  ses_4f1c9a7be2  (active, kiln, 4m, Glaze batches)
  ses_4f1caa03c7  (disconnected, loom, 1h)
-- exit 2
",
    );
    place.check(
        "session set ses_4f1d status=ended",
        "
-- stderr
Error: no such session: ses_4f1d
Hint: did you mean `ses_4f1c9a7be2` or `ses_4f1caa03c7`?
-- exit 2
",
    );
    place.check(
        "session set nothing-like-it status=ended",
        "
-- stderr
Error: no such session: nothing-like-it
Hint: `skein session list --lenient` shows every session
-- exit 2
",
    );
    place.check(
        "session set ses_b7 status=ended",
        "
-- stderr
Error: the entry of this session is invalid and was skipped: ses_b7e25c90d8
Hint: use `--lenient` to include it anyway; `skein doctor` shows the problem
-- exit 2
",
    );
    place.check(
        "session set ses_b7 status=ended --lenient",
        "
Changed ses_b7e25c90d8: status is ended, endedAt is 2026-01-23T14:30:00.000Z
-- exit 0
",
    );
    assert!(read_map(&place).contains(r#""model": { "name": "echo" }"#));
}

#[test]
fn a_wrong_field_changes_nothing() {
    let place = place();
    let before = read_map(&place);
    place.check(
        "session set ses_4f1c9a staus=ended",
        "
-- stderr
Error: a session has no field `staus`
Hint: did you mean `status=`? fields are `status`, `title`, `project`, `directory` and `thread`
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a colour=red",
        "
-- stderr
Error: a session has no field `colour`
Hint: fields are `status`, `title`, `project`, `directory` and `thread`
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a shortId=otter",
        "
-- stderr
Error: `shortId` identifies the session and cannot be changed
Hint: fields are `status`, `title`, `project`, `directory` and `thread`
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a ended",
        "
-- stderr
Error: not a field with its value: ended
Hint: write it as `status=ended`
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a otter",
        "
-- stderr
Error: not a field with its value: otter
Hint: write it as `status=ended`; fields are `status`, `title`, `project`, `directory` and `thread`
-- exit 2
",
    );
    assert_eq!(read_map(&place), before);
    assert_eq!(place.run("session set ses_4f1c9a").code, 2);
}

#[test]
fn a_wrong_value_changes_nothing() {
    let place = place();
    let before = read_map(&place);
    place.check(
        "session set ses_4f1c9a status=endde",
        "
-- stderr
Error: a session cannot be `endde`
Hint: did you mean `ended`? it is `active`, `disconnected`, `orphaned` or `ended`
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a status=",
        "
-- stderr
Error: `status` must not be empty
Hint: give it a value: `status=VALUE`
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a project=",
        "
-- stderr
Error: `project` must not be empty
Hint: give it a value: `project=VALUE`
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a title=a title=b",
        "
-- stderr
Error: `title` is given twice
Hint: give `title` once
-- exit 2
",
    );
    place.check(
        "session set ses_4f1c9a endedAt=yesterday",
        "
-- stderr
Error: `endedAt` takes a time such as 2026-01-15T14:30:00.000Z: yesterday
Hint: write it as `endedAt=2026-01-15T14:30:00Z`
-- exit 2
",
    );
    assert_eq!(read_map(&place), before);
}

#[test]
fn a_map_that_cannot_be_used_is_not_written() {
    let place = place();
    for text in [MAP.replace(r#""version": 1"#, r#""version": 2"#), MAP[..900].to_owned()] {
        write_map(&place, &text);
        let before = read_map(&place);
        assert_eq!(place.run("session set ses_4f1c9a title=x").code, 2);
        assert_eq!(read_map(&place), before);
    }
}

#[test]
fn a_hint_names_the_given_map() {
    let place = place();
    fs::copy(map(&place), place.path("here/other.json")).unwrap();
    fs::remove_file(map(&place)).unwrap();
    let check = |command: &str, hint: &str| {
        let output = place.run(&format!("{command} --file other.json"));
        assert!(output.err.contains(hint), "{output}");
        let (_, rest) = hint.split_once("`skein ").unwrap();
        let (works, _) = rest.split_once('`').unwrap();
        assert_eq!(place.run(works).code, 0, "{works}");
    };
    check(
        "session set ses_91 status=active",
        "`skein session show ses_91d07f32b6 --file other.json` shows since when",
    );
    check(
        "session show zzz",
        "`skein session list --file other.json --lenient` shows every session",
    );
    check(
        "session list --status orphaned --project kiln",
        "`skein session list --file other.json` shows all of them",
    );
}
