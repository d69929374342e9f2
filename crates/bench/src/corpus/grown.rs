//! Small workspaces of which one part is large.

use std::fs;
use std::path::{Path, PathBuf};

use skein_format::path::WorkspacePath;
use skein_git::CommitAs;
use skein_review::{AddOptions, CodeLocation, NewThread, add};
use skein_store::Dirs;
use skein_workspace::{Actor, Env, discover};

use super::{Corpora, FORM, Kind, put};
use crate::Outcome;
use crate::measure::env;

/// What there is more and more of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Files in the repository, all of which a checkpoint names.
    Files,
    /// Review threads, and as many checkpoints.
    Threads,
    /// Comments in one thread.
    Comments,
    /// Steps of one checkpoint, with ids of their own.
    Steps,
    /// Lines that are removed or added in one file.
    Lines,
}

impl Axis {
    pub(crate) const ALL: [Self; 5] =
        [Self::Files, Self::Threads, Self::Comments, Self::Steps, Self::Lines];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Threads => "threads",
            Self::Comments => "comments",
            Self::Steps => "steps",
            Self::Lines => "lines",
        }
    }

    /// Returns the size that is doubled three times.
    pub(crate) fn first_size(self) -> usize {
        match self {
            Self::Files => 2_000,
            Self::Threads | Self::Comments => 500,
            Self::Steps | Self::Lines => 2_500,
        }
    }
}

/// A workspace and the home of its user.
pub(crate) struct Grown {
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    /// The ids of the review threads; the first one may have many comments.
    pub(crate) threads: Vec<String>,
    /// The number of steps of the checkpoint.
    pub(crate) steps: usize,
}

/// The checkpoint that may have many steps and name many files.
pub(crate) const CHECKPOINT: &str = "T-20260601-100000-many";

/// The file in which many lines may differ.
pub(crate) const LARGE: &str = "src/large.rs";

/// A word that is in some threads.
pub(crate) const WORD: &str = "overflow";

const STORE: &str = ".code-review";
/// How many files are in a folder.
const FOLDER: usize = 100;
/// How many small files differ from the last commit.
const CHANGED: usize = 20;
/// Every so many threads are on the large file, but not more than [`FOLDER`] in all.
const ON_LARGE: usize = 10;

/// How much there is of each.
struct Sizes {
    files: usize,
    threads: usize,
    checkpoints: usize,
    comments: usize,
    steps: usize,
    lines: usize,
}

impl Sizes {
    fn new(axis: Axis, size: usize) -> Self {
        let of = |wanted: Axis, usual: usize| if axis == wanted { size } else { usual };
        Self {
            files: of(Axis::Files, 200),
            threads: of(Axis::Threads, 20),
            checkpoints: of(Axis::Threads, 20),
            comments: of(Axis::Comments, 3),
            steps: of(Axis::Steps, 20),
            lines: of(Axis::Lines, 40),
        }
    }
}

impl Corpora {
    /// Makes the workspace with `size` of one thing, in place of the one of an earlier run.
    pub(crate) fn grown(&self, axis: Axis, size: usize) -> Outcome<Grown> {
        let base = self.dir.join(FORM).join(format!("growth-{}-{size}", axis.name()));
        let (root, home) = (base.join("atlas"), base.join("home"));
        if base.exists() {
            fs::remove_dir_all(&base)?;
        }
        fs::create_dir_all(&root)?;
        fs::create_dir_all(&home)?;
        let sizes = Sizes::new(axis, size);
        write_sources(&root, &sizes)?;
        let threads = add_threads(&root, &home, &sizes)?;
        add_comments(&root, threads.first().ok_or("no thread was added")?, sizes.comments)?;
        add_checkpoints(&root, &sizes)?;
        change_sources(&root, &sizes)?;
        Ok(Grown { root, home, threads, steps: sizes.steps })
    }
}

fn source(number: usize) -> String {
    format!("src/part_{}/file_{number}.rs", number / FOLDER)
}

/// Commits the files as they are before the work on them.
fn write_sources(root: &Path, sizes: &Sizes) -> Outcome<()> {
    for number in 0..sizes.files {
        let path = root.join(source(number));
        if number % FOLDER == 0 {
            fs::create_dir_all(path.parent().unwrap_or(root))?;
        }
        let lines = (0..30).map(|line| format!("let value_{line} = compute({number}, {line});\n"));
        put(&path, lines.collect::<String>().as_bytes())?;
    }
    put(&root.join(LARGE), large(sizes.lines, "old").as_bytes())?;
    skein_git::init(root, "main")?;
    fs::create_dir_all(root.join(".git/info"))?;
    put(&root.join(".git/info/exclude"), b"/workspace/\n/.code-review/\n")?;
    let date = "2026-05-20T09:00:00Z";
    let (name, email, message) = ("Ana", "ana@example.org", "begin");
    skein_git::commit_all(root, &CommitAs { name, email, date, message })?;
    Ok(())
}

