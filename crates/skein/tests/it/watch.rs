//! `skein watch` while other programs write.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(30);

const ANSWER: &str = "\n<local-code-review-comment id=\"c2\" author=\"Codex\" createdAt=\"2026-01-11T10:00:00.000Z\"/>\n\nSo that it fits.\nReally.\n";

const MAP: &str = r#"{"version": 1, "mappings": [
  {"sessionId": "ses_0001x", "threadRootPostId": "post_1", "shortId": "ses_0001", "mattermostUserId": "u", "dmChannelId": "c",
   "projectName": "kiln", "directory": "/k", "status": "active", "createdAt": "2026-01-23T10:00:00.000Z",
   "lastActivityAt": "2026-01-23T11:00:00.000Z"}
], "lastModified": "2026-01-23T11:00:00.000Z"}"#;

fn thread(id: &str) -> String {
    format!(
        "<local-code-review-thread>\n{{\"schemaVersion\": 1, \"id\": \"{id}\", \"target\": {{\"workspaceRelativePath\": \"a.rs\", \"range\": {{\"startLine\": 4, \"startCharacter\": 0, \"endLine\": 4, \"endCharacter\": 1}}, \"anchor\": {{\"kind\": \"lineRange\"}}}}, \"status\": \"open\", \"createdAt\": \"2026-01-10T10:00:00.000Z\", \"updatedAt\": \"2026-01-10T10:00:00.000Z\"}}\n</local-code-review-thread>\n\n<local-code-review-comment id=\"c1\" author=\"Mira\" createdAt=\"2026-01-10T10:00:00.000Z\"/>\n\nWhy?\n"
    )
}

pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.path(".config/opencode")).unwrap();
        fs::create_dir_all(place.path(".code-review/threads")).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn thread(&self, id: &str) -> PathBuf {
        let path = self.path(&format!(".code-review/threads/{id}.md"));
        fs::write(&path, thread(id)).unwrap();
        path
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skein"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("TZ", "UTC")
            .env("SKEIN_NOW", "2026-01-23T14:30:00Z")
            .env("SKEIN_AUTHOR", "Mira")
            .stdin(Stdio::null());
        command
    }

    /// Runs another command until it exits.
    pub(crate) fn run(&self, args: &[&str]) {
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn watch(&self, args: &[&str]) -> Watching {
        let mut command = self.command(&["watch"]);
        let mut child =
            command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (lines(child.stdout.take()), lines(child.stderr.take()));
        let started = err.recv_timeout(TIMEOUT).unwrap();
        assert!(started.starts_with("Watching "), "{started}");
        Watching { child, out, err, started }
    }
}

/// A running `skein watch`.
pub(crate) struct Watching {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
    pub(crate) started: String,
}

impl Watching {
    pub(crate) fn line(&self) -> String {
        self.out.recv_timeout(TIMEOUT).unwrap()
    }

    fn event(&self) -> Value {
        let event: Value = serde_json::from_str(&self.line()).unwrap();
        assert_eq!(event["at"], "2026-01-23T14:30:00.000Z");
        event
    }

    /// Returns the values of these fields of the next event.
    pub(crate) fn next(&self, fields: &[&str]) -> String {
        let event = self.event();
        let text = |name: &&str| match &event[*name] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        fields.iter().map(text).collect::<Vec<_>>().join(" | ")
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have exited already.
        drop(self.child.kill());
        self.child.wait().unwrap();
    }
}

