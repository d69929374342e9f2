//! Somebody else changes files while the server runs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use skein_format::review::{NewComment, ReviewDoc};
use skein_format::time::Time;
use skein_store::{RealFs, lock, read, replace};

use super::super::NOW;
use super::server::ServerAddress;
use super::stream::Stream;
use crate::Outcome;
use crate::corpus::{Workspace, put};

/// How many changes of a kind are made.
const CHANGES: usize = 40;
/// What is not told by then is never told.
const EVENT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer than the server takes to tell of a change and to be at rest again.
const REST: Duration = Duration::from_millis(150);

/// Returns the times from before a comment is written until the stream tells of it.
pub(super) fn comments(door: &ServerAddress, workspace: &Workspace) -> Outcome<Vec<Duration>> {
    let stream = Stream::open(door)?;
    let mut writer = Writer::new(workspace)?;
    let mut times = Vec::new();
    for _ in 0..CHANGES {
        std::thread::sleep(REST);
        let start = Instant::now();
        let id = writer.comment()?;
        let told = stream.wait(|event| event.threads.contains(&id), EVENT_TIMEOUT);
        times.push(told.ok_or("the server did not tell of a comment")?.duration_since(start));
    }
    Ok(times)
}

/// Returns the times from before a source file is written until the stream tells of it.
pub(super) fn edits(door: &ServerAddress, workspace: &Workspace) -> Outcome<Vec<Duration>> {
    let stream = Stream::open(door)?;
    let mut times = Vec::new();
    for number in 0..CHANGES {
        let name = workspace.changed.get(number * 13 % workspace.changed.len());
        let name = name.ok_or("no file is changed")?;
        let path = workspace.root.join(name);
        let old = read(&path)?.bytes;
        let new = [b"// edited\n".as_slice(), &old].concat();
        let _before = Before { files: vec![(path.clone(), old.clone())] };
        for text in [new, old] {
            std::thread::sleep(REST);
            let start = Instant::now();
            put(&path, &text)?;
            let told = stream.wait(|event| event.files.contains(name), EVENT_TIMEOUT);
            times.push(told.ok_or("the server did not tell of an edit")?.duration_since(start));
        }
    }
    Ok(times)
}

/// Writes comments like another program that knows how, and takes them back in the end.
pub(super) struct Writer<'a> {
    workspace: &'a Workspace,
    count: usize,
    before: Before,
}

/// Files as they were, which they are again when this is dropped.
#[derive(Default)]
struct Before {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Drop for Before {
    fn drop(&mut self) {
        for (path, bytes) in self.files.iter().rev() {
            // A corpus in which more was said is as good.
            drop(put(path, bytes));
        }
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(workspace: &'a Workspace) -> Outcome<Self> {
        match workspace.threads.is_empty() {
            true => Err("there are no threads".into()),
            false => Ok(Self { workspace, count: 0, before: Before::default() }),
        }
    }

    /// Adds a comment to the next thread and returns the thread's id.
    pub(super) fn comment(&mut self) -> Outcome<String> {
        let threads = &self.workspace.threads;
        let path = threads.get(self.count * 37 % threads.len()).cloned().unwrap_or_default();
        self.count += 1;
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let old = read(&path)?;
        let (mut doc, _) = ReviewDoc::parse(old.bytes.clone(), &stem, ".code-review");
        doc.append_comment(&NewComment {
            id: format!("measured-{}", self.count),
            author: "Claude Code".to_owned(),
            created_at: Time::from_millis(NOW),
            body: "Done, with a **test** for the empty case.".to_owned(),
        })?;
        let guard = lock(&RealFs, &self.workspace.root.join(".code-review"), EVENT_TIMEOUT)?;
        replace(&RealFs, &guard, &path, &old.revision, doc.to_bytes())?;
        self.before.files.push((path, old.bytes));
        Ok(stem)
    }
}