/// Returns a text in which five lines in fifteen say which version it is; two such versions differ in so many lines,
/// counting both what is removed and what is added.
fn large(lines: usize, version: &str) -> String {
    let line = |number: usize| match number % 15 {
        0..5 => format!("let {version}_{number} = compute({number});\n"),
        _ => format!("let same_{number} = compute({number});\n"),
    };
    (0..lines / 2 * 3).map(line).collect()
}

/// Edits some of the small files, so that threads on them have moved, and the large one.
fn change_sources(root: &Path, sizes: &Sizes) -> Outcome<()> {
    for number in 0..sizes.files.min(CHANGED) {
        let path = root.join(source(number));
        let text = fs::read(&path)?;
        put(&path, &[b"// edited\n".as_slice(), &text].concat())?;
    }
    Ok(put(&root.join(LARGE), large(sizes.lines, "new").as_bytes())?)
}

/// Adds threads all over the files, and returns their ids.
fn add_threads(root: &Path, home: &Path, sizes: &Sizes) -> Outcome<Vec<String>> {
    let dirs = Dirs::new(home.join("state"), home.join("cache"));
    let env = Env { home: Some(home.to_owned()), dirs, ..env(root) };
    let large_lines = sizes.lines / 2 * 3;
    let thread = |number: usize| {
        let on_large = number.is_multiple_of(ON_LARGE) && number < FOLDER * ON_LARGE;
        let (path, lines) = match on_large {
            true => (LARGE.to_owned(), large_lines),
            false => (source(number % sizes.files), 30),
        };
        let line = u32::try_from(number * 7 % lines.max(1) + 1)?;
        let path =
            WorkspacePath::parse(&path, STORE).map_err(|problem| format!("{path} {problem}"))?;
        let word = if number.is_multiple_of(50) { WORD } else { "order" };
        Ok(NewThread {
            place: CodeLocation { path, lines: Some((line, line)), column: None },
            body: format!("Is this right when the {word} of number {number} changes?"),
            suggestion: None,
            expect: None,
        })
    };
    let threads = (0..sizes.threads).map(thread).collect::<Outcome<Vec<_>>>()?;
    let actor = Actor { name: "Ana".to_owned(), agent: false };
    let options = AddOptions { draft: false, changed_only: false };
    add(&discover(&env), &env, &actor, &threads, options)?;
    let entries = fs::read_dir(root.join(STORE).join("threads"))?;
    let mut names = entries.map(|entry| Ok(entry?.path())).collect::<Outcome<Vec<_>>>()?;
    names.retain(|path| path.extension().is_some_and(|end| end == "md"));
    names.sort_unstable();
    let stems = names.iter().filter_map(|path| path.file_stem()?.to_str());
    Ok(stems.map(str::to_owned).collect())
}

fn add_comments(root: &Path, thread: &str, count: usize) -> Outcome<()> {
    let path = root.join(STORE).join(format!("threads/{thread}.md"));
    let mut text = fs::read_to_string(&path)?;
    text.extend((1..count).map(|number| {
        let author = if number.is_multiple_of(2) { "Ana" } else { "Claude Code" };
        let (hour, minute) = (number / 60 % 24, number % 60);
        format!(
            "\n<local-code-review-comment id=\"comment-{number}\" author=\"{author}\" \
             createdAt=\"2026-06-01T{hour:02}:{minute:02}:00.000Z\"/>\n\n\
             Done in the way of `step {number}`, with a **test** for the empty case.\n"
        )
    }));
    Ok(put(&path, text.as_bytes())?)
}

/// Adds the checkpoint that names all files, and others.
fn add_checkpoints(root: &Path, sizes: &Sizes) -> Outcome<()> {
    let folder = root.join("workspace/threads");
    fs::create_dir_all(&folder)?;
    for number in 0..sizes.checkpoints {
        let (name, bytes) = Kind::Checkpoint.file(number);
        put(&folder.join(name), &bytes)?;
    }
    let commit = String::from_utf8(skein_git::run(root, ["rev-parse", "HEAD"])?)?;
    let steps = (0..sizes.steps).map(|number| {
        serde_json::json!({ "id": format!("own-{number}"), "step": format!("Check part {number}") })
    });
    let checkpoint = serde_json::json!({
        "thread_id": CHECKPOINT,
        "version": 1,
        "type": "checkpoint",
        "created_at": "2026-06-01T10:00:00.000Z",
        "updated_at": "2026-06-01T10:00:00.000Z",
        "workspace_root": root,
        "cwd": root,
        "git": { "branch": "main", "current_commit": commit.trim(), "dirty": true },
        "conversation_summary": "Every part was moved.",
        "files_touched": (0..sizes.files).map(source).collect::<Vec<_>>(),
        "next_steps": steps.collect::<Vec<_>>(),
        "metadata": { "title": "Move every part", "tags": ["move"] },
    });
    let bytes = serde_json::to_vec_pretty(&checkpoint)?;
    Ok(put(&folder.join(format!("{CHECKPOINT}.json")), &bytes)?)
}
