//! The stream of what happens to threads.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use skein_live::events::{DirectoryGone, EventSink, ThreadEvent, WatchSummary, watch};
use skein_model::Filter;
use skein_review::{AddOptions, CodeLocation, NewThread, add};
use skein_workspace::{Actor, Workspace};

use skein_fixtures::{Fixture, Review, git, session};

const PATIENCE: Duration = Duration::from_secs(30);

/// Sends what is told elsewhere, until it is told to stop.
struct Ears {
    begun: Sender<()>,
    events: Sender<ThreadEvent>,
    gone: Sender<DirectoryGone>,
    stop: Receiver<()>,
}

impl EventSink for Ears {
    fn begun(&mut self, _watched: &WatchSummary<'_>) -> ControlFlow<()> {
        self.begun.send(()).unwrap();
        ControlFlow::Continue(())
    }

    fn told(&mut self, _workspace: &Workspace, events: Vec<ThreadEvent>) -> ControlFlow<()> {
        for event in events {
            self.events.send(event).unwrap();
        }
        self.idle()
    }

    fn idle(&mut self) -> ControlFlow<()> {
        if self.stop.try_recv().is_ok() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn store_gone(&mut self, gone: &DirectoryGone) -> ControlFlow<()> {
        self.gone.send(gone.clone()).unwrap();
        self.idle()
    }

    fn gone(&mut self, gone: &DirectoryGone) {
        self.gone.send(gone.clone()).unwrap();
    }
}

/// Watches a directory of a fixture while `act` runs, which gets what is told.
fn watching(fixture: &Fixture, words: &[&str], act: impl FnOnce(&Heard<'_>)) {
    let env = fixture.env("here");
    let mut filter = Filter::default();
    for word in words {
        filter.word(word, env.clock.now()).unwrap();
    }
    let (begun, is_begun) = channel();
    let (events, told) = channel();
    let (gone, is_gone) = channel();
    let (stopper, stop) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || watch(&env, &filter, &mut Ears { begun, events, gone, stop }));
        is_begun.recv_timeout(PATIENCE).unwrap();
        // Dropped also when `act` fails, so that the watch ends.
        let _stopping = Stop(stopper);
        act(&Heard { fixture, told: &told, gone: &is_gone });
    });
}

struct Stop(Sender<()>);

impl Drop for Stop {
    fn drop(&mut self) {
        // A watch of a workspace that is gone has ended by itself.
        self.0.send(()).unwrap_or_default();
    }
}

struct Heard<'a> {
    fixture: &'a Fixture,
    told: &'a Receiver<ThreadEvent>,
    gone: &'a Receiver<DirectoryGone>,
}

impl Heard<'_> {
    /// Checks the next events, as `kind id event by text`.
    #[track_caller]
    fn check(&self, expected: &[&str]) {
        for expected in expected {
            let event = self.told.recv_timeout(PATIENCE).expect(expected);
            let words = [Some(event.kind.as_str()), Some(&*event.id), Some(event.event)];
            let words = words.into_iter().chain([event.by.as_deref(), event.text.as_deref()]);
            assert_eq!(words.flatten().collect::<Vec<_>>().join(" "), *expected);
        }
    }

    /// Checks that nothing is told for a while.
    #[track_caller]
    fn check_silent(&self, time: Duration) {
        let event = self.told.recv_timeout(time);
        assert!(event.is_err(), "{event:?}");
    }

    #[track_caller]
    fn check_store_gone(&self, dir: &str, threads: usize) {
        let gone = self.gone.recv_timeout(PATIENCE).unwrap();
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
fn a_store_that_comes_later_is_found_and_so_is_one_that_goes() {
    let fixture = Fixture::new();
    fixture.repository("here");
    watching(&fixture, &[], |heard| {
        heard.fixture.review("here", "a", &Review::default());
        heard.check(&["review a created Mira"]);
        heard.fixture.checkpoint("here", "T-20260101-100000-x", "\"type\": \"checkpoint\"");
        heard.check(&["checkpoint T-20260101-100000-x saved"]);
        fs::remove_dir_all(heard.fixture.path("here/.code-review")).unwrap();
        heard.check_store_gone("here/.code-review/threads", 1);
        heard.fixture.review("here", "a", &Review::default());
        heard.check(&["review a created Mira"]);
    });
}

#[test]
fn a_store_that_is_removed_slowly_is_told_once_and_its_threads_are_not() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let names = ["a", "b", "c", "d", "e", "f"];
    let threads = names.map(|name| fixture.review("here", name, &Review::default()));
    watching(&fixture, &[], |heard| {
        // Each goes sooner after the one before than a file may be missing, but all of them take longer.
        for thread in threads {
            fs::remove_file(thread).unwrap();
            heard.check_silent(Duration::from_millis(120));
        }
        fs::remove_dir_all(heard.fixture.path("here/.code-review")).unwrap();
        heard.check_store_gone("here/.code-review/threads", 6);
        assert_eq!(heard.told.try_iter().count(), 0);
    });
}

