use crate::place::Place;

#[test]
fn a_fresh_directory_gets_commands_to_try() {
    let place = Place::empty();
    place.check(
        "",
        "
There are no threads here yet. Skein stores review threads in .code-review/ and checkpoints in
workspace/threads/. What to try:

  skein serve --demo                     look at a review in the browser
  skein review add FILE:LINE -m TEXT     comment on a line of code
  skein review --help                    see how a review works
  skein checkpoint save -m TEXT          save a checkpoint for the next session
  skein init                             set up the agents that are found here

No agent session is bound to chat, that is, controlled from a chat thread: skein session --help
-- exit 0
",
    );
    for command in
        ["serve --help", "review --help", "checkpoint save --help", "init --help", "session --help"]
    {
        assert_eq!(place.run(command).code, 0);
    }
}

#[test]
fn when_nothing_waits_the_next_commands_are_printed() {
    let place = Place::empty();
    assert_eq!(place.run("init").code, 0);
    place.check(
        "",
        "
here: 0 open threads, 0 resolved; 0 checkpoints; 0 sessions
  next: skein review add FILE:LINE -m TEXT; skein checkpoint save -m TEXT
  No agent session is bound to chat, that is, controlled from a chat thread: skein session --help
-- exit 0
",
    );
    place.check(
        "list",
        "
-- stderr
There are no threads here yet. Run `skein` to see what to try.
-- exit 0
",
    );
    assert_eq!(place.run("checkpoint save -m Done").code, 0);
    place.check(
        "",
        "
here: 0 open threads, 0 resolved; 1 checkpoint; 0 sessions
  next: skein resume; skein list; skein checkpoint save -m TEXT --step TEXT
  No agent session is bound to chat, that is, controlled from a chat thread: skein session --help
-- exit 0
",
    );
    for (words, text) in [
        ("steps tag:none", "No steps match. `skein steps` lists the open steps of all work."),
        ("steps", "No open steps. Use `skein steps list --all` to include closed ones."),
        ("list tag:none", "No threads match."),
        (
            "review list",
            "There are no review threads here. `skein review add FILE:LINE -m TEXT` starts one.",
        ),
        ("review list --drafts", "There are no drafts here."),
    ] {
        place.check(words, &format!("-- stderr\n{text}\n-- exit 0\n"));
    }
}

#[test]
fn the_overview_groups_threads_by_whom_they_wait_on() {
    Place::demo().check("", "
lantern (main): 9 open threads, 3 resolved; 5 checkpoints; 4 sessions

Waiting on the reviewer (4)
  b21d  src/cache.rs:32-34        55m  `unwrap` on an empty cache panics when the limit is 0.
  7f3a  src/cache.rs:19-21        58m  This lets one entry too many in: with `>` the cache holds `limit + 1`.
  6c5d  src/http.rs:14 (edited)    3h  This is no HTTP. Is that meant?
  2d7c  README.md:3                3d  Say how to run it.

Waiting on an agent (5)
  1a55  web/board.ts:8-10    1h  `innerHTML` with data from outside. Use `textContent`.
  93fe  web/board.ts         4h  There is no test for this file at all.
  e86b  web/board.ts:4       5h  `NaN` before the first request: show a dash instead.
  d447  src/http.rs:9-11     1d  A request longer than 512 bytes is cut off silently. What should happen then?
  0c9e  src/http.rs:6        1d  Never on all interfaces.

Handed over
  “The cache is fixed in the worktree. HTTP is next.”
  review-answers  2 open steps    2h  Handoff: answers to the review
  next: skein resume; skein handoff done

Work to resume (2)
  load-test       1 open step    20h  Load test of the HTTP face
  cache-eviction  2 open steps    2d  Cache eviction
  next: skein resume ID; skein steps

Sessions bound to chat
  ses_1f0c  lantern    3m  Answer Mira's review of the cache
  1 disconnected, 1 orphaned: skein session list

1 file cannot be used: skein doctor
-- exit 0
");
}

#[test]
fn the_overview_fits_a_terminal() {
    let mut place = Place::demo().on_terminal(80);
    place.machine.no_color = true;
    let output = place.run("");
    let widest = output.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", output.out);
}

#[test]
fn a_subdirectory_has_the_same_overview() {
    let mut place = Place::demo();
    let above = place.run("").out;
    place.machine.dir = place.path("here/lantern/src");
    assert_eq!(place.run("").out, above);
}

#[test]
fn threads_of_a_group_beyond_the_first_five_are_counted() {
    let place = Place::demo();
    let thread = std::fs::read_to_string(
        place.path("here/lantern/.code-review/threads/0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003.md"),
    )
    .unwrap();
    for n in 1..=3 {
        place.file(&format!(".code-review/threads/copy-{n}.md"), &thread);
    }
    let output = place.run("");
    assert!(output.out.contains("  3 more: skein list --waiting agent\n"), "{}", output.out);
    assert_eq!(place.run("list --waiting agent").out.lines().count(), 8);
}
