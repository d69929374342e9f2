//! Generates a repository with threads of all kinds. The size of each part can be set.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use skein_git::CommitAs;
use skein_model::Kind;

use super::prose::{seeded, sentence};
use super::{CHECKPOINTS, Corpora, files, put, session, source, stem, write_threads};
use crate::Outcome;
use crate::program::Skein;

/// The checkpoint that can have many steps and files.
pub(crate) const CHECKPOINT: &str = "T-20260601-100000-many";

/// The file that can have many lines and many changes.
pub(crate) const LARGE: &str = "src/large.rs";

/// A word that occurs in some threads.
pub(crate) const WORD: &str = "overflow";

/// Maximum number of threads on the large file.
const MAX_THREADS_ON_LARGE: usize = 100;

/// The size of each part of a workspace.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sizes {
    /// The number of source files, and of lines in each.
    pub(crate) files: usize,
    pub(crate) file_lines: usize,
    /// The number of changed files, and of replaced lines in each.
    pub(crate) changed_files: usize,
    pub(crate) changed_lines: usize,
    /// The number of lines in the large file, and of replaced lines in it.
    pub(crate) large_lines: usize,
    pub(crate) large_changed_lines: usize,
    pub(crate) threads: usize,
    /// The number of comments in the first thread.
    pub(crate) comments: usize,
    pub(crate) checkpoints: usize,
    /// The number of steps of [`CHECKPOINT`].
    pub(crate) steps: usize,
    pub(crate) sessions: usize,
}

/// A repository, and the home directory of its user.
pub(crate) struct SampleWorkspace {
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) sizes: Sizes,
    /// The files of the review threads; the first one is on the large file and may have many comments.
    pub(crate) threads: Vec<PathBuf>,
}

impl Corpora {
    /// Generates a workspace; replaces the one of an earlier run.
    pub(crate) fn workspace(
        &self,
        skein: &Skein,
        name: &str,
        sizes: Sizes,
    ) -> Outcome<SampleWorkspace> {
        let base = self.dir.join(name);
        if base.exists() {
            fs::remove_dir_all(&base)?;
        }
        let (root, home) = (base.join("atlas"), base.join("home"));
        let mut workspace = SampleWorkspace { root, home, sizes, threads: Vec::new() };
        workspace.write_sources()?;
        workspace.add_threads(skein)?;
        workspace.add_checkpoints()?;
        workspace.change_sources()?;
        Ok(workspace)
    }
}

impl SampleWorkspace {
    /// Returns the path of a changed source file.
    pub(crate) fn changed_file(&self, number: usize) -> String {
        source::path(number % self.sizes.changed_files)
    }

    /// Returns the path of a review thread.
    pub(crate) fn thread(&self, number: usize) -> PathBuf {
        self.threads.get(number % self.threads.len()).cloned().unwrap_or_default()
    }

    /// Commits all files.
    pub(crate) fn commit(&self, message: &str, date: &str) -> Outcome<()> {
        let (name, email) = ("Ana", "ana@example.org");
        skein_git::commit_all(&self.root, &CommitAs { name, email, date, message })?;
        Ok(())
    }