#[test]
fn a_store_that_is_moved_away_and_back_tells_what_changed() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.review("here", "a", &Review::default());
    fixture.review("here", "b", &Review::default());
    watching(&fixture, &[], |heard| {
        let (here, away) = (heard.fixture.path("here/.code-review"), heard.fixture.path("away"));
        fs::rename(&here, &away).unwrap();
        heard.check_silent(Duration::from_millis(700));
        fs::remove_file(away.join("threads/b.md")).unwrap();
        fs::rename(&away, &here).unwrap();
        heard.check(&["review b deleted"]);
        assert_eq!(heard.gone.try_iter().count(), 0);
    });
}

#[test]
fn a_workspace_that_is_moved_away_and_back_tells_nothing() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.review("here", "a", &Review::default());
    fixture.checkpoint("here", "T-20260101-100000-x", "\"type\": \"checkpoint\"");
    watching(&fixture, &[], |heard| {
        let (here, away) = (heard.fixture.path("here"), heard.fixture.path("away"));
        fs::rename(&here, &away).unwrap();
        // Longer than a file may be missing.
        heard.check_silent(Duration::from_millis(700));
        fs::rename(&away, &here).unwrap();
        heard.fixture.review("here", "b", &Review::default());
        heard.check(&["review b created Mira"]);
    });
}

#[test]
fn a_workspace_that_is_removed_ends_the_watch_and_deletes_no_thread() {
    let fixture = Fixture::new();
    fixture.repository("main");
    git(&fixture.path("main"), &["worktree", "add", "-q", "../here"]);
    fixture.review("here", "a", &Review::default());
    fixture.checkpoint("main", "T-20260101-100000-x", "\"type\": \"checkpoint\"");
    watching(&fixture, &[], |heard| {
        // The store goes first, and longer before the rest than a file may be missing.
        fs::remove_dir_all(heard.fixture.path("here/.code-review")).unwrap();
        heard.check_silent(Duration::from_millis(700));
        fs::rename(heard.fixture.path("here"), heard.fixture.path("away")).unwrap();
        // Another directory under the same name is not the workspace.
        heard.fixture.repository("here");
        let gone = heard.gone.recv_timeout(PATIENCE).unwrap();
        let root = heard.fixture.path("here").display().to_string();
        assert_eq!((gone.kind, gone.event, gone.id), ("workspace", "gone", root));
        assert_eq!(heard.told.try_iter().count(), 0);
    });
}

#[test]
fn a_file_that_is_no_thread_is_told_once_and_hurts_nobody() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let path = fixture.review("here", "a", &Review::default());
    watching(&fixture, &[], |heard| {
        let whole = fs::read(&path).unwrap();
        heard.file("here/.code-review/threads/b.md", [0, 0xff, b'\n', 0x1b]);
        heard.check(&["review b broken"]);
        heard.file("here/.code-review/threads/b.md", "other garbage");
        fs::write(&path, b"").unwrap();
        heard.check(&["review a broken"]);
        fs::write(&path, &whole).unwrap();
        heard.check(&["review a mended"]);
        // What is no file of ours, and a name that is no thread.
        heard.file("here/.code-review/threads/notes.txt", "x");
        heard.file("here/.code-review/threads/.hidden.md", "x");
        heard.fixture.dir("here/.code-review/threads/folder.md");
        heard.check(&["review folder broken"]);
        fs::remove_file(&path).unwrap();
        heard.check(&["review a deleted"]);
    });
}

#[test]
fn the_same_content_is_no_news() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let path = fixture.review("here", "a", &Review::default());
    watching(&fixture, &[], |heard| {
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, &whole).unwrap();
        fs::rename(&path, heard.fixture.path("aside")).unwrap();
        fs::rename(heard.fixture.path("aside"), &path).unwrap();
        heard.fixture.review("here", "b", &Review::default());
        heard.check(&["review b created Mira"]);
    });
}

#[test]
fn a_session_is_told_by_its_status_and_a_broken_map_is_not() {
    let fixture = Fixture::new();
    fixture.dir("here");
    let time = "2026-01-23T10:00:00.000Z";
    let one = session("one", "active", time);
    let map = fixture.sessions(std::slice::from_ref(&one));
    watching(&fixture, &["session"], |heard| {
        let two = session("two", "active", time);
        heard.fixture.sessions(&[one.clone(), two]);
        let id = heard.told.recv_timeout(PATIENCE).unwrap().id;
        assert!(id.contains("two"), "{id}");
        fs::write(&map, "{\"version\": 1, \"mappings\": [").unwrap();
        fs::write(&map, "").unwrap();
        heard.fixture.review("here", "a", &Review::default());
        heard.fixture.sessions(&[session("one", "ended", time)]);
        let told = [(); 2].map(|()| heard.told.recv_timeout(PATIENCE).unwrap());
        let told = told.map(|event| (event.event, event.status.unwrap().into_owned()));
        assert_eq!(told, [("status", "ended".to_owned()), ("deleted", "active".to_owned())]);
    });
}

