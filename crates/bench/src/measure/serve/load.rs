//! Measures many simultaneous requests while threads change.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::change::CommentWriter;
use super::server::{EventStream, RequestKind, ServerAddress};
use crate::Outcome;
use crate::corpus::{SampleWorkspace, stem};

/// The number of clients that receive events.
const STREAMS: usize = 20;
/// The number of requests per second, and the number of seconds.
const RATE: u32 = 50;
const SECONDS: u32 = 10;
/// Maximum number of simultaneous requests.
const MAX_WAITING: usize = 24;
const COMMENT_INTERVAL: Duration = Duration::from_millis(200);

/// Returns the time from the scheduled start of each request to its answer.
///
/// The schedule does not depend on the server, so the times include waiting.
pub(super) fn times(
    address: &ServerAddress,
    workspace: &SampleWorkspace,
    writer: &mut CommentWriter<'_>,
) -> Outcome<Vec<Duration>> {
    let streams = (0..STREAMS).map(|_| EventStream::open(address)).collect::<Outcome<Vec<_>>>()?;
    let (next, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let start = Instant::now();
    let browser = || -> Outcome<Vec<Duration>> {
        let mut times = Vec::new();
        loop {
            let number = u32::try_from(next.fetch_add(1, Ordering::Relaxed))?;
            if number >= RATE * SECONDS {
                return Ok(times);
            }
            let due = start + Duration::from_secs(1) * number / RATE;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let (path, kind) = request(workspace, number as usize);
            address.get(&path, kind)?;
            times.push(due.elapsed());
        }
    };
    let mut write = || -> Outcome<()> {
        while !is_done.load(Ordering::Relaxed) {
            writer.comment()?;
            thread::sleep(COMMENT_INTERVAL);
        }
        Ok(())
    };
    let times = thread::scope(|scope| {
        let writer = scope.spawn(move || write().map_err(|error| error.to_string()));
        let browser = || browser().map_err(|error| error.to_string());
        let browsers: Vec<_> = (0..MAX_WAITING).map(|_| scope.spawn(browser)).collect();
        let joined = browsers.into_iter().map(|browser| browser.join().map_err(|_| "panicked")?);
        let times = joined.collect::<Result<Vec<_>, String>>();
        is_done.store(true, Ordering::Relaxed);
        writer.join().map_err(|_| "panicked")??;
        times
    })?;
    match streams.iter().all(|stream| stream.count() > 0) {
        true => Ok(times.concat()),
        false => Err("a stream received no event".into()),
    }
}

/// Returns a request: usually one of an open page after a change, sometimes another page.
fn request(workspace: &SampleWorkspace, number: usize) -> (String, RequestKind) {
    let file = workspace.changed_file(number * 7);
    match number % 10 {
        0 => ("/".to_owned(), RequestKind::Browser),
        1 | 3 | 5 | 7 => ("/".to_owned(), RequestKind::Live),
        2 | 6 => (format!("/fragment/section?name={file}"), RequestKind::Browser),
        4 => ("/threads".to_owned(), RequestKind::Live),
        8 => (format!("/thread/{}", stem(&workspace.thread(number * 11))), RequestKind::Browser),
        _ => (format!("/file/{file}"), RequestKind::Browser),
    }
}
