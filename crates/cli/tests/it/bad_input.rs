use crate::place::Place;

#[test]
fn a_missing_directory_is_an_error() {
    Place::empty().check(
        "-C nowhere list",
        "
-- stderr
Error: there is no such directory: ROOT/here/nowhere
Hint: run `skein` in a directory that exists, or name one with `-C DIR`
-- exit 2
",
    );
}

#[test]
fn a_deleted_current_directory_is_an_error() {
    let mut place = Place::demo();
    let demo = place.path("here/lantern").display().to_string();
    place.machine.dir = std::path::PathBuf::new();
    place.check(
        "list",
        "
-- stderr
Error: the current directory does not exist any more
Hint: run `skein` in a directory that exists, or name one with `-C DIR`
-- exit 2
",
    );
    assert_eq!(place.run(&format!("-C {demo} list")).code, 0);
}

#[test]
fn words_that_are_not_filters_are_errors() {
    let place = Place::demo();
    place.check(
        "list nonsense",
        "
-- stderr
Error: neither a kind nor a filter: nonsense
Hint: kinds are `review`, `checkpoint` and `session`; `skein list --help` shows the filters
-- exit 2
",
    );
    place.check(
        "list load-test",
        "
-- stderr
Error: a thread id is not a filter: load-test
Hint: run `skein show load-test`
-- exit 2
",
    );
    place.check(
        "list since:soon",
        "
-- stderr
Error: not a date: soon
Hint: dates are written `2w`, `yesterday` or `2026-01-23`
-- exit 2
",
    );
    place.check(
        "list --since soon",
        "
-- stderr
Error: not a date: soon
Hint: dates are written `2w`, `yesterday` or `2026-01-23`
-- exit 2
",
    );
    place.check("list colour:red", "
-- stderr
Error: there is no filter `colour`
Hint: filters are `kind:…`, `status:…`, `file:…`, `author:…`, `since:…`, `until:…`, `tag:…`, `type:…`, `branch:…`, `commit:…`, `waiting:…`
-- exit 2
");
    for (typed, meant) in
        [("is:open", "status:open"), ("is:review", "kind:review"), ("for:agent", "waiting:agent")]
    {
        let output = place.run(&format!("list {typed}")).err;
        assert!(output.ends_with(&format!("Hint: did you mean `{meant}`?\n")), "{output}");
    }
    place.check(
        "list waiting:me",
        "
-- stderr
Error: `waiting` takes reviewer, agent, or a name that a thread waits on, not `me`
Hint: `skein list --help` shows every filter
-- exit 2
",
    );
    for hint in ["list --help", "show load-test", "list since:2w"] {
        assert_eq!(place.run(hint).code, 0);
    }
}

#[test]
fn an_invalid_skein_now_is_an_error() {
    let mut place = Place::empty();
    place.machine.variables.insert("SKEIN_NOW".to_owned(), "noon".to_owned());
    place.check(
        "list",
        "
-- stderr
Error: `SKEIN_NOW` is not a time: noon
Hint: write it as `2026-01-23T14:30:52Z`
-- exit 2
",
    );
}

#[test]
fn a_store_of_another_tool_is_recognised_with_a_hint() {
    let place = Place::empty();
    place.file(".code-review/config.yaml", "rules: []\n");
    place.check(
        "",
        "
here: 0 open threads, 0 resolved; 0 checkpoints; 0 sessions

.code-review: the directory holds files of another tool and no threads
1 file cannot be used: skein doctor
-- exit 0
",
    );
    place.check(
        "list",
        "
-- stderr
There are no threads here yet. Run `skein` to see what to try.
1 problem found; run `skein doctor` for details
-- exit 0
",
    );
    place.check("doctor", "
.code-review: error [store-foreign]
    the directory holds files of another tool and no threads
    Set `review.storage_path` to another directory in this repository: `skein config set --repository review.storage_path .skein-review`.

1 error, 0 warnings in 0 threads.
-- exit 1
");
    let output = place.run("doctor");
    let hint = output.out.split('`').nth(3).unwrap().strip_prefix("skein ").unwrap();
    assert_eq!(place.run(hint).code, 0, "{hint}");
    assert_eq!(place.run("doctor").code, 0);
    let kept = place.path("here/.code-review/config.yaml");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "rules: []\n");
}

#[test]
fn files_that_cannot_be_read_do_not_hide_the_others() {
    let place = Place::demo();
    std::fs::create_dir(place.path("here/lantern/.code-review/threads/folder.md")).unwrap();
    std::fs::remove_file(place.path("here/lantern/sessions/mattermost-threads.json")).unwrap();
    std::fs::create_dir(place.path("here/lantern/sessions/mattermost-threads.json")).unwrap();
    let output = place.run("list");
    assert_eq!((output.code, output.out.lines().count()), (0, 19));
    assert_eq!(output.err, "3 problems found; run `skein doctor` for details\n");
    place.check("doctor", "
.code-review/threads/folder.md: error [file-unreadable]
    the file cannot be read: not a regular file
    Check its permissions, and that it is a file.
.code-review/threads/half-written.md: error [review-no-metadata]
    there is no closed metadata block
    Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line.
sessions/mattermost-threads.json: error [file-unreadable]
    the session map cannot be read: not a regular file

3 errors, 0 warnings in 19 threads.
-- exit 1
");
    place.check(
        "show folder",
        "
folder  cannot be used
review folder
in ROOT/here/lantern/.code-review/threads/folder.md
error: the file cannot be read: not a regular file [file-unreadable]
  Check its permissions, and that it is a file.
-- exit 0
",
    );
}

#[test]
fn doctor_reports_a_thread_directory_that_cannot_be_listed() {
    let place = Place::demo();
    std::fs::remove_dir_all(place.path("here/lantern/workspace/threads")).unwrap();
    place.file("workspace/threads", "a file stands here");
    let output = place.run("doctor");
    assert_eq!(output.code, 1);
    assert!(output.out.contains("workspace/threads: error [store-unreadable]"), "{}", output.out);
}

#[test]
fn a_file_in_place_of_the_settings_directory_is_an_error() {
    let place = Place::empty();
    std::fs::write(place.path("home/.config"), "").unwrap();
    place.check(
        "config set color never",
        "
-- stderr
Error: the setting could not be written
Caused by: cannot create the directory ROOT/home/.config/skein
Caused by: Not a directory (os error 20)
Hint: expected a directory but found a file; move it
-- exit 2
",
    );
}

#[test]
fn threads_are_listed_in_a_broken_repository() {
    let place = Place::demo();
    std::fs::remove_dir_all(place.path("here/lantern/.git")).unwrap();
    place.file(".git", "gitdir: nowhere\n");
    let output = place.run("list review");
    assert_eq!((output.code, output.out.lines().count()), (0, 13));
    let output = place.run("doctor");
    assert!(output.out.contains(".git: warning [git-broken]"), "{}", output.out);
}

/// All commands, with words and with flags, report the same error for a value that no thread can have.
#[test]
fn an_unknown_filter_value_is_an_error_with_the_nearest_known_value() {
    let place = Place::demo();
    let statuses = "open, resolved, taken, done, cancelled, idle, loading, executing, verifying, \
                    completed, error, active, ended, disconnected or orphaned";
    let error =
        format!("Error: `status` takes {statuses}, not `opn`\nHint: did you mean `status:open`?\n");
    for words in
        ["list status:opn", "list --status opn", "watch status:opn", "search cache --status opn"]
    {
        let output = place.run(words);
        assert_eq!((output.code, output.err.as_str()), (2, error.as_str()), "{words}");
    }
    let output = place.run("search status:opn");
    assert_eq!(output.code, 2);
    assert!(output.err.starts_with(error.trim_end()), "{output}");
    for (words, output) in [
        ("list status:foo", "`status` takes"),
        ("list kind:reviw", "Hint: did you mean `kind:review`?"),
        ("list waiting:agnet", "Hint: did you mean `waiting:agent`?"),
        ("list --waiting agnet", "Hint: did you mean `waiting:agent`?"),
        ("list type:handof", "Hint: did you mean `type:handoff`?"),
        ("list --type handof", "`type` takes checkpoint, auto, auto-checkpoint or handoff"),
        ("search type:handof", "Hint: did you mean `type:handoff`?"),
        ("list review status:ended", "`status` takes open or resolved, not `ended`"),
        ("review list status:ended", "`status` takes open or resolved, not `ended`"),
        ("review check status:opn", "Hint: did you mean `status:open`?"),
        ("search kind:review status:ended", "`status` takes open or resolved, not `ended`"),
    ] {
        let found = place.run(words);
        assert_eq!(found.code, 2, "{words}: {found}");
        assert!(found.err.contains(output), "{words}: {found}");
        assert!(found.out.is_empty(), "{words}: {found}");
    }
    for words in ["list status:open", "list status:Resolved", "list type:auto", "list type:handoff"]
    {
        assert_eq!(place.run(words).code, 0, "{words}");
    }
}

/// Other programs write checkpoints with their own types and statuses.
#[test]
fn a_custom_type_or_status_of_a_checkpoint_is_a_valid_filter_value() {
    let place = Place::demo();
    let output = place.run("list type:session");
    assert_eq!(output.code, 2, "{output}");
    place.file(
        "workspace/threads/T-20260123-120000-other.json",
        r#"{"thread_id": "T-20260123-120000-other", "version": 1, "type": "session", "status": "parked",
            "created_at": "2026-01-23T12:00:00.000Z", "updated_at": "2026-01-23T12:00:00.000Z"}"#,
    );
    for words in ["list type:session", "list status:parked", "search type:session"] {
        let output = place.run(words);
        assert_eq!(output.code, 0, "{words}: {output}");
        assert!(output.out.contains("other"), "{words}: {output}");
    }
}

#[test]
fn a_negative_limit_or_offset_is_an_error() {
    let place = Place::demo();
    for words in ["search cache --limit -1", "list --limit -1", "search cache --offset -1"] {
        let output = place.run(words);
        assert_eq!(output.code, 2, "{words}");
        assert!(output.err.contains("invalid value '-1' for"), "{words}: {output}");
        assert!(output.err.contains("it takes a number, such as 20"), "{words}: {output}");
    }
}

#[test]
fn an_ambiguous_id_lists_the_location_the_title_and_the_typed_command() {
    let mut place = Place::demo();
    let output = place.run("show src/http.rs");
    assert!(output.err.contains("\n  skein show "), "{output}");
    assert!(output.err.contains("  (review src/http.rs:"), "{output}");
    let output = place.run("review resolve src/http.rs");
    assert!(output.err.contains("\n  skein review resolve "), "{output}");
    place.file("a.md", "");
    let threads = place.machine.dir.join(".code-review/threads");
    let mut names: Vec<String> = std::fs::read_dir(&threads)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    // Two copies of a thread, with ids that have a common prefix.
    let text = std::fs::read_to_string(threads.join(&names[0])).unwrap();
    for id in ["twin-one", "twin-two"] {
        let old = names[0].trim_end_matches(".md");
        std::fs::write(threads.join(format!("{id}.md")), text.replace(old, id)).unwrap();
    }
    place.machine.variables.insert("SKEIN_AUTHOR".to_owned(), "Ada".to_owned());
    let output = place.run("review reply twin -m Yes");
    assert_eq!(output.code, 2, "{output}");
    assert!(output.err.contains("  skein review reply twin-one -m Yes  (review "), "{output}");
    assert!(output.err.contains("  skein review reply twin-two -m Yes  (review "), "{output}");
}

#[test]
fn text_without_the_message_option_gets_a_hint_to_use_it() {
    let place = Place::demo();
    for args in [
        &["review", "reply", "a", "some text"][..],
        &["review", "add", "README.md:3", "some text"],
        &["handoff", "some text"],
        &["checkpoint", "save", "slug", "some text"],
    ] {
        let output = place.run_args(args);
        assert_eq!(output.code, 2, "{args:?}");
        let hint = "Hint: put the text after `-m`, in quotation marks\n";
        assert!(output.err.ends_with(hint), "{args:?}: {}", output.err);
        assert_eq!(output.err.matches("Hint:").count(), 1, "{args:?}: {}", output.err);
    }
}

#[test]
fn an_unknown_command_gets_a_hint_with_the_right_command() {
    let place = Place::empty();
    for (word, hint) in [
        ("status", "`skein` without a command shows what is waiting and on whom"),
        ("comment", "`skein review add FILE:LINE -m TEXT` comments on a line"),
        ("reply", "did you mean `skein review reply`?"),
        ("save", "did you mean `skein checkpoint save`?"),
    ] {
        let output = place.run(word);
        assert_eq!(output.code, 2, "{word}");
        assert!(output.err.ends_with(&format!("Hint: {hint}\n")), "{word}: {}", output.err);
        assert!(!output.err.contains("similar"), "{word}: {}", output.err);
    }
    for (line, hint) in [
        ("list --open", "`--status open` selects open threads"),
        (
            "list --mine",
            "`--waiting reviewer` selects threads that wait on you, `--author NAME` those in which you wrote",
        ),
        ("review ls", "`skein review list` lists them"),
        ("session ls", "`skein session list` lists them"),
        ("ls", "`skein list` lists the threads"),
        ("steps --nonsense", "`--help` shows more"),
    ] {
        let output = place.run(line);
        assert_eq!(output.code, 2, "{line}");
        assert!(output.err.ends_with(&format!("Hint: {hint}\n")), "{line}: {}", output.err);
        assert_eq!(output.err.matches("Hint:").count(), 1, "{line}: {}", output.err);
    }
    // A mistyped command still gets the nearest one as a suggestion.
    assert!(place.run("revew").err.contains("review"));
}

#[test]
fn line_numbers_in_url_style_are_accepted_and_a_mistyped_file_gets_a_hint() {
    let place = Place::empty();
    place.file("src/helpers.py", "one\ntwo\nthree\nfour\nfive\n");
    for (text, at) in [
        ("src/helpers.py#L3", "src/helpers.py:3"),
        ("src/helpers.py:L4", "src/helpers.py:4"),
        ("src/helpers.py#L1-L2", "src/helpers.py:1-2"),
    ] {
        let output = place.run_args(&["review", "add", text, "-m", "x", "--new-store"]);
        assert!(output.out.starts_with(&format!("Added a comment on {at} ")), "{text}: {output}");
        let output = place.run_args(&["review", "show", text]);
        assert!(output.out.contains(at), "{text}: {output}");
    }
    let check = |text: &str, error: &str| {
        let output = place.run_args(&["review", "add", text, "-m", "x"]);
        assert_eq!((output.code, output.err.as_str()), (2, error), "{text}");
    };
    check(
        "src/helpers.py:3,5",
        "Error: lines are counted from 1, the first before the last: src/helpers.py:3,5\nHint: write it as `src/a.rs:12` or `src/a.rs:12-14`\n",
    );
    check(
        "src/helper.py:3",
        "Error: there is no such file: src/helper.py\nHint: did you mean `src/helpers.py`?\n",
    );
    check(
        ".",
        "Error: a comment needs a file, and this is a directory: .\nHint: name a file in it: `./FILE:LINE`\n",
    );
}
