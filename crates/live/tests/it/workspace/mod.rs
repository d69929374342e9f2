//! A live workspace follows the changes of its files.

mod around;
mod branches;
mod claims;

use std::fs;
use std::time::{Duration, Instant};

use skein_live::{ChangeEvent, LiveWorkspace};
use skein_model::Filter;
use skein_model::view::{ThreadBody, ThreadView};
use skein_review::{AddOptions, ChangesQuery, CodeLocation, NewThread, add, diff};
use skein_workspace::{Actor, Env, IdGenerator};

use skein_fixtures::{Fixture, git};

/// Maximum time to wait for a change.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Waits for an expected event after `number`.
#[track_caller]
fn until(
    live: &LiveWorkspace,
    mut number: u64,
    is_expected: impl Fn(&ChangeEvent) -> bool,
) -> ChangeEvent {
    let deadline = Instant::now() + TIMEOUT;
    let mut seen = Vec::new();
    while Instant::now() < deadline {
        for event in live.events_after(number, Duration::from_millis(500)) {
            number = event.number;
            if is_expected(&event) {
                return event;
            }
            seen.push(event);
        }
    }
    panic!("the expected event is missing: {seen:?}");
}

fn at(view: &ThreadView) -> String {
    let ThreadBody::Review(body) = &view.body else { panic!("{view:?}") };
    let place = body.placement.as_ref().map(|at| format!("{} {}", at.state, at.at()));
    format!("{}: {}", view.row.title, place.unwrap_or_else(|| "nowhere".to_owned()))
}

fn shown(live: &LiveWorkspace) -> Vec<String> {
    live.threads().views.iter().map(|view| at(view)).collect()
}

fn comment(fixture: &Fixture, place: &str, body: &str, draft: bool) -> String {
    let mut workspace = fixture.open("w");
    workspace.env.ids = IdGenerator::seeded(body);
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, place).unwrap(),
        body: body.to_owned(),
        suggestion: None,
        expect: None,
    };
    let options = AddOptions { draft, changed_only: false };
    add(&workspace, &actor, &[thread], options).unwrap().threads[0].id.clone()
}

/// Returns a repository with a file of three lines, and threads on two of them.
fn workspace() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("w/a.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
    fixture.file("w/.gitignore", "ignored\n");
    fixture.repository("w");
    comment(&fixture, "a.rs:2", "second", false);
    comment(&fixture, "a.rs:1", "first", false);
    fixture
}

fn open(fixture: &Fixture) -> LiveWorkspace {
    LiveWorkspace::open(&fixture.env("w"))
}

#[test]
fn threads_are_sorted_by_line_and_follow_their_code() {
    let fixture = workspace();
    let live = open(&fixture);
    assert_eq!(shown(&live), ["first: exact a.rs:1", "second: exact a.rs:2"]);
    let before = live.last_event_number();
    fixture.file("w/a.rs", "fn zero() {}\nfn one() {}\nfn two() {}\nfn three() {}\n");
    // The file is empty for a moment while it is written, which may be reported as well.
    let expected = ["first: shifted a.rs:2", "second: shifted a.rs:3"];
    until(&live, before, |event| event.threads.len() == 2 && shown(&live) == expected);
}

