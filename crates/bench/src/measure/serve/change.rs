//! Changes files while the server runs.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::server::{EventStream, RequestKind, ServerAddress};
use crate::Outcome;
use crate::corpus::{SampleWorkspace, put, stem};

/// The number of changes of each type.
const CHANGES: usize = 40;
const EVENT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time in which the server reports a change and becomes idle again.
const PAUSE: Duration = Duration::from_millis(150);

/// Returns the times from the start of writing a comment to its event.
pub(super) fn comment_times(
    address: &ServerAddress,
    writer: &mut CommentWriter<'_>,
) -> Outcome<Vec<Duration>> {
    let stream = EventStream::open(address)?;
    let time = |_| {
        std::thread::sleep(PAUSE);
        let start = Instant::now();
        let id = writer.comment()?;
        let arrived = stream.wait(|event| event.threads.contains(&id), EVENT_TIMEOUT)?;
        Ok(arrived.duration_since(start))
    };
    (0..CHANGES).map(time).collect()
}

/// Returns the times from the start of writing a source file to its event.
pub(super) fn edit_times(
    address: &ServerAddress,
    workspace: &SampleWorkspace,
) -> Outcome<Vec<Duration>> {
    let stream = EventStream::open(address)?;
    let mut times = Vec::new();
    for number in 0..CHANGES {
        let name = workspace.changed_file(number * 13);
        let path = workspace.root.join(&name);
        let old = std::fs::read(&path)?;
        let new = [b"// edited again\n".as_slice(), &old].concat();
        for text in [new, old] {
            std::thread::sleep(PAUSE);
            let start = Instant::now();
            put(&path, &text)?;
            let arrived = stream.wait(|event| event.files.contains(&name), EVENT_TIMEOUT)?;
            times.push(arrived.duration_since(start));
        }
    }
    Ok(times)
}

/// Appends comments to review threads, as another program would.
pub(super) struct CommentWriter<'a> {
    pub(super) workspace: &'a SampleWorkspace,
    pub(super) count: usize,
}

impl CommentWriter<'_> {
    /// Adds a comment to the next thread, and returns the id of the thread.
    pub(super) fn comment(&mut self) -> Outcome<String> {
        let path: PathBuf = self.workspace.thread(self.count * 37);
        self.count += 1;
        let id = format!("measured-{}", self.count);
        let comment = format!(
            "\n<local-code-review-comment id=\"{id}\" author=\"Claude Code\" \
             createdAt=\"2026-07-01T00:00:00.000Z\"/>\n\nDone, with a **test** for the empty case.\n"
        );
        let old = skein_store::read(&path)?;
        let text = [old.bytes.as_slice(), comment.as_bytes()].concat();
        let store = self.workspace.root.join(".code-review");
        let guard = skein_store::lock(&skein_store::RealFs, &store, EVENT_TIMEOUT)?;
        skein_store::replace(&skein_store::RealFs, &guard, &path, &old.revision, &text)?;
        Ok(stem(&path).to_owned())
    }
}

/// Writes a checkpoint as another program would, and returns the time until the page shows it.
pub(super) fn new_checkpoint_time(
    address: &ServerAddress,
    workspace: &SampleWorkspace,
) -> Outcome<Duration> {
    let id = "T-20300101-000000-bench-new";
    let text = format!(
        "{{\"thread_id\": \"{id}\", \"version\": 1, \"type\": \"checkpoint\", \"conversation_summary\": \"New\"}}"
    );
    put(&workspace.root.join(format!("workspace/threads/{id}.json")), text.as_bytes())?;
    let start = Instant::now();
    while start.elapsed() < EVENT_TIMEOUT {
        if address.get("/work", RequestKind::Plain)?.body.contains(id) {
            return Ok(start.elapsed());
        }
    }
    Err("the page does not show the new checkpoint".into())
}
