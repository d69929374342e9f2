//! The documents show what the program prints.
//!
//! A transcript is a fenced block below a line `<!-- run: WHO TIME -->`. Its lines that start with `$ ` are run in order,
//! and each must print the lines below it, on either stream. A command with `&` at its end runs until
//! those after it are done. The transcripts of one document share one directory, which starts as a
//! small repository with an uncommitted change.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tempfile::TempDir;

/// Maximum time to wait for an expected line.
const LINE_TIMEOUT: Duration = Duration::from_secs(20);
/// How long to wait for lines that are not expected.
const EXTRA_OUTPUT_TIME: Duration = Duration::from_millis(700);
/// Maximum time to wait for a line that one command causes in a command that is still running.
const EVENT_TIMEOUT: Duration = LINE_TIMEOUT;

const BEFORE: &str = "\
pub struct Entry {
    pub text: String,
    pub age: u32,
}

pub fn get(entry: &Entry, limit: u32) -> Option<&str> {
    Some(&entry.text)
}
";

const AFTER: &str = "\
pub struct Entry {
    pub text: String,
    pub age: u32,
}

pub fn get(entry: &Entry, limit: u32) -> Option<&str> {
    if entry.age > limit {
        return None;
    }
    Some(&entry.text)
}
";

/// A session map as a chat plugin writes it: two sessions share a short id, and one short id is invalid.
const MAP: &str = r#"{
  "version": 1,
  "mappings": [
    {
      "sessionId": "ses_4f1c9a7be2d1",
      "threadRootPostId": "post_8d2k1m5w",
      "shortId": "ses_4f1c",
      "mattermostUserId": "user_mira",
      "dmChannelId": "chan_mira_bot",
      "projectName": "lantern",
      "directory": "/home/mira/lantern",
      "sessionTitle": "What a limit of 0 means",
      "status": "active",
      "createdAt": "2026-01-23T13:05:00.000Z",
      "lastActivityAt": "2026-01-23T14:26:00.000Z"
    },
    {
      "sessionId": "ses_4f1caa03c7e9",
      "threadRootPostId": "post_2n7c9x4q",
      "shortId": "ses_4f1c",
      "mattermostUserId": "user_mira",
      "dmChannelId": "chan_mira_bot",
      "projectName": "kiln",
      "directory": "/home/mira/kiln",
      "sessionTitle": "Glaze batches",
      "status": "disconnected",
      "createdAt": "2026-01-23T13:11:00.000Z",
      "lastActivityAt": "2026-01-23T13:40:00.000Z"
    },
    {
      "sessionId": "ses_91d07f32b6a4",
      "threadRootPostId": "post_5t1v8r3z",
      "shortId": "ses_91d0",
      "mattermostUserId": "user_tom",
      "dmChannelId": "chan_tom_bot",
      "projectName": "lantern",
      "directory": "/home/mira/lantern",
      "status": "orphaned",
      "createdAt": "2026-01-21T08:00:00.000Z",
      "lastActivityAt": "2026-01-21T09:30:00.000Z"
    },
    {
      "sessionId": "ses_b7e25c90d813",
      "threadRootPostId": "post_6y4u2j9h",
      "shortId": "merry-otter-lake",
      "mattermostUserId": "user_mira",
      "dmChannelId": "chan_mira_bot",
      "projectName": "lantern",
      "directory": "/home/mira/lantern",
      "sessionTitle": "Hit rate on the board",
      "status": "active",
      "createdAt": "2026-01-23T12:00:00.000Z",
      "lastActivityAt": "2026-01-23T14:20:00.000Z",
      "model": { "name": "echo" }
    }
  ],
  "lastModified": "2026-01-23T14:26:00.000Z"
}"#;

/// A home directory with a repository in it.
struct Scenario {
    home: TempDir,
}