/// Reads a stream in another thread, so that waiting for a line can time out.
fn lines(stream: Option<impl std::io::Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    let lines = BufReader::new(stream.unwrap()).lines();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn append(path: &Path, text: &str) {
    let mut file = File::options().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

const FIELDS: [&str; 6] = ["kind", "id", "event", "by", "text", "place"];

#[test]
fn changes_of_review_threads_are_reported() {
    let place = Place::new();
    let path = place.thread("t1");
    let watch = place.watch(&["--json"]);
    assert!(
        watch
            .started
            .ends_with(": 1 review thread, 0 checkpoints, 0 sessions. Press Ctrl-C to stop.")
    );
    append(&path, ANSWER);
    assert_eq!(watch.next(&FIELDS), "review | t1 | replied | Codex | So that it fits. | a.rs:5");

    place.run(&["review", "reply", "t1", "-m", "I see."]);
    assert_eq!(watch.next(&FIELDS), "review | t1 | replied | Mira | I see. | a.rs:5");
    place.run(&["review", "resolve", "t1"]);
    assert_eq!(watch.next(&["event", "status", "waiting_on"]), "resolved | resolved | null");
    place.run(&["review", "reopen", "t1", "-m", "No."]);
    assert_eq!(watch.next(&["event", "by", "title"]), "replied | Mira | Why?");
    assert_eq!(watch.next(&["event", "by", "waiting_on"]), "reopened | Mira | agent");

    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("Why?", "Why twice?")).unwrap();
    assert_eq!(watch.next(&["event", "by", "title"]), "edited | null | Why twice?");
    place.run(&["review", "delete", "t1"]);
    assert_eq!(
        watch.next(&["event", "title", "file"]),
        format!("deleted | Why twice? | {}", path.display())
    );
    place.thread("t2");
    assert_eq!(watch.next(&["id", "event", "by"]), "t2 | created | Mira");
}

#[test]
fn changes_of_checkpoints_and_sessions_are_reported() {
    let place = Place::new();
    let map = place.path(".config/opencode/mattermost-threads.json");
    fs::write(&map, MAP).unwrap();
    let watch = place.watch(&["--json"]);
    // The store of checkpoints is created during the watch.
    place.run(&["checkpoint", "save", "-m", "Half of it", "--step", "The rest"]);
    let id = "T-20260123-143000-half-of-it";
    assert_eq!(watch.next(&["kind", "id", "event"]), format!("checkpoint | {id} | saved"));
    place.run(&["steps", "done", "half-of-it#1"]);
    let step = watch.next(&["event", "by", "text", "place", "status"]);
    assert_eq!(step, format!("step | Mira | The rest | {id}#1 | done"));
    place.run(&["handoff", "-m", "Over to you"]);
    assert_eq!(watch.next(&["event", "title"]), "handoff | Handoff: Over to you");

    place.run(&["session", "set", "ses_0001", "status=ended"]);
    let session = watch.next(&["kind", "id", "event", "status", "place"]);
    assert_eq!(session, "session | ses_0001x | status | ended | /k");
    // A truncated map gives no event, and neither does activity alone.
    fs::write(&map, &MAP.as_bytes()[..200]).unwrap();
    fs::write(&map, MAP.replace("T11:00", "T12:00")).unwrap();
    assert_eq!(watch.next(&["event", "status"]), "status | active");
    fs::write(&map, MAP.replace("T11:00", "T13:00")).unwrap();
    fs::write(&map, MAP.replace("kiln", "forge")).unwrap();
    assert_eq!(watch.next(&["event", "title"]), "edited | forge");
}

#[test]
fn claims_of_review_threads_are_reported() {
    let place = Place::new();
    place.thread("t1");
    let watch = place.watch(&["--json"]);
    let claim = ["review", "next", "--claim", "--claimant", "token"];
    let fields = ["id", "event", "by", "waiting_on"];
    place.run(&claim);
    assert_eq!(watch.next(&fields), "t1 | claimed | Mira | agent");
    place.run(&["review", "next", "--release", "t1", "--claimant", "token"]);
    assert_eq!(watch.next(&fields), "t1 | released | null | agent");
    place.run(&claim);
    assert_eq!(watch.next(&fields), "t1 | claimed | Mira | agent");
    // The claim is still the same after this.
    place.run(&["review", "resolve", "t1"]);
    assert_eq!(watch.next(&fields), "t1 | resolved | null | null");
    place.run(&["review", "reopen", "t1"]);
    assert_eq!(watch.next(&fields), "t1 | reopened | null | agent");
    // An answer ends the claim, which is no second event, even if an agent has to answer again.
    place.run(&[
        "review",
        "reply",
        "t1",
        "-m",
        "Done. @Codex please check.",
        "--author",
        "Claude Code",
    ]);
    assert_eq!(watch.next(&fields), "t1 | replied | Claude Code | agent");
    place.run(&["review", "next", "--claim", "--claimant", "first", "--author", "Codex"]);
    assert_eq!(watch.next(&fields), "t1 | claimed | Codex | agent");
    place.run(&["review", "next", "--release", "t1", "--claimant", "first", "--author", "Codex"]);
    assert_eq!(watch.next(&fields), "t1 | released | null | agent");
    place.thread("t2");
    assert_eq!(watch.next(&fields), "t2 | created | Mira | agent");
}

#[test]
fn locking_and_releasing_work_is_reported() {
    let place = Place::new();
    place.run(&["checkpoint", "save", "-m", "Half of it", "--step", "The rest"]);
    let watch = place.watch(&["--json", "checkpoint"]);
    let fields = ["id", "event", "by", "title", "status"];
    let id = "T-20260123-143000-half-of-it";
    place.run(&["resume", "half-of-it", "--take"]);
    assert_eq!(watch.next(&fields), format!("{id} | taken | Mira | Half of it | taken"));
    place.run(&["resume", "half-of-it", "--release"]);
    assert_eq!(watch.next(&fields), format!("{id} | released | null | Half of it | null"));
    // Ending the work also releases it, which is the same event.
    place.run(&["handoff", "-m", "Over to you"]);
    assert_eq!(watch.next(&["event"]), "handoff");
    place.run(&["resume", "over-to-you", "--take"]);
    assert_eq!(watch.next(&["event", "by"]), "taken | Mira");
    place.run(&["handoff", "done", "over-to-you"]);
    assert_eq!(watch.next(&["event", "status"]), "status | done");
    place.run(&["checkpoint", "save", "-m", "Another"]);
    assert_eq!(watch.next(&["event", "title"]), "saved | Another");
}

#[test]
fn text_output_has_one_line_per_event_and_filters_apply() {
    let place = Place::new();
    let (one, two) = (place.thread("aaaa-one"), place.thread("bbbb-two"));
    let all = place.watch(&[]);
    let few = place.watch(&["review", "waiting:reviewer"]);
    append(&one, &ANSWER.replace("Codex", "Mira"));
    assert_eq!(
        all.line(),
        "14:30 review aaaa  replied by Mira  a.rs:5 (unverified)  So that it fits. (Why?)"
    );
    let answered =
        "14:30 review bbbb  replied by Codex  a.rs:5 (unverified)  So that it fits. (Why?)";
    append(&two, ANSWER);
    // Both must report the event before the next change, which could hide it.
    assert_eq!([all.line(), few.line()], [answered, answered]);
    fs::write(place.path(".code-review/threads/bad.md"), "\u{1b}[2J no thread").unwrap();
    assert_eq!(all.line(), "14:30 review bad  broken  (cannot be used: review-no-metadata)");
    append(&one, ANSWER);
    let answered_too = answered.replace("bbbb", "aaaa");
    assert_eq!([all.line(), few.line()], [&*answered_too, &*answered_too]);
    append(&two, &ANSWER.replace("Codex", "Mira"));
    fs::remove_file(&one).unwrap();
    assert_eq!(few.line(), "14:30 review aaaa  deleted  a.rs:5 (as written)  Why?");
}

#[test]
fn a_command_gets_each_event_and_its_failure_does_not_stop_the_watch() {
    let place = Place::new();
    let path = place.thread("t1");
    let exec = "cat >> got; echo \"$SKEIN_EVENT\" >> said; echo noise; exit 3";
    let watch = place.watch(&["--exec", exec]);
    append(&path, ANSWER);
    let line = "review t1  replied by Codex  a.rs:5 (unverified)  So that it fits. (Why?)";
    assert_eq!(watch.line(), format!("14:30 {line}"));
    assert_eq!(watch.err.recv_timeout(TIMEOUT).unwrap(), "noise");
    let failed = "The command failed: exit status: 3 (replied of t1)";
    assert_eq!(watch.err.recv_timeout(TIMEOUT).unwrap(), failed);
    place.thread("t2");
    assert_eq!(watch.line(), "14:30 review t2  created by Mira  a.rs:5 (unverified)  Why?");
    assert_eq!(watch.err.recv_timeout(TIMEOUT).unwrap(), "noise");
    assert!(watch.err.recv_timeout(TIMEOUT).unwrap().ends_with("(created of t2)"));

    let got = fs::read_to_string(place.path("got")).unwrap();
    let events: Vec<Value> = got.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 2);
    assert_eq!((&events[0]["event"], &events[1]["id"]), (&"replied".into(), &"t2".into()));
    assert!(fs::read_to_string(place.path("said")).unwrap().starts_with(&format!("{line}\n")));
}

