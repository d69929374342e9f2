//! The stream of thread events.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use skein_live::events::{DirectoryGone, ThreadEvent, WatchOptions, WatchReport, watch};
use skein_model::Filter;
use skein_review::{AddOptions, CodeLocation, NewThread, add};
use skein_workspace::Actor;

use skein_fixtures::{Fixture, Review, git, session};

const TIMEOUT: Duration = Duration::from_secs(30);

/// Watches a directory of a fixture while `act` runs, which gets the events.
fn watching(fixture: &Fixture, words: &[&str], act: impl FnOnce(&Observed<'_>)) {
    let env = fixture.env("here");
    let mut filter = Filter::default();
    for word in words {
        filter.word(word, env.clock.now()).unwrap();
    }
    let (started, is_started) = channel();
    let (events, received) = channel();
    let (gone, is_gone) = channel();
    let (stopper, stop) = channel();
    std::thread::scope(|scope| {
        let mut report = move |report: WatchReport<'_>| {
            match report {
                WatchReport::Begun(_) => started.send(()).unwrap(),
                WatchReport::Events(_, all) => {
                    all.into_iter().for_each(|event| events.send(event).unwrap());
                }
                WatchReport::StoreGone(dir) | WatchReport::Gone(dir) => gone.send(dir).unwrap(),
                WatchReport::Idle => {}
            }
            if stop.try_recv().is_ok() { Err(()) } else { Ok(()) }
        };
        scope.spawn(move || watch(&env, &filter, WatchOptions::default(), &mut report));
        is_started.recv_timeout(TIMEOUT).unwrap();
        // Dropped also when `act` fails, so that the watch ends.
        let _stopping = Stop(stopper);
        act(&Observed { fixture, received: &received, gone: &is_gone });
    });
}

struct Stop(Sender<()>);

impl Drop for Stop {
    fn drop(&mut self) {
        // The watch of a removed workspace has already ended.
        self.0.send(()).unwrap_or_default();
    }
}

struct Observed<'a> {
    fixture: &'a Fixture,
    received: &'a Receiver<ThreadEvent>,
    gone: &'a Receiver<DirectoryGone>,
}

impl Observed<'_> {
    /// Checks the next events, as `kind id event by text`.
    #[track_caller]
    fn check(&self, expected: &[&str]) {
        for expected in expected {
            let event = self.received.recv_timeout(TIMEOUT).expect(expected);
            let words = [Some(event.kind.as_str()), Some(&*event.id), Some(event.event)];
            let words = words.into_iter().chain([event.by.as_deref(), event.text.as_deref()]);
            assert_eq!(words.flatten().collect::<Vec<_>>().join(" "), *expected);
        }
    }

    /// Checks that there is no event for a while.
    #[track_caller]
    fn check_silent(&self, time: Duration) {
        let event = self.received.recv_timeout(time);
        assert!(event.is_err(), "{event:?}");
    }

    #[track_caller]
    fn check_store_gone(&self, dir: &str, threads: usize) {
        let gone = self.gone.recv_timeout(TIMEOUT).unwrap();
        let dir = self.fixture.path(dir).display().to_string();
        assert_eq!((gone.kind, gone.id, gone.threads), ("store", dir, Some(threads)));
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        self.fixture.file(name, content);
    }
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_created_and_a_removed_store_are_reported() {
    let fixture = Fixture::new();
    fixture.repository("here");
    watching(&fixture, &[], |observed| {
        observed.fixture.review("here", "a", &Review::default());
        observed.check(&["review a created Mira"]);
        observed.fixture.checkpoint("here", "T-20260101-100000-x", "\"type\": \"checkpoint\"");
        observed.check(&["checkpoint T-20260101-100000-x saved"]);
        fs::remove_dir_all(observed.fixture.path("here/.code-review")).unwrap();
        observed.check_store_gone("here/.code-review/threads", 1);
        observed.fixture.review("here", "a", &Review::default());
        observed.check(&["review a created Mira"]);
    });
}

#[test]
fn a_store_that_is_removed_slowly_is_reported_once_and_its_threads_are_not() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let names = ["a", "b", "c", "d", "e", "f"];
    let threads = names.map(|name| fixture.review("here", name, &Review::default()));
    watching(&fixture, &[], |observed| {
        // The pause between two removals is shorter than the time that a file may be missing.
        for thread in threads {
            fs::remove_file(thread).unwrap();
            observed.check_silent(Duration::from_millis(120));
        }
        fs::remove_dir_all(observed.fixture.path("here/.code-review")).unwrap();
        observed.check_store_gone("here/.code-review/threads", 6);
        assert_eq!(observed.received.try_iter().count(), 0);
    });
}