    pub(crate) fn put(&self, path: &str, lines: &[String]) -> Outcome<()> {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().ok_or("a file without a directory")?)?;
        Ok(put(&path, (lines.join("\n") + "\n").as_bytes())?)
    }

    fn write_sources(&self) -> Outcome<()> {
        for number in 0..self.sizes.files {
            self.put(&source::path(number), &source::text(number, self.sizes.file_lines))?;
        }
        self.put(LARGE, &source::text(0, self.sizes.large_lines))?;
        skein_git::init(&self.root, "main")?;
        fs::create_dir_all(self.root.join(".git/info"))?;
        self.put(".git/info/exclude", &["/workspace/\n/.code-review/".to_owned()])?;
        self.commit("begin", "2026-05-20T09:00:00Z")
    }

    fn change_sources(&self) -> Outcome<()> {
        let Sizes { changed_files, file_lines, changed_lines, .. } = self.sizes;
        for number in 0..changed_files {
            self.put(&source::path(number), &source::edited(number, file_lines, changed_lines))?;
        }
        let Sizes { large_lines, large_changed_lines, .. } = self.sizes;
        self.put(LARGE, &source::edited(0, large_lines, large_changed_lines))
    }

    /// Adds threads to the files; every third one is resolved.
    fn add_threads(&mut self, skein: &Skein) -> Outcome<()> {
        if self.sizes.threads == 0 {
            return Ok(());
        }
        let items: Vec<Value> =
            (0..self.sizes.threads).map(|number| self.new_thread(number)).collect();
        let args = ["review", "add", "--from", "-"];
        skein.run(&self.root, &self.home, &args, &serde_json::to_vec(&items)?)?;
        self.threads = files(&self.root.join(".code-review/threads"))?;
        self.threads.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        if self.threads.len() != self.sizes.threads {
            return Err(format!("{} threads were added", self.threads.len()).into());
        }
        // The names of the files are random. The first thread is on the same file at every size.
        for number in 0..self.threads.len() {
            if fs::read_to_string(self.thread(number))?.contains("of `0`: ") {
                self.threads.swap(0, number);
                break;
            }
        }
        for (number, path) in self.threads.iter().enumerate() {
            let count = if number == 0 { self.sizes.comments } else { 1 + number % 4 };
            let mut text = fs::read_to_string(path)?;
            text.extend((1..count).map(reply));
            put(path, text.as_bytes())?;
        }
        let resolved = self.threads.iter().skip(1).step_by(3).map(|path| stem(path));
        let args: Vec<&str> = ["review", "resolve"].into_iter().chain(resolved).collect();
        skein.run(&self.root, &self.home, &args, &[])?;
        Ok(())
    }

    fn new_thread(&self, number: usize) -> Value {
        let on_large = number.is_multiple_of(10) && number < 10 * MAX_THREADS_ON_LARGE;
        let (file, lines) = match on_large {
            true => (LARGE.to_owned(), self.sizes.large_lines),
            false => (source::path(number % self.sizes.files), self.sizes.file_lines),
        };
        let line = number * 7 % lines.max(1) + 1;
        let mut random = seeded(7, number);
        let word = if number.is_multiple_of(50) { WORD } else { "order" };
        let words = random.usize(8..=40);
        let body = format!("Check the {word} of `{number}`: {}", sentence(&mut random, words));
        let end_line = (line + number % 5).min(lines);
        json!({ "file": file, "line": line, "end_line": end_line, "body": body })
    }

    /// Adds checkpoints and sessions, and one checkpoint that lists all files.
    fn add_checkpoints(&self) -> Outcome<()> {
        let folder = self.root.join(CHECKPOINTS);
        write_threads(Kind::Checkpoint, &folder, self.sizes.checkpoints)?;
        let sessions = self.home.join(".config/opencode");
        fs::create_dir_all(&sessions)?;
        put(&sessions.join("mattermost-threads.json"), &session::file(self.sizes.sessions))?;
        if self.sizes.steps == 0 {
            return Ok(());
        }
        let commit = String::from_utf8(skein_git::run(&self.root, ["rev-parse", "HEAD"])?)?;
        let step = |number| json!({ "id": format!("own-{number}"), "step": format!("Check part {number}") });
        let checkpoint = json!({
            "thread_id": CHECKPOINT,
            "version": 1,
            "type": "checkpoint",
            "created_at": "2026-06-01T10:00:00.000Z",
            "updated_at": "2026-06-01T10:00:00.000Z",
            "workspace_root": self.root,
            "cwd": self.root,
            "git": { "branch": "main", "current_commit": commit.trim(), "dirty": true },
            "conversation_summary": "Every part was moved.",
            "files_touched": (0..self.sizes.files).map(source::path).collect::<Vec<_>>(),
            "next_steps": (0..self.sizes.steps).map(step).collect::<Vec<_>>(),
            "metadata": { "title": "Move every part", "tags": ["move"] },
        });
        let path = folder.join(format!("{CHECKPOINT}.json"));
        Ok(put(&path, &serde_json::to_vec_pretty(&checkpoint)?)?)
    }
}

/// Returns a comment with Markdown.
pub(crate) fn reply(number: usize) -> String {
    let mut random = seeded(9, number);
    let author = if number.is_multiple_of(2) { "Ana" } else { "Claude Code" };
    let (hour, minute) = (number / 60 % 24, number % 60);
    let text = sentence(&mut random, 30);
    let code = source::code(&mut random, 3).join("\n");
    let body = match number % 4 {
        0 => format!("{text}\n\n```rust\n{code}\n```"),
        1 => format!("Done, with a **test** for the empty case: {text}"),
        2 => format!("1. {text}\n2. *{text}*"),
        _ => format!("{text}\n\n| case | found |\n|---|---|\n| `{number}` | 7 |"),
    };
    format!(
        "\n<local-code-review-comment id=\"comment-{number}\" author=\"{author}\" \
         createdAt=\"2026-06-01T{hour:02}:{minute:02}:00.000Z\"/>\n\n{body}\n"
    )
}
