use crate::place::Place;

#[test]
fn a_list_has_a_line_per_thread() {
    Place::demo().check("list", "
ses_1f0c                  session     active                       lantern                  3m   Answer Mira's review of the cache
b21d                      review      open               reviewer  src/cache.rs:32-34       55m  `unwrap` on an empty cache panics when the limit is 0.
7f3a                      review      open               reviewer  src/cache.rs:19-21       58m  This lets one entry too many in: with `>` the cache holds `limit + 1`.
1a55                      review      open               agent     web/board.ts:8-10        1h   `innerHTML` with data from outside. Use `textContent`.
review-answers            checkpoint  handoff, open                main                     2h   Handoff: answers to the review
6c5d                      review      open               reviewer  src/http.rs:14 (edited)  3h   This is no HTTP. Is that meant?
93fe                      review      open               agent     web/board.ts             4h   There is no test for this file at all.
e86b                      review      open               agent     web/board.ts:4           5h   `NaN` before the first request: show a dash instead.
ses_3f0c                  session     disconnected                 lantern                  19h  lantern
load-test                 checkpoint  checkpoint, error            main                     20h  Load test of the HTTP face
d447                      review      open               agent     src/http.rs:9-11         1d   A request longer than 512 bytes is cut off silently. What should happen then?
0c9e                      review      open               agent     src/http.rs:6            1d   Never on all interfaces.
ses_2f0c                  session     ended                        lantern                  1d   Show the hit rate on the board
auto-web-hit-rate-commit  checkpoint  auto                         main                     1d   Auto: web: show the hit rate
5be1                      review      resolved                     src/cache.rs:5           2d   Would a queue of keys not make `evict` cheap?
cache-eviction            checkpoint  checkpoint                   main                     2d   Cache eviction
c0ff                      review      resolved                     src/main.rs:5            3d   Make the size an argument.
2d7c                      review      open               reviewer  README.md:3              3d   Say how to run it.
fa1b                      review      resolved                     src/legacy.rs (gone)     4d   This file is gone; was that on purpose?
cache-spike               checkpoint  checkpoint                                            5d   Tried a ring buffer for the cache; a map is simpler and fast enough.
ses_4f0c                  session     orphaned                     lantern                  5d   Spike: ring buffer
half                      review      broken                                                -    (cannot be used: review-no-metadata)
-- stderr
1 problem found; run `skein doctor` for details
-- exit 0
");
}

#[test]
fn a_terminal_gets_a_heading_and_lines_that_fit() {
    let mut place = Place::demo().on_terminal(80);
    place.machine.no_color = true;
    place.check(
        "list review",
        "
ID    STATUS    WAITS ON  WHERE                    AGE  TITLE
b21d  open      reviewer  src/cache.rs:32-34       55m  `unwrap` on an empty ca…
7f3a  open      reviewer  src/cache.rs:19-21       58m  This lets one entry too…
1a55  open      agent     web/board.ts:8-10        1h   `innerHTML` with data f…
6c5d  open      reviewer  src/http.rs:14 (edited)  3h   This is no HTTP. Is tha…
93fe  open      agent     web/board.ts             4h   There is no test for th…
e86b  open      agent     web/board.ts:4           5h   `NaN` before the first …
d447  open      agent     src/http.rs:9-11         1d   A request longer than 5…
0c9e  open      agent     src/http.rs:6            1d   Never on all interfaces.
5be1  resolved            src/cache.rs:5           2d   Would a queue of keys n…
c0ff  resolved            src/main.rs:5            3d   Make the size an argume…
2d7c  open      reviewer  README.md:3              3d   Say how to run it.
fa1b  resolved            src/legacy.rs (gone)     4d   This file is gone; was …
half  broken                                       -    (cannot be used: review…
-- stderr
1 problem found; run `skein doctor` for details
-- exit 0
",
    );
    place.machine.no_color = false;
    assert_eq!(place.run("list review --color never").out, {
        place.machine.no_color = true;
        place.run("list review").out
    });
}

#[test]
fn a_list_on_a_terminal_is_coloured() {
    let place = Place::demo().on_terminal(80);
    place.check("list review --limit 4 status:resolved", "
^[[2mID    STATUS    WHERE                 AGE  TITLE^[[0m
^[[36m5be1^[[0m^[[2m  resolved  src/cache.rs:5        2d   Would a queue of keys not make `evic…^[[0m
^[[36mc0ff^[[0m^[[2m  resolved  src/main.rs:5         3d   Make the size an argument.^[[0m
^[[36mfa1b^[[0m^[[2m  resolved  src/legacy.rs (gone)  4d   This file is gone; was that on purpo…^[[0m
-- exit 0
");
}

#[test]
fn coloured_output_without_escape_codes_equals_plain_output() {
    let mut place = Place::demo().on_terminal(80);
    for words in ["", "list", "show 7f3a", "doctor", "config list"] {
        place.machine.no_color = false;
        let mut coloured = place.run(words).out;
        assert!(coloured.contains("\u{1b}["), "{words}");
        while let Some((before, rest)) = coloured.split_once("\u{1b}[") {
            let (_, after) = rest.split_once('m').unwrap();
            coloured = format!("{before}{after}");
        }
        place.machine.no_color = true;
        assert_eq!(coloured, place.run(words).out, "{words}");
    }
}

#[test]
fn with_a_limit_the_number_of_omitted_threads_is_printed() {
    Place::demo().check("list --limit 2", "
ses_1f0c  session  active            lantern             3m   Answer Mira's review of the cache
b21d      review   open    reviewer  src/cache.rs:32-34  55m  `unwrap` on an empty cache panics when the limit is 0.
-- stderr
20 more; use `--limit` to show them
-- exit 0
");
}

#[test]
fn filter_words_and_flags_give_the_same_list() {
    let place = Place::demo();
    for (words, flags) in [
        ("review status:open", "review --status open"),
        ("file:src/cache.rs", "--file src/cache.rs"),
        ("author:codex", "--author codex"),
        ("since:2h", "--since 2h"),
        ("tag:http", "--tag http"),
        ("type:auto", "--type auto"),
        ("waiting:reviewer", "--waiting reviewer"),
    ] {
        let (one, other) =
            (place.run(&format!("list {words}")), place.run(&format!("list {flags}")));
        assert_eq!((one.code, &one.out), (0, &other.out));
        assert!(!one.out.is_empty(), "{words}");
    }
}

#[test]
fn every_location_and_id_in_a_list_is_accepted_by_show() {
    let place = Place::demo();
    for line in place.run("list").out.lines() {
        let handle = line.split_whitespace().next().unwrap();
        assert_eq!(place.run(&format!("show {handle}")).code, 0, "{handle}");
    }
    for line in place.run("list review").out.lines() {
        let mut words = line.split_whitespace();
        let handle = words.next().unwrap();
        let Some(at) = words.find(|word| word.contains(['/', '.'])) else { continue };
        if line.contains("broken") {
            continue;
        }
        let id =
            |text: &str| place.run(&format!("show {text}")).out.lines().nth(1).map(str::to_owned);
        assert_eq!(id(at), id(handle), "{at}");
    }
}

#[test]
fn vimgrep_prints_locations_for_an_editor() {
    let mut place = Place::demo();
    place.check(
        "list --vimgrep status:resolved",
        "
src/cache.rs:5:1:Would a queue of keys not make `evict` cheap?
src/main.rs:5:1:Make the size an argument.
src/legacy.rs:1:1:This file is gone; was that on purpose?
-- exit 0
",
    );
    place.machine.dir = place.path("here/lantern/src");
    place.check(
        "list --vimgrep file:web/board.ts --limit 1",
        "
ROOT/here/lantern/web/board.ts:8:1:`innerHTML` with data from outside. Use `textContent`.
-- exit 0
",
    );
}

#[test]
fn an_empty_list_is_reported_on_stderr() {
    let place = Place::empty();
    place.check(
        "list",
        "
-- stderr
There are no threads here yet. Run `skein` to see what to try.
-- exit 0
",
    );
    let place = Place::demo();
    place.check(
        "list review author:nobody",
        "
-- stderr
No threads match.
-- exit 0
",
    );
}

#[test]
fn every_worktree_is_listed_with_its_branch() {
    let place = Place::demo();
    place.file("linked/.git", "gitdir: ../.git/worktrees/linked\n");
    place.file(
        ".git/worktrees/linked/gitdir",
        format!("{}\n", place.path("here/lantern/linked/.git").display()),
    );
    place.file(".git/worktrees/linked/commondir", "../..\n");
    place.file(".git/worktrees/linked/HEAD", "ref: refs/heads/topic\n");
    let thread = std::fs::read_to_string(
        place.path("here/lantern/.code-review/threads/0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003.md"),
    )
    .unwrap();
    place.file("linked/.code-review/threads/0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003.md", thread);
    place.check("list --all-worktrees file:src/http.rs review", "
6c5d  main   open  reviewer  src/http.rs:14 (edited)  3h  This is no HTTP. Is that meant?
d447  main   open  agent     src/http.rs:9-11         1d  A request longer than 512 bytes is cut off silently. What should happen then?
0c9e  main   open  agent     src/http.rs:6            1d  Never on all interfaces.
0c9e  topic  open  agent     src/http.rs (gone)       1d  Never on all interfaces.
-- exit 0
");
}

#[test]
fn a_path_that_starts_with_a_dot_is_relative_to_the_current_directory() {
    let mut place = Place::demo();
    let all = place.run("list review").out.lines().count();
    let count = |place: &Place, words: &str| place.run(words).out.lines().count();
    assert_eq!(count(&place, "list review file:."), all);
    assert_eq!(count(&place, "list review file:./src"), 8);
    place.machine.dir = place.path("here/lantern/src");
    assert_eq!(count(&place, "list review --file ."), 8);
    assert_eq!(count(&place, "list review --file ../web"), 3);
    let absolute = place.path("here/lantern/web/board.ts").display().to_string();
    assert_eq!(count(&place, &format!("list review --file {absolute}")), 3);
}

#[test]
fn skipped_sessions_are_counted() {
    let place = Place::demo();
    let map = place.path("here/lantern/sessions/mattermost-threads.json");
    let text = std::fs::read_to_string(&map).unwrap();
    std::fs::write(&map, text.replace("\"ses_1f0c\"", "\"otter\"")).unwrap();
    place.check(
        "list session status:active",
        "
-- stderr
No threads match.
1 session skipped (invalid entries); `--lenient` shows it
-- exit 0
",
    );
}

#[test]
fn a_narrow_terminal_shows_whose_turn_it_is_and_where() {
    let mut place = Place::demo().on_terminal(60);
    place.machine.no_color = true;
    let output = place.run("list review");
    assert!(output.out.starts_with("ID    WAITS ON  WHERE                    TITLE\n"), "{output}");
}

#[test]
fn at_40_columns_no_line_of_a_list_overflows() {
    let place = Place::demo().on_terminal(40);
    for words in ["list", "list review", "list checkpoint", "session list", "steps", "review list"]
    {
        let output = place.run(words);
        let text = strip_colour(&output.out);
        assert!(text.lines().count() > 1, "{words}: {output}");
        for line in text.lines() {
            assert!(line.chars().count() <= 40, "{words}: {line}");
        }
    }
    // Only the lines of threads are cut: the hints on what to do next are printed in full.
    let output = place.run("");
    let threads = strip_colour(&output.out);
    let threads = threads.lines().filter(|line| line.starts_with("  ") && !line.contains("skein"));
    for line in threads.filter(|line| !line.contains('\u{201c}')) {
        assert!(line.chars().count() <= 40, "{line}");
    }
}

/// Removes the escape codes for colours from a text.
fn strip_colour(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}

#[test]
fn a_dumb_terminal_gets_no_colour_unless_it_is_asked_for() {
    let mut place = Place::demo().on_terminal(80);
    assert!(place.run("list").out.contains('\u{1b}'));
    place.machine.variables.insert("TERM".to_owned(), "dumb".to_owned());
    for words in ["list", "", "--help", "show nonsense"] {
        let output = place.run(words);
        assert!(
            !output.out.contains('\u{1b}') && !output.err.contains('\u{1b}'),
            "{words}: {output}"
        );
    }
    assert!(place.run("list --color always").out.contains('\u{1b}'));
}

#[test]
fn a_store_of_another_user_is_skipped_with_a_warning() {
    let mut place = Place::demo();
    let store = place.machine.dir.join(".code-review");
    place.machine.users = vec![place.machine.users[0] + 1];
    for command in ["list", "review list", "search cache", "review next", "review check", "show 1"]
    {
        let output = place.run(command).err;
        let expected =
            "/.code-review: another user owns the store, so it is not used. If you trust";
        assert!(
            output.starts_with("Warning: ") && output.contains(expected),
            "{command}: {output}"
        );
    }
    assert!(store.exists());
}

#[test]
fn a_store_that_the_settings_do_not_name_is_skipped_with_a_warning() {
    let place = Place::demo();
    let shown = place.run("review list");
    assert_eq!(place.run("config set --repository review.storage_path .mine").code, 0);
    let expected = "because `review.storage_path` names the store .mine. Move";
    for command in ["", "list", "review list", "search cache", "review next", "review check"] {
        let output = place.run(command);
        assert!(output.err.starts_with("Warning: "), "{command}: {output}");
        assert!(output.err.contains(expected), "{command}: {output}");
    }
    assert_eq!(place.run("checkpoint list").err, "");
    let output = place.run("doctor");
    assert!(output.out.contains("store-unused"), "{output}");
    assert!(
        output.out.contains("skein config set --repository review.storage_path DIR"),
        "{output}"
    );
    assert_eq!(place.run("config set --repository review.storage_path .code-review").code, 0);
    let output = place.run("review list");
    assert_eq!((output.out, output.err), (shown.out, shown.err));
}

#[test]
fn a_long_title_is_cut_in_lists_without_a_terminal_and_whole_in_json() {
    let place = Place::empty();
    place.file("a.rs", "one\n");
    let long = "word ".repeat(2000);
    let args = ["review", "add", "a.rs:1", "--new-store", "-m", &long];
    assert_eq!(place.run_args(&args).code, 0);
    let save = ["checkpoint", "save", "-m", "Done", "--step", &long];
    assert_eq!(place.run_args(&save).code, 0);
    for words in ["", "list", "review list", "review check", "steps", "list --vimgrep"] {
        let output = place.run(words);
        let longest = output.out.lines().map(|line| line.chars().count()).max().unwrap();
        assert!((200..300).contains(&longest), "{words}: {longest}");
        assert!(output.out.contains("word\u{2026}"), "{words}: {output}");
    }
    assert!(place.run("list --json").out.len() > 10_000);
}

#[test]
fn a_long_id_moves_only_its_own_row_on_a_terminal() {
    let place = Place::empty().on_terminal(80);
    for (id, title) in [
        ("T-20260101-000000-short", "Short."),
        ("T-20260102-000000-a-very-long-name-of-a-checkpoint-that-somebody-chose", "Long."),
    ] {
        let checkpoint = format!(
            r#"{{"thread_id":"{id}","title":"{title}","created_at":"2026-01-02T00:00:00Z"}}"#
        );
        place.file(&format!("workspace/threads/{id}.json"), checkpoint);
    }
    place.file(".code-review/threads/a.md", "# Broken\n");
    let listed = place.run("list").out;
    let head = listed.lines().next().unwrap();
    for column in ["ID", "KIND", "STATUS", "AGE", "TITLE"] {
        assert!(head.contains(column), "{listed}");
    }
    assert!(listed.lines().all(|line| plain(line).chars().count() <= 80), "{listed}");
    let short = listed.lines().map(plain).find(|line| line.starts_with("short ")).unwrap();
    let title = head.find("TITLE").unwrap() - head.find("ID").unwrap();
    assert_eq!(short.find("Short."), Some(title), "{listed}");
}

/// Returns a line without its colours.
fn plain(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[test]
fn a_long_list_is_shown_in_the_pager() {
    let mut place = Place::empty();
    let shown = place.path("shown");
    for number in 10..50 {
        let id = format!("T-20260101-0000{number}-n{number}");
        let checkpoint = format!(
            r#"{{"thread_id":"{id}","title":"{number}","created_at":"2026-01-01T00:00:{number}Z","next_steps":["x"]}}"#
        );
        place.file(&format!("workspace/threads/{id}.json"), checkpoint);
    }
    place = place.on_terminal(80);
    let pager = format!("cat > {}", shown.display());
    place.machine.variables.insert("SKEIN_PAGER".to_owned(), pager);
    for (words, first, lines) in [("list", "n49 ", 41), ("steps", "n49#1 ", 41)] {
        let output = place.run(words);
        assert_eq!((output.code, output.out.as_str()), (0, ""), "{words}");
        let text = std::fs::read_to_string(&shown).unwrap();
        assert_eq!(text.lines().count(), lines, "{text}");
        assert!(plain(text.lines().nth(1).unwrap()).starts_with(first), "{text}");
    }
    assert_eq!(place.run("list -n 3").out.lines().count(), 4);
    let steps = place.run("steps --limit 3");
    assert_eq!(
        (steps.out.lines().count(), steps.err.as_str()),
        (4, "37 more; use `--limit` to show them\n")
    );
}