#[test]
fn the_whole_new_text_of_a_change_is_available() {
    let fixture = workspace();
    let live = open(&fixture);
    let query = ChangesQuery::default();
    assert_eq!((shown(&live).len(), live.changes(&query).unwrap().files.len()), (2, 0));
    fixture.file("w/a.rs", "\u{feff}one\r\ntwo\nthree\nfour");
    live.refresh_reviews();
    let diff = live.changes(&query).unwrap();
    assert_eq!(diff.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.rs"]);
    let text = live.text(&query, "a.rs").unwrap();
    assert_eq!(text.lines, ["one", "two", "three", "four"]);
    assert_eq!(*text, *live.file("a.rs").unwrap());
    assert_eq!(live.text(&query, "b.rs"), None);
    let staged = ChangesQuery { staged: true, ..query };
    assert_eq!(live.text(&staged, "a.rs"), None);
    git(&fixture.path("w"), &["add", "a.rs"]);
    fixture.file("w/a.rs", "none\n");
    live.refresh_reviews();
    until_true(|| live.text(&staged, "a.rs").is_some());
    assert_eq!(live.text(&staged, "a.rs").unwrap().lines, ["one", "two", "three", "four"]);
}

/// Waits for a condition that has no event.
#[track_caller]
fn until_true(mut is_expected: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !is_expected() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn files_outside_of_the_workspace_cannot_be_read() {
    let fixture = workspace();
    fixture.file("secret", "s");
    fixture.link("w/link", "../secret");
    let live = open(&fixture);
    for path in
        ["../secret", "/etc/passwd", "link", ".git/HEAD", ".code-review/threads/t1.md", "", "gone"]
    {
        assert!(live.file(path).is_err(), "{path}");
    }
}

#[test]
fn new_and_removed_threads_and_drafts_cause_events() {
    let fixture = workspace();
    let live = open(&fixture);
    assert_eq!(shown(&live).len(), 2);
    let mut before = live.last_event_number();
    let third = comment(&fixture, "a.rs:3", "third", false);
    before = until(&live, before, |event| event.threads == [third.as_str()]).number;
    assert_eq!(shown(&live).last().unwrap(), "third: exact a.rs:3");
    fs::remove_file(fixture.path(&format!("w/.code-review/threads/{third}.md"))).unwrap();
    // The new thread may have caused a second event, which comes before the one of its removal.
    let is_removed = |threads: &[String]| threads == [third.as_str()] && shown(&live).len() == 2;
    before = until(&live, before, |event| is_removed(&event.threads)).number;
    let draft = comment(&fixture, "a.rs:3", "kept aside", true);
    until(&live, before, |event| event.threads == [draft.as_str()]);
    let threads = live.threads();
    assert_eq!(threads.views.len(), 2);
    assert_eq!(threads.drafts.len(), 1);
    assert_eq!(threads.drafts[0].row.status.as_deref(), Some("draft"));
    assert_eq!(threads.get(&draft).unwrap().row.id, draft);
}

/// Returns the paths that differ in the comparison without arguments.
fn paths(live: &LiveWorkspace) -> Vec<String> {
    let diff = live.changes(&ChangesQuery::default()).unwrap();
    diff.files.iter().map(|file| format!("{} {}", file.status, file.path)).collect()
}

fn thread_file(fixture: &Fixture, id: &str) -> std::path::PathBuf {
    fixture.path(&format!("w/.code-review/threads/{id}.md"))
}

/// Replaces a file as many editors do.
fn replace(fixture: &Fixture, name: &str, content: &str) {
    let temp = fixture.file(&format!("{name}.tmp"), content);
    fs::rename(temp, fixture.path(name)).unwrap();
}

#[test]
fn a_file_that_is_replaced_by_rename_is_followed() {
    let fixture = workspace();
    let live = open(&fixture);
    assert_eq!(paths(&live), [""; 0]);
    for number in 0..3 {
        let before = live.last_event_number();
        replace(
            &fixture,
            "w/a.rs",
            &format!("// {number}\nfn one() {{}}\nfn two() {{}}\nfn three() {{}}\n"),
        );
        until(&live, before, |event| event.files == ["a.rs"]);
        until_true(|| paths(&live) == ["modified a.rs"]);
        until_true(|| shown(&live) == ["first: shifted a.rs:2", "second: shifted a.rs:3"]);
        assert_eq!(live.file("a.rs").unwrap().lines[0], format!("// {number}"));
    }
    let id = live.threads().views[0].row.id.clone();
    let before = live.last_event_number();
    let file = thread_file(&fixture, &id);
    let text = fs::read_to_string(&file).unwrap().replace("first", "other");
    replace(&fixture, &format!("w/.code-review/threads/{id}.md"), &text);
    until(&live, before, |event| event.threads.contains(&id));
    until_true(|| shown(&live)[0] == "other: shifted a.rs:2");
}

#[test]
fn a_write_without_a_lock_is_read_when_it_is_complete() {
    let fixture = workspace();
    let live = open(&fixture);
    let id = live.threads().views[0].row.id.clone();
    let file = thread_file(&fixture, &id);
    let text = fs::read_to_string(&file).unwrap();
    let before = live.last_event_number();
    // Half of a thread cannot be parsed, so the previous content is kept for a moment.
    fs::write(&file, text.get(..40).unwrap()).unwrap();
    fs::write(&file, text.replace("first", "rewritten")).unwrap();
    until(&live, before, |event| event.threads == [id.as_str()]);
    assert_eq!(shown(&live)[0], "rewritten: exact a.rs:1");
    // A thread that stays broken is shown as unusable.
    let before = live.last_event_number();
    fs::write(&file, "no thread").unwrap();
    until(&live, before, |event| event.threads == [id.as_str()]);
    let threads = live.threads();
    assert!(!threads.get(&id).unwrap().row.usable);
    assert_eq!(threads.views.len(), 2);
}

#[test]
fn the_code_of_a_deleted_file_is_gone() {
    let fixture = workspace();
    let live = open(&fixture);
    assert_eq!((shown(&live).len(), paths(&live).len()), (2, 0));
    let before = live.last_event_number();
    fs::remove_file(fixture.path("w/a.rs")).unwrap();
    until(&live, before, |event| event.threads.len() == 2 && event.files == ["a.rs"]);
    assert_eq!(shown(&live), ["first: gone a.rs", "second: gone a.rs"]);
    assert_eq!(paths(&live), ["deleted a.rs"]);
    assert!(live.file("a.rs").is_err());
    let before = live.last_event_number();
    git(&fixture.path("w"), &["checkout", "--", "a.rs"]);
    until(&live, before, |event| event.threads.len() == 2 && event.files == ["a.rs"]);
    assert_eq!(shown(&live), ["first: exact a.rs:1", "second: exact a.rs:2"]);
    assert_eq!(paths(&live), [""; 0]);
}

#[test]
fn code_is_found_in_the_file_that_it_was_moved_to() {
    let fixture = Fixture::new();
    let code = "fn one(first: usize, second: &str) -> usize {\n    let total = first.checked_add(17).unwrap_or(3);\n    let width = second.chars().filter(|sign| sign.is_alphanumeric()).count();\n    total.saturating_mul(width)\n}\n";
    fixture.file("w/src/a.rs", format!("{code}fn rest() {{}}\n"));
    fixture.file("w/.gitignore", "ignored\n");
    fixture.repository("w");
    comment(&fixture, "src/a.rs:1-5", "why", false);
    let live = open(&fixture);
    assert_eq!(shown(&live), ["why: exact src/a.rs:1-5"]);
    let mut before = live.last_event_number();
    fixture.file("w/src/a.rs", "fn rest() {}\n");
    before = until(&live, before, |event| event.threads.len() == 1).number;
    assert_eq!(shown(&live), ["why: gone src/a.rs"]);
    // Another file, in a folder that did not exist.
    fixture.file("w/lib/deep/b.rs", format!("fn other() {{}}\n{code}"));
    git(&fixture.path("w"), &["add", "lib"]);
    before = until(&live, before, |event| event.threads.len() == 1).number;
    assert_eq!(shown(&live), ["why: moved lib/deep/b.rs:2-6"]);
    fixture.file("w/lib/deep/b.rs", "fn other() {}\n");
    before = until(&live, before, |event| event.threads.len() == 1).number;
    // Its own file changes too, and is reported before the code is found.
    fixture.file("w/src/a.rs", "fn rest() { loop {} }\n");
    fixture.file("w/lib/deep/b.rs", format!("fn other() {{}}\nfn more() {{}}\n{code}"));
    until(&live, before, |event| event.threads.len() == 1);
    assert_eq!(shown(&live), ["why: moved lib/deep/b.rs:3-7"]);
}

#[test]
fn a_new_folder_is_watched() {
    let fixture = workspace();
    let live = open(&fixture);
    assert_eq!(paths(&live), [""; 0]);
    let mut before = live.last_event_number();
    fixture.file("w/new/deep/b.rs", "one\n");
    before = until(&live, before, |event| event.files == ["new/deep/b.rs"]).number;
    assert_eq!(paths(&live), ["added new/deep/b.rs"]);
    fixture.file("w/new/deep/b.rs", "two\n");
    before = until(&live, before, |event| event.files == ["new/deep/b.rs"]).number;
    fixture.dir("w/empty/deeper");
    fixture.file("w/empty/deeper/c.rs", "three\n");
    until(&live, before, |event| event.files == ["empty/deeper/c.rs"]);
    assert_eq!(paths(&live), ["added empty/deeper/c.rs", "added new/deep/b.rs"]);
}

#[test]
fn the_files_of_a_renamed_folder_are_followed() {
    let fixture = workspace();
    fixture.file("w/new/deep/b.rs", "one\n");
    let live = open(&fixture);
    assert_eq!(paths(&live), ["added new/deep/b.rs"]);
    let mut before = live.last_event_number();
    fs::rename(fixture.path("w/new"), fixture.path("w/old")).unwrap();
    before = until(&live, before, |event| event.files.contains(&"old/deep/b.rs".to_owned())).number;
    assert_eq!(paths(&live), ["added old/deep/b.rs"]);
    fixture.file("w/old/deep/b.rs", "two\n");
    before = until(&live, before, |event| event.files == ["old/deep/b.rs"]).number;
    fixture.file("w/new/deep/b.rs", "three\n");
    before = until(&live, before, |event| event.files == ["new/deep/b.rs"]).number;
    fs::remove_dir_all(fixture.path("w/old")).unwrap();
    until(&live, before, |event| event.files == ["old/deep/b.rs"]);
    assert_eq!(paths(&live), ["added new/deep/b.rs"]);
}

#[test]
fn writes_that_change_nothing_cause_no_event() {
    let fixture = workspace();
    fixture.file("w/b.rs", "one\n");
    git(&fixture.path("w"), &["add", "--all"]);
    let live = open(&fixture);
    assert_eq!(paths(&live).len(), 1);
    let before = live.last_event_number();
    fixture.file("w/ignored/deep/x.rs", "x");
    fixture.file("w/ignored/y", "x");
    // The same content in a new file, and an index in which only times differ.
    replace(&fixture, "w/a.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
    replace(&fixture, "w/b.rs", "one\n");
    git(&fixture.path("w"), &["update-index", "--refresh"]);
    git(&fixture.path("w"), &["branch", "other"]);
    // When these files are reported, all earlier changes have been applied.
    let mut seen = Vec::new();
    for number in 0..3 {
        let last = format!("last{number}.rs");
        let from = live.last_event_number();
        fixture.file(&format!("w/{last}"), "x");
        let number = until(&live, from, |event| event.files == [last.as_str()]).number;
        seen = live.events_after(before, Duration::ZERO);
        assert_eq!(seen.last().unwrap().number, number);
    }
    let seen: Vec<_> =
        seen.iter().map(|event| (&event.files, &event.threads, event.repository)).collect();
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[test]
fn an_ignore_rule_hides_a_file() {
    let fixture = workspace();
    fixture.file("w/made/x.rs", "x");
    let live = open(&fixture);
    assert_eq!(paths(&live), ["added made/x.rs"]);
    let mut before = live.last_event_number();
    fixture.file("w/.gitignore", "ignored\nmade\n");
    before = until(&live, before, |event| event.files.contains(&"made/x.rs".to_owned())).number;
    assert_eq!(paths(&live), ["modified .gitignore"]);
    fixture.file("w/.gitignore", "ignored\n");
    before = until(&live, before, |event| event.files.contains(&"made/x.rs".to_owned())).number;
    fixture.file("w/made/x.rs", "y");
    until(&live, before, |event| event.files.contains(&"made/x.rs".to_owned()));
}

#[test]
fn after_a_refresh_a_write_is_visible_at_once() {
    let fixture = workspace();
    let live = open(&fixture);
    assert_eq!((shown(&live).len(), paths(&live).len()), (2, 0));
    for number in 0..20 {
        let before = live.last_event_number();
        let id = comment(&fixture, "a.rs:3", &format!("n{number}"), number % 2 == 0);
        live.refresh_reviews();
        assert!(live.threads().get(&id).is_some());
        until(&live, before, |event| event.threads == [id.as_str()]);
    }
    fixture.file("w/a.rs", "// more\nfn one() {}\nfn two() {}\nfn three() {}\n");
    live.refresh_reviews();
    assert_eq!(shown(&live)[0], "first: shifted a.rs:2");
    assert_eq!(paths(&live), ["modified a.rs"]);
    let since = ChangesQuery { since_submit: true, ..ChangesQuery::default() };
    assert!(live.changes(&since).is_err());
    let workspace = fixture.open("w");
    skein_review::submit(&workspace).unwrap();
    live.refresh_reviews();
    assert!(live.threads().drafts.is_empty());
    assert!(live.changes(&since).unwrap().files.is_empty());
}

#[test]
fn a_hundred_rapid_edits_end_in_the_right_state() {
    let fixture = workspace();
    let live = open(&fixture);
    assert_eq!(paths(&live), [""; 0]);
    let id = live.threads().views[0].row.id.clone();
    let file = thread_file(&fixture, &id);
    let thread = fs::read_to_string(&file).unwrap();
    for number in 0..100 {
        let above = "// above\n".repeat(number % 7);
        fixture.file("w/a.rs", format!("{above}fn one() {{}}\nfn two() {{}}\nfn three() {{}}\n"));
        fixture.file(&format!("w/made{}.rs", number % 3), format!("{number}\n"));
        fs::write(&file, thread.replace("first", &format!("say{number}"))).unwrap();
        if number % 10 == 0 {
            drop((live.threads(), paths(&live)));
        }
    }
    until_true(|| shown(&live) == ["say99: shifted a.rs:2", "second: shifted a.rs:3"]);
    until_true(|| {
        let expected = ["added made0.rs", "added made1.rs", "added made2.rs", "modified a.rs"];
        let mut paths = paths(&live);
        paths.sort();
        paths == expected
    });
    until_true(|| {
        let diff = live.changes(&ChangesQuery::default()).unwrap();
        let text = |path: &str| {
            let file = diff.files.iter().find(|file| file.path == path).unwrap();
            file.hunks[0].lines.last().unwrap().text.clone()
        };
        [text("made0.rs"), text("made1.rs"), text("made2.rs")] == ["99", "97", "98"]
    });
}

#[test]
fn event_numbers_grow_from_one_live_workspace_to_the_next() {
    let fixture = workspace();
    let first = open(&fixture);
    comment(&fixture, "a.rs:3", "third", false);
    first.refresh_reviews();
    let number = first.last_event_number();
    drop(first);
    let later = skein_format::time::Time::from_millis(
        skein_fixtures::at(skein_fixtures::NOW).as_millis() + 1,
    );
    let env = Env { clock: skein_workspace::Clock::new(move || later), ..fixture.env("w") };
    let second = LiveWorkspace::open(&env);
    assert!(second.last_event_number() > number);
    assert!(second.events_after(number, Duration::ZERO)[0].everything);
}

/// Waits until the changes of the live workspace equal a comparison of all files.
#[track_caller]
fn until_same(fixture: &Fixture, live: &LiveWorkspace, query: &ChangesQuery) {
    until_true(|| {
        let workspace = fixture.open("w");
        let fresh = diff(&workspace, query, &Filter::default()).unwrap();
        let kept = live.changes(query).unwrap();
        (&fresh.title, &fresh.files) == (&kept.title, &kept.files)
    });
}

#[test]
fn comparing_some_files_gives_the_same_as_comparing_all() {
    let fixture = workspace();
    let top = fixture.path("w");
    let lines = |from: usize| (from..from + 30).map(|n| format!("line {n}\n")).collect::<String>();
    for name in ["b", "c", "d", "e"] {
        fixture.file(&format!("w/{name}.txt"), lines(name.len() * 100));
    }
    git(&top, &["add", "--all"]);
    let author = ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "more"];
    git(&top, &author);
    let live = open(&fixture);
    let queries = [
        ChangesQuery::default(),
        ChangesQuery { base: Some("HEAD~1".to_owned()), ..ChangesQuery::default() },
        ChangesQuery { staged: true, ..ChangesQuery::default() },
    ];
    let write = |name: &str, text: &str| drop(fixture.file(&format!("w/{name}"), text));
    let remove = |name: &str| fs::remove_file(fixture.path(&format!("w/{name}"))).unwrap();
    let steps: [&dyn Fn(); 18] = [
        &|| write("b.txt", &(lines(100) + "more\n")),
        &|| write("c.txt", &(lines(100) + "other\n")),
        &|| write("b.txt", &lines(100)),
        &|| write("c.txt", &lines(100)),
        &|| write("new/f.txt", &lines(100)),
        &|| remove("b.txt"),
        &|| write("new/f.txt", &(lines(100) + "x\n")),
        &|| write("new/g.txt", "g\n"),
        &|| remove("new/f.txt"),
        &|| write("new/g.txt", &(lines(100) + "z\n")),
        &|| write("new/g.txt", "nothing of it\n"),
        &|| drop(git(&top, &["add", "--all"])),
        &|| write("b.txt", "b\n"),
        &|| fs::rename(top.join("d.txt"), top.join("d2.txt")).unwrap(),
        &|| write("d2.txt", &(lines(100) + "y\n")),
        &|| write("d.txt", "d\n"),
        &|| drop(git(&top, &["reset", "--quiet", "--hard"])),
        &|| remove("c.txt"),
    ];
    for step in steps {
        step();
        for query in &queries {
            until_same(&fixture, &live, query);
        }
    }
}