#[test]
fn a_store_that_is_moved_away_and_back_gives_events_only_for_changes() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.review("here", "a", &Review::default());
    fixture.review("here", "b", &Review::default());
    watching(&fixture, &[], |observed| {
        let (here, away) =
            (observed.fixture.path("here/.code-review"), observed.fixture.path("away"));
        fs::rename(&here, &away).unwrap();
        observed.check_silent(Duration::from_millis(700));
        fs::remove_file(away.join("threads/b.md")).unwrap();
        fs::rename(&away, &here).unwrap();
        observed.check(&["review b deleted"]);
        assert_eq!(observed.gone.try_iter().count(), 0);
    });
}

#[test]
fn a_workspace_that_is_moved_away_and_back_gives_no_event() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.review("here", "a", &Review::default());
    fixture.checkpoint("here", "T-20260101-100000-x", "\"type\": \"checkpoint\"");
    watching(&fixture, &[], |observed| {
        let (here, away) = (observed.fixture.path("here"), observed.fixture.path("away"));
        fs::rename(&here, &away).unwrap();
        // Longer than a file may be missing.
        observed.check_silent(Duration::from_millis(700));
        fs::rename(&away, &here).unwrap();
        observed.fixture.review("here", "b", &Review::default());
        observed.check(&["review b created Mira"]);
    });
}

#[test]
fn a_workspace_that_is_removed_ends_the_watch_and_deletes_no_thread() {
    let fixture = Fixture::new();
    fixture.repository("main");
    git(&fixture.path("main"), &["worktree", "add", "-q", "../here"]);
    fixture.review("here", "a", &Review::default());
    fixture.checkpoint("main", "T-20260101-100000-x", "\"type\": \"checkpoint\"");
    watching(&fixture, &[], |observed| {
        // The store is removed first, and the pause is longer than a file may be missing.
        fs::remove_dir_all(observed.fixture.path("here/.code-review")).unwrap();
        observed.check_silent(Duration::from_millis(700));
        fs::rename(observed.fixture.path("here"), observed.fixture.path("away")).unwrap();
        // Another directory under the same name is not the workspace.
        observed.fixture.repository("here");
        let gone = observed.gone.recv_timeout(TIMEOUT).unwrap();
        let root = observed.fixture.path("here").display().to_string();
        assert_eq!((gone.kind, gone.event, gone.id), ("workspace", "gone", root));
        assert_eq!(observed.received.try_iter().count(), 0);
    });
}

#[test]
fn an_invalid_file_is_reported_once() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let path = fixture.review("here", "a", &Review::default());
    watching(&fixture, &[], |observed| {
        let whole = fs::read(&path).unwrap();
        observed.file("here/.code-review/threads/b.md", [0, 0xff, b'\n', 0x1b]);
        observed.check(&["review b broken"]);
        observed.file("here/.code-review/threads/b.md", "other garbage");
        fs::write(&path, b"").unwrap();
        observed.check(&["review a broken"]);
        fs::write(&path, &whole).unwrap();
        observed.check(&["review a mended"]);
        // Files with other names give no event; a directory with the name of a thread file does.
        observed.file("here/.code-review/threads/notes.txt", "x");
        observed.file("here/.code-review/threads/.hidden.md", "x");
        observed.fixture.dir("here/.code-review/threads/folder.md");
        observed.check(&["review folder broken"]);
        fs::remove_file(&path).unwrap();
        observed.check(&["review a deleted"]);
    });
}

#[test]
fn the_same_content_gives_no_event() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let path = fixture.review("here", "a", &Review::default());
    watching(&fixture, &[], |observed| {
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, &whole).unwrap();
        fs::rename(&path, observed.fixture.path("aside")).unwrap();
        fs::rename(observed.fixture.path("aside"), &path).unwrap();
        observed.fixture.review("here", "b", &Review::default());
        observed.check(&["review b created Mira"]);
    });
}

#[test]
fn a_session_is_reported_by_its_status_and_a_broken_map_is_not() {
    let fixture = Fixture::new();
    fixture.dir("here");
    let time = "2026-01-23T10:00:00.000Z";
    let one = session("one", "active", time);
    let map = fixture.sessions(std::slice::from_ref(&one));
    watching(&fixture, &["session"], |observed| {
        let two = session("two", "active", time);
        observed.fixture.sessions(&[one.clone(), two]);
        let id = observed.received.recv_timeout(TIMEOUT).unwrap().id;
        assert!(id.contains("two"), "{id}");
        fs::write(&map, "{\"version\": 1, \"mappings\": [").unwrap();
        fs::write(&map, "").unwrap();
        observed.fixture.review("here", "a", &Review::default());
        observed.fixture.sessions(&[session("one", "ended", time)]);
        let received = [(); 2].map(|()| observed.received.recv_timeout(TIMEOUT).unwrap());
        let received = received.map(|event| (event.event, event.status.unwrap().into_owned()));
        assert_eq!(received, [("status", "ended".to_owned()), ("deleted", "active".to_owned())]);
    });
}

