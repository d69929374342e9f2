//! Hooks, as agents start them: processes that read a payload.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use skein_format::time::Time;
use skein_git::{CommitAs, commit_all, init};

use super::process::program;
use crate::Outcome;
use crate::corpus::{Corpora, put};
use crate::figure::Figure;
use crate::timing::{median, median_of, percentile, timed};

/// How often the two take turns, and how many processes a turn has.
const TURNS: (usize, usize) = (40, 4);
const QUIET: f64 = 1.5;
/// The number of files in the repository, and how many of them lie in a folder.
const FILES: usize = 50_000;
const FOLDER: usize = 100;
const COMMITS: usize = 30;
const WRITING: f64 = 50.0;

/// Measures a hook that has nothing to do and one that writes; none where there is no program beside this one.
pub(crate) fn figures(corpora: &Corpora) -> Outcome<Vec<Figure>> {
    let Some(program) = program()? else {
        eprintln!("passing over the hooks: build `skein` beside this program");
        return Ok(Vec::new());
    };
    let scratch = corpora.scratch()?;
    let repository = Repository::new(program, scratch.path())?;
    let quiet = json!({
        "session_id": "bench", "cwd": repository.root, "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": { "command": "cargo test" }, "tool_response": { "stdout": "ok" },
    });
    let quiet = quiet.to_string();
    let hook = ["hook", "claude-code", "post-tool-use"];
    let pair =
        median_of(TURNS, || repository.run(&["--version"], ""), || repository.run(&hook, &quiet))?;
    let writing = repository.writing(&hook)?;
    let corpus = "50k files";
    Ok(vec![
        Figure::ratio("hook with nothing to do / --version", corpus.to_owned(), pair)
            .at_most(QUIET),
        Figure::milliseconds("hook that writes a checkpoint", corpus, median(writing.clone()))
            .at_most(WRITING),
        Figure::milliseconds("the same, slowest of 30", corpus, percentile(&writing, 100)),
    ])
}

/// Returns the time, because a hook passes over commits that were made long ago.
fn now() -> Outcome<String> {
    let since = std::time::UNIX_EPOCH.elapsed()?;
    Ok(Time::from_millis(i64::try_from(since.as_millis())?).to_string())
}

/// A repository with many files, a store of checkpoints, and a home of its own.
struct Repository {
    program: PathBuf,
    root: PathBuf,
    home: PathBuf,
}

impl Repository {
    fn new(program: PathBuf, dir: &Path) -> Outcome<Self> {
        let (root, home) = (dir.join("repository"), dir.join("home"));
        fs::create_dir_all(&home)?;
        fs::create_dir_all(root.join("workspace/threads"))?;
        for number in 0..FILES {
            let folder = root.join(format!("src/part_{}", number / FOLDER));
            if number % FOLDER == 0 {
                fs::create_dir_all(&folder)?;
            }
            put(&folder.join(format!("file_{number}.rs")), b"pub fn answer() {}\n")?;
        }
        init(&root, "main")?;
        let repository = Self { program, root, home };
        repository.commit(0)?;
        Ok(repository)
    }

    fn commit(&self, number: usize) -> Outcome<()> {
        let path = self.root.join(format!("src/part_{number}/file_{}.rs", number * FOLDER));
        put(&path, format!("pub fn answer() {{}} // {number}\n").as_bytes())?;
        let message = format!("answer number {number}\n");
        let commit =
            CommitAs { name: "Ana", email: "ana@example.org", date: &now()?, message: &message };
        commit_all(&self.root, &commit)?;
        Ok(())
    }

    /// Commits again and again, and times the hook that is told so.
    fn writing(&self, hook: &[&str]) -> Outcome<Vec<Duration>> {
        let threads =
            || Ok::<_, std::io::Error>(fs::read_dir(self.root.join("workspace/threads"))?.count());
        let mut times = Vec::new();
        for number in 1..=COMMITS {
            self.commit(number)?;
            let payload = json!({
                "session_id": "bench", "cwd": self.root, "hook_event_name": "PostToolUse",
                "tool_name": "Bash", "tool_input": { "command": "git commit -am answer" },
                "tool_response": { "stdout": "" },
            });
            let before = threads()?;
            times.push(self.run(hook, &payload.to_string())?);
            if threads()? != before + 1 {
                return Err("the hook wrote no checkpoint".into());
            }
        }
        Ok(times)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the program under measurement, with nothing of git in it"
    )]
    fn run(&self, args: &[&str], input: &str) -> Outcome<Duration> {
        let mut command = std::process::Command::new(&self.program);
        command
            .args(args)
            .current_dir(&self.root)
            .env("HOME", &self.home)
            .env("XDG_STATE_HOME", self.home.join("state"))
            .env("XDG_CACHE_HOME", self.home.join("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let (time, ended) = timed(|| {
            let mut process = command.spawn()?;
            if let Some(mut stdin) = process.stdin.take() {
                // A program that asks for nothing may have ended before all was written.
                drop(stdin.write_all(input.as_bytes()));
            }
            process.wait()
        });
        if ended?.success() { Ok(time) } else { Err("the program failed".into()) }
    }
}