#[test]
fn watch_stops_when_its_output_is_closed() {
    let place = Place::new();
    let path = place.thread("t1");
    for has_event in [false, true] {
        let mut command = place.command(&["watch", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut started = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut started).unwrap();
        assert!(started.starts_with("Watching "), "{started}");
        drop(child.stdout.take());
        if has_event {
            append(&path, ANSWER);
        }
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn watch_ends_with_an_event_when_the_workspace_is_removed() {
    let place = Place::new();
    let (here, moved) = (place.path("here"), place.path("moved"));
    fs::create_dir_all(here.join(".code-review/threads")).unwrap();
    fs::write(here.join(".code-review/threads/t1.md"), thread("t1")).unwrap();
    let path = here.display().to_string();
    for (args, expected) in [
        (
            &["--exec", "cat >> got"][..],
            format!("14:30 workspace gone  {path}  It was moved or removed; watching stops."),
        ),
        (
            &["--json"],
            format!(
                r#"{{"at":"2026-01-23T14:30:00.000Z","kind":"workspace","id":"{path}","event":"gone","title":"here","file":"{path}"}}"#
            ),
        ),
    ] {
        let mut watch = place.watch(&[&["-C", "here"], args].concat());
        fs::rename(&here, &moved).unwrap();
        assert_eq!(watch.line(), expected);
        assert_eq!(watch.child.wait().unwrap().code(), Some(1));
        fs::rename(&moved, &here).unwrap();
    }
    // The command runs in the nearest existing directory.
    let got: Value = serde_json::from_slice(&fs::read(place.path("got")).unwrap()).unwrap();
    assert_eq!((&got["kind"], &got["event"]), (&"workspace".into(), &"gone".into()));
}

#[test]
fn a_thousand_files_at_once_are_all_reported() {
    let place = Place::new();
    let watch = place.watch(&["--json", "review"]);
    assert!(
        watch.started.ends_with(": 0 review threads. Press Ctrl-C to stop."),
        "{}",
        watch.started
    );
    let staging = place.path("aside");
    fs::create_dir(&staging).unwrap();
    for number in 0..1000 {
        fs::write(staging.join(format!("t{number}.md")), thread(&format!("t{number}"))).unwrap();
    }
    // The files appear together with their directory, and are deleted one by one.
    let threads = place.path(".code-review/threads");
    fs::remove_dir(&threads).unwrap();
    fs::rename(&staging, &threads).unwrap();
    for expected in ["created", "deleted"] {
        let mut ids: Vec<String> = (0..1000).map(|_| watch.next(&["event", "id"])).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.starts_with(expected)), "{ids:?}");
        for entry in fs::read_dir(&threads).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }
}

#[test]
fn a_removed_store_is_one_event() {
    let place = Place::new();
    let threads = place.path(".code-review/threads");
    let path = threads.display().to_string();
    for (args, expected) in [
        (
            &["review"][..],
            format!("14:30 store gone  {path}  It was moved or removed, with 2 threads."),
        ),
        (
            &["review", "--json"],
            format!(
                r#"{{"at":"2026-01-23T14:30:00.000Z","kind":"store","id":"{path}","event":"gone","title":"threads","file":"{path}","threads":2}}"#
            ),
        ),
    ] {
        place.thread("t1");
        place.thread("t2");
        let watch = place.watch(args);
        fs::remove_dir_all(&threads).unwrap();
        assert_eq!(watch.line(), expected);
        // The watch continues.
        fs::create_dir(&threads).unwrap();
        let later = place.thread("t3");
        let line = watch.line();
        assert!(line.contains("created"), "{line}");
        fs::remove_file(later).unwrap();
    }
}