#[test]
fn an_archived_checkpoint_is_not_reported_as_deleted() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let id = "T-20260101-100000-x";
    let path = fixture.checkpoint("here", id, "\"next_steps\": [\"one\"]");
    watching(&fixture, &["checkpoint"], |observed| {
        replace(&path, "[\"one\"]", "[\"one\", \"two\"]");
        observed.check(&[&format!("checkpoint {id} step two")]);
        replace(&path, "[\"one\", \"two\"]", "[]");
        observed.check(&[&format!("checkpoint {id} edited")]);
        let month = observed.fixture.dir("here/workspace/threads/archive/2026-01");
        fs::rename(&path, month.join(format!("{id}.json"))).unwrap();
        observed.check(&[&format!("checkpoint {id} archived")]);
    });
}

#[test]
fn an_auto_checkpoint_that_became_a_full_one_is_not_reported_as_deleted() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.dir("here/workspace/threads");
    let workspace = fixture.open("here");
    let session = Some("s".to_owned());
    let auto = skein_checkpoints::AutoCheckpoint {
        summary: "Half".to_owned(),
        trigger: "stop".to_owned(),
        session: session.clone(),
        ..skein_checkpoints::AutoCheckpoint::default()
    };
    skein_checkpoints::save_auto(&workspace, &auto).unwrap().unwrap();
    watching(&fixture, &["checkpoint"], |observed| {
        let save = skein_checkpoints::Save {
            summary: "Whole".to_owned(),
            session,
            ..skein_checkpoints::Save::default()
        };
        let full = skein_checkpoints::save(&workspace, &save).unwrap();
        assert_eq!(full.action.as_str(), "upgraded");
        observed.check(&[&format!("checkpoint {} saved", full.id)]);
        // A file may be missing for a quarter of a second before it is reported as deleted.
        let more = observed.received.recv_timeout(Duration::from_millis(1000));
        assert!(more.is_err(), "{more:?}");
    });
}

/// Starts a thread on the first line of a file.
fn comment_on(fixture: &Fixture, file: &str, body: &str) -> String {
    let workspace = fixture.open("here");
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, &format!("{file}:1")).unwrap(),
        body: body.to_owned(),
        suggestion: None,
        expect: None,
    };
    let mira = Actor { name: "Mira".to_owned(), agent: false };
    let options = AddOptions { draft: false, changed_only: false };
    add(&workspace, &mira, &[thread], options).unwrap().threads.remove(0).id
}

#[test]
fn a_review_thread_is_reported_by_the_branch_that_it_was_started_on() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.file("here/a.rs", "one\n");
    let old = comment_on(&fixture, "a.rs", "Why?");
    let old = fixture.path(&format!("here/.code-review/threads/{old}.md"));
    watching(&fixture, &["branch:main"], |observed| {
        observed.fixture.review("here", "other", &Review::default());
        let id = comment_on(observed.fixture, "a.rs", "And?");
        observed.check(&[&format!("review {id} created Mira")]);
        replace(&old, "Why?", "Why so?");
        assert_eq!(observed.received.recv_timeout(TIMEOUT).unwrap().event, "edited");
    });
}

#[test]
fn a_review_thread_is_reported_by_the_file_that_its_code_is_in() {
    let fixture = Fixture::new();
    let top = fixture.repository("here");
    fixture.file("here/a.rs", "fn one() {\n    two();\n}\n");
    fixture.file("here/b.rs", "other\n");
    git(&top, &["add", "--all"]);
    git(&top, &["-c", "user.name=Ada", "-c", "user.email=a@x.org", "commit", "-q", "-m", "two"]);
    let moved = comment_on(&fixture, "a.rs", "Why?");
    git(&top, &["mv", "a.rs", "z.rs"]);
    let moved = fixture.path(&format!("here/.code-review/threads/{moved}.md"));
    watching(&fixture, &["file:z.rs"], |observed| {
        comment_on(observed.fixture, "b.rs", "No.");
        replace(&moved, "Why?", "Why so?");
        let event = observed.received.recv_timeout(TIMEOUT).unwrap();
        assert_eq!((event.event, event.place.as_deref()), ("edited", Some("z.rs:1")));
        fs::remove_file(&moved).unwrap();
        assert_eq!(observed.received.recv_timeout(TIMEOUT).unwrap().event, "deleted");
    });
}
