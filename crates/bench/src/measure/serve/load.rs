//! Many browsers at once, while somebody writes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::change::Writer;
use super::client::{As, Client};
use super::server::ServerAddress;
use super::stream::Stream;
use crate::Outcome;
use crate::corpus::Workspace;

/// How many browsers listen.
pub(super) const STREAMS: usize = 20;
/// How many requests come in a second, and for how long.
pub(super) const RATE: u32 = 50;
const SECONDS: u32 = 10;
/// How many of them may wait for their answers at once.
const CONNECTIONS: usize = 24;
/// How long somebody waits between two comments.
const BETWEEN: Duration = Duration::from_millis(200);

/// Returns the times of the answers, from the moment when each request was due.
///
/// A server that falls behind does not slow the requests down: what waits is counted.
pub(super) fn times(door: &ServerAddress, workspace: &Workspace) -> Outcome<Vec<Duration>> {
    let streams = (0..STREAMS).map(|_| Stream::open(door)).collect::<Outcome<Vec<_>>>()?;
    let (next, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let start = Instant::now();
    let times = thread::scope(|scope| {
        let writer = scope.spawn(|| write(workspace, &done).map_err(|error| error.to_string()));
        let ask = || ask(door, workspace, &next, start).map_err(|error| error.to_string());
        let askers: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(ask)).collect();
        let mut times = Vec::new();
        for asker in askers {
            times.extend(asker.join().map_err(|_| "a browser died")??);
        }
        done.store(true, Ordering::Relaxed);
        writer.join().map_err(|_| "the writer died")??;
        Ok::<_, Box<dyn std::error::Error>>(times)
    })?;
    match streams.iter().all(|stream| stream.count() > 0) {
        true => Ok(times),
        false => Err("a stream told nothing".into()),
    }
}

fn ask(
    door: &ServerAddress,
    workspace: &Workspace,
    next: &AtomicUsize,
    start: Instant,
) -> Outcome<Vec<Duration>> {
    let mut client = Client::connect(door)?;
    let mut times = Vec::new();
    loop {
        let number = u32::try_from(next.fetch_add(1, Ordering::Relaxed))?;
        if number >= RATE * SECONDS {
            return Ok(times);
        }
        let due = start + Duration::from_secs(1) * number / RATE;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let (address, how) = request(workspace, number as usize);
        client.get(&address, how)?;
        times.push(due.elapsed());
    }
}

/// Returns what is asked for: what open pages ask when something changed, and now and then another page.
fn request(workspace: &Workspace, number: usize) -> (String, As) {
    let file = || workspace.changed.get(number * 7 % workspace.changed.len());
    let file = || file().map(String::as_str).unwrap_or_default();
    let thread = || {
        let path = workspace.threads.get(number * 11 % workspace.threads.len());
        path.and_then(|path| path.file_stem()?.to_str()).unwrap_or_default()
    };
    match number % 10 {
        0 => ("/".to_owned(), As::Browser),
        1 | 3 | 5 | 7 => ("/".to_owned(), As::Live),
        2 | 6 => (format!("/fragment/section?name={}", file()), As::Browser),
        4 => ("/threads".to_owned(), As::Live),
        8 => (format!("/thread/{}", thread()), As::Browser),
        _ => (format!("/file/{}", file()), As::Browser),
    }
}

fn write(workspace: &Workspace, done: &AtomicBool) -> Outcome<()> {
    let mut writer = Writer::new(workspace)?;
    while !done.load(Ordering::Relaxed) {
        writer.comment()?;
        thread::sleep(BETWEEN);
    }
    Ok(())
}