impl Scenario {
    fn new() -> Self {
        let scenario = Self { home: tempfile::tempdir().unwrap() };
        let config =
            "[user]\nname = Mira\nemail = mira@example.org\n[init]\ndefaultBranch = main\n";
        fs::write(scenario.root().join(".gitconfig"), config).unwrap();
        scenario.link_programs();
        let source = scenario.root().join("lantern/src/cache.rs");
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, BEFORE).unwrap();
        let begin = "git init -q && git add . && git commit -qm 'start the cache'";
        assert_eq!(scenario.run(begin, "reviewer", "09:00"), "");
        fs::write(&source, AFTER).unwrap();
        scenario
    }

    /// Writes the session map of a chat plugin.
    fn with_sessions(self) -> Self {
        let dir = self.root().join(".config/opencode");
        fs::create_dir_all(&dir).unwrap();
        let map = MAP.replace("/home/mira", &self.root().display().to_string());
        fs::write(dir.join("mattermost-threads.json"), map).unwrap();
        self
    }

    /// Links the programs that the transcripts run into one directory, so that the output does not depend
    /// on the agents and editors of the machine.
    fn link_programs(&self) {
        let bin = self.root().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_skein"), bin.join("skein")).unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        for name in ["cat", "cp", "git", "ls", "sed", "sh"] {
            let found =
                std::env::split_paths(&path).map(|dir| dir.join(name)).find(|at| at.is_file());
            std::os::unix::fs::symlink(found.unwrap(), bin.join(name)).unwrap();
        }
    }

    fn root(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    /// Runs a command line, and returns what it prints; the home directory is called `/home/mira`.
    fn run(&self, line: &str, who: &str, time: &str) -> String {
        let output = self.command(line, who, time).output().unwrap();
        self.shown(&String::from_utf8(output.stdout).unwrap())
    }

    fn shown(&self, printed: &str) -> String {
        printed.replace(&self.root().display().to_string(), "/home/mira")
    }

    /// Starts a command line in the background, and waits for its first line.
    fn start(&self, line: &str, who: &str, time: &str) -> Running {
        let mut command = self.command(&format!("exec {line}"), who, time);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let first = lines.recv_timeout(LINE_TIMEOUT).unwrap();
        Running { child, lines, printed: vec![first] }
    }

    fn command(&self, line: &str, who: &str, time: &str) -> Command {
        let now = format!("2026-01-23T{time}:00Z");
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .current_dir(self.root().join("lantern"))
            .env_clear()
            .env("PATH", self.root().join("bin"))
            .env("HOME", self.root())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([("GIT_AUTHOR_DATE", &now), ("GIT_COMMITTER_DATE", &now), ("SKEIN_NOW", &now)])
            .env("SKEIN_SEED", "1")
            .env("TZ", "UTC")
            .stdin(Stdio::null());
        let [reviewer, agent, colleague] = ["reviewer", "agent", "colleague"].map(|one| one == who);
        assert!(reviewer || agent || colleague, "unknown role: {who}");
        command.envs(agent.then_some(("CLAUDECODE", "1")));
        command.envs(colleague.then_some(("SKEIN_AUTHOR", "Tom")));
        command
    }

    /// Returns a block with what its commands print.
    fn block(&self, block: &[&str], who: &str, time: &str) -> String {
        let mut transcript: Vec<(&str, String)> = Vec::new();
        let mut running = Vec::new();
        for (at, line) in block.iter().enumerate() {
            let Some(line) = line.strip_prefix("$ ") else { continue };
            let shown = match line.strip_suffix(" &") {
                Some(command) => {
                    let lines = block[at + 1..].iter().take_while(|line| !line.starts_with("$ "));
                    running.push((transcript.len(), lines.count(), self.start(command, who, time)));
                    String::new()
                }
                None => {
                    let shown = self.run(line, who, time);
                    running.iter_mut().for_each(|(_, _, running)| running.listen());
                    shown
                }
            };
            transcript.push((line, shown));
        }
        for (at, lines, running) in running {
            transcript[at].1 = self.shown(&running.end(lines));
        }
        transcript.into_iter().map(|(line, shown)| format!("$ {line}\n{shown}")).collect()
    }
}

/// A command that runs in the background.
struct Running {
    child: Child,
    lines: Receiver<String>,
    printed: Vec<String>,
}

impl Running {
    /// Waits until it has printed something, so that events of the next command are printed separately.
    fn listen(&mut self) {
        self.printed.extend(self.lines.recv_timeout(EVENT_TIMEOUT));
    }

    /// Stops it when it has printed a number of lines, and returns them with what it prints shortly after.
    fn end(mut self, lines: usize) -> String {
        while self.printed.len() < lines {
            let Ok(line) = self.lines.recv_timeout(LINE_TIMEOUT) else { break };
            self.printed.push(line);
        }
        self.printed.extend(std::iter::from_fn(|| self.lines.recv_timeout(EXTRA_OUTPUT_TIME).ok()));
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.printed.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Returns a document with what its transcripts print.
fn rewritten(text: &str, scenario: &Scenario) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(settings) = line.strip_prefix("<!-- run: ") else { continue };
        let (who, time) = settings.strip_suffix(" -->").unwrap().split_once(' ').unwrap();
        let open = lines.next().unwrap();
        let fence = open.strip_suffix("console").unwrap();
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        writeln!(out, "{open}\n{}{fence}", scenario.block(&block, who, time)).unwrap();
    }
    out
}

/// `SKEIN_BLESS=1` writes what is printed into the document. Read every line of it before you keep it.
#[track_caller]
fn check(document: &str, scenario: &Scenario) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
    let text = fs::read_to_string(&path).unwrap();
    let rewritten = rewritten(&text, scenario);
    if std::env::var("SKEIN_BLESS").is_ok_and(|value| value == "1") {
        fs::write(&path, rewritten).unwrap();
        return;
    }
    let differs = text.lines().zip(rewritten.lines()).find(|(text, rewritten)| text != rewritten);
    assert!(
        text == rewritten,
        "{document} differs; `SKEIN_BLESS=1 cargo test -p skein transcript` updates it\n\
         first difference: {differs:#?}"
    );
}

#[test]
fn the_readme_shows_the_output() {
    check("README.md", &Scenario::new().with_sessions());
}

#[track_caller]
fn check_whole(document: &str, scenario: &Scenario) {
    check(document, scenario);
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
    let guide = fs::read_to_string(guide).unwrap();
    let (all, run) = (guide.matches("console\n").count(), guide.matches("<!-- run: ").count());
    assert_eq!(all, run, "every transcript is run");
}

#[test]
fn the_start_guide_shows_the_output() {
    check_whole("docs/start.md", &Scenario::new());
}

#[test]
fn the_review_guide_shows_the_output() {
    check_whole("docs/review.md", &Scenario::new());
}

#[test]
fn the_work_guide_shows_the_output() {
    check_whole("docs/work.md", &Scenario::new());
}

#[test]
fn the_session_guide_shows_the_output() {
    check_whole("docs/sessions.md", &Scenario::new().with_sessions());
}

#[test]
fn the_search_guide_shows_the_output() {
    check_whole("docs/search.md", &Scenario::new().with_sessions());
}

#[test]
fn the_watch_guide_shows_the_output() {
    check_whole("docs/watch.md", &Scenario::new().with_sessions());
}

#[test]
fn the_workspace_guide_shows_the_output() {
    check_whole("docs/workspaces.md", &Scenario::new());
}