#[test]
fn a_checkpoint_that_is_put_away_is_not_deleted() {
    let fixture = Fixture::new();
    fixture.repository("here");
    let id = "T-20260101-100000-x";
    let path = fixture.checkpoint("here", id, "\"next_steps\": [\"one\"]");
    watching(&fixture, &["checkpoint"], |heard| {
        replace(&path, "[\"one\"]", "[\"one\", \"two\"]");
        heard.check(&[&format!("checkpoint {id} step two")]);
        replace(&path, "[\"one\", \"two\"]", "[]");
        heard.check(&[&format!("checkpoint {id} edited")]);
        let month = heard.fixture.dir("here/workspace/threads/archive/2026-01");
        fs::rename(&path, month.join(format!("{id}.json"))).unwrap();
        heard.check(&[&format!("checkpoint {id} archived")]);
    });
}

#[test]
fn an_auto_checkpoint_that_became_a_full_one_is_not_told_as_deleted() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.dir("here/workspace/threads");
    let (workspace, env) = fixture.open("here");
    let session = Some("s".to_owned());
    let auto = skein_checkpoints::AutoCheckpoint {
        summary: "Half".to_owned(),
        trigger: "stop".to_owned(),
        session: session.clone(),
        ..skein_checkpoints::AutoCheckpoint::default()
    };
    skein_checkpoints::save_auto(&workspace, &env, &auto).unwrap().unwrap();
    watching(&fixture, &["checkpoint"], |heard| {
        let save = skein_checkpoints::Save {
            summary: "Whole".to_owned(),
            session,
            ..skein_checkpoints::Save::default()
        };
        let full = skein_checkpoints::save(&workspace, &env, &save).unwrap();
        assert_eq!(full.action, "upgraded");
        heard.check(&[&format!("checkpoint {} saved", full.id)]);
        // A file that is gone is given a quarter of a second to come back.
        let more = heard.told.recv_timeout(Duration::from_millis(1000));
        assert!(more.is_err(), "{more:?}");
    });
}

/// Starts a thread on the first line of a file.
fn comment_on(fixture: &Fixture, file: &str, body: &str) -> String {
    let (workspace, env) = fixture.open("here");
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, &env, &format!("{file}:1")).unwrap(),
        body: body.to_owned(),
        suggestion: None,
        expect: None,
    };
    let mira = Actor { name: "Mira".to_owned(), agent: false };
    let options = AddOptions { draft: false, changed_only: false };
    add(&workspace, &env, &mira, &[thread], options).unwrap().threads.remove(0).id
}

#[test]
fn a_review_thread_is_told_by_the_branch_that_it_was_started_on() {
    let fixture = Fixture::new();
    fixture.repository("here");
    fixture.file("here/a.rs", "one\n");
    let old = comment_on(&fixture, "a.rs", "Why?");
    let old = fixture.path(&format!("here/.code-review/threads/{old}.md"));
    watching(&fixture, &["branch:main"], |heard| {
        heard.fixture.review("here", "other", &Review::default());
        let id = comment_on(heard.fixture, "a.rs", "And?");
        heard.check(&[&format!("review {id} created Mira")]);
        replace(&old, "Why?", "Why so?");
        assert_eq!(heard.told.recv_timeout(PATIENCE).unwrap().event, "edited");
    });
}

#[test]
fn a_review_thread_is_told_by_the_file_that_its_code_is_in() {
    let fixture = Fixture::new();
    let top = fixture.repository("here");
    fixture.file("here/a.rs", "fn one() {\n    two();\n}\n");
    fixture.file("here/b.rs", "other\n");
    git(&top, &["add", "--all"]);
    git(&top, &["-c", "user.name=Ada", "-c", "user.email=a@x.org", "commit", "-q", "-m", "two"]);
    let moved = comment_on(&fixture, "a.rs", "Why?");
    git(&top, &["mv", "a.rs", "z.rs"]);
    let moved = fixture.path(&format!("here/.code-review/threads/{moved}.md"));
    watching(&fixture, &["file:z.rs"], |heard| {
        comment_on(heard.fixture, "b.rs", "No.");
        replace(&moved, "Why?", "Why so?");
        let event = heard.told.recv_timeout(PATIENCE).unwrap();
        assert_eq!((event.event, event.place.as_deref()), ("edited", Some("z.rs:1")));
        fs::remove_file(&moved).unwrap();
        assert_eq!(heard.told.recv_timeout(PATIENCE).unwrap().event, "deleted");
    });
}
