//! Measures the pages of a large review, over the loopback interface.

mod browser;
mod change;
mod load;
pub(super) mod server;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{Bench, read_all};
use crate::Outcome;
use crate::corpus::{LARGE, SampleWorkspace, Sizes};
use crate::table::{ResultRow, Unit};
use crate::timing::{TimePair, Turns, percentile, timed};
use change::{CommentWriter, comment_times, edit_times, new_checkpoint_time};
use server::{RequestKind, RunningServer, ServerAddress};

/// The number of turns of a page and its baseline.
const TURNS: Turns = Turns::median_of(20, 2);

/// A repository with 20,000 removed and added lines, and a file of 10,000 lines.
const REVIEW: Sizes = Sizes {
    files: 200,
    file_lines: 350,
    changed_files: 150,
    changed_lines: 66,
    large_lines: 10_000,
    large_changed_lines: 20,
    threads: 2_000,
    comments: 5,
    checkpoints: 10_000,
    steps: 20,
    sessions: 1_000,
};

/// The number of clients that request a page without reading it, and the number of lines of its file.
const UNREAD_CLIENTS: usize = 100;
const UNREAD_LINES: usize = 150_000;
/// When the peak memory has not changed for this long, the server has written everything that it can.
const SETTLE_TIME: Duration = Duration::from_secs(3);

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let workspace = bench.corpora.workspace(&bench.skein, "review", REVIEW)?;
    let (start, server) =
        timed(|| RunningServer::start(&bench.skein, &workspace.root, &workspace.home));
    let server = server?;
    let address = &server.address;
    let first = address.get("/", RequestKind::Browser)?.time;
    let mut rows = vec![
        ResultRow::time("start until it listens", "20k lines", start),
        ResultRow::time("first page, right after the start", "20k lines", first),
    ];
    rows.extend(review_rows(address, &workspace)?);
    rows.extend(work_rows(address, &workspace)?);
    let mut writer = CommentWriter { workspace: &workspace, count: 0 };
    rows.extend(change_rows(address, &workspace, &mut writer)?);
    rows.extend(browser::live_rows(address, &workspace));
    rows.extend(browser::paint_rows(bench)?);
    rows.extend(load_rows(&server, &workspace, &mut writer)?);
    rows.extend(unread_rows(bench)?);
    Ok(rows)
}

/// Compares pages with other operations on the same files.
fn review_rows(address: &ServerAddress, workspace: &SampleWorkspace) -> Outcome<Vec<ResultRow>> {
    let git_diff = || {
        let (time, diff) = timed(|| skein_git::run(&workspace.root, ["diff", "HEAD"]));
        super::check(!diff?.is_empty(), "there are no changes", time)
    };
    let row = |name, corpus, path, kind, baseline: &dyn Fn() -> Outcome<Duration>| {
        let pair = TURNS.run(baseline, || Ok(address.get(path, kind)?.time))?;
        Outcome::Ok(ResultRow::pair(name, corpus, pair))
    };
    let (browser, live) = (RequestKind::Browser, RequestKind::Live);
    let file = format!("/file/{LARGE}");
    let read_threads = || read_all(&workspace.threads);
    let icon = || icon_time(address);
    let size = wire_size(address)?;
    Ok(vec![
        row("first page / `git diff`", "20k lines", "/", browser, &git_diff)?.at_most(60.0),
        row("its refresh / `git diff`", "20k lines", "/", live, &git_diff)?,
        row("file with 100 threads / an icon", "10k lines", &file, browser, &icon)?.at_most(80.0),
        row("page of threads / read them", "2k threads", "/threads", browser, &read_threads)?,
        ResultRow::amount("first page on the wire", "20k lines", size, Unit::Kilobytes)
            .at_most(300.0),
    ])
}

/// Returns the time of the smallest answer of the server.
fn icon_time(address: &ServerAddress) -> Outcome<Duration> {
    Ok(address.get("/assets/icon.svg", RequestKind::Browser)?.time)
}

/// Returns the transferred kilobytes of the first page with its style sheet and all of its modules.
fn wire_size(address: &ServerAddress) -> Outcome<f64> {
    let page = address.get("/", RequestKind::Plain)?.body;
    let mut pending: Vec<String> =
        page.split('"').filter(|text| text.starts_with("/assets/")).map(str::to_owned).collect();
    let mut seen = BTreeSet::new();
    let mut bytes = address.get("/", RequestKind::Browser)?.bytes;
    while let Some(asset) = pending.pop() {
        if !seen.insert(asset.clone()) {
            continue;
        }
        bytes += address.get(&asset, RequestKind::Browser)?.bytes;
        if asset.ends_with(".js") {
            let text = address.get(&asset, RequestKind::Plain)?.body;
            let modules = text.split('"').filter_map(|text| text.strip_prefix("./"));
            let (folder, _) = asset.rsplit_once('/').ok_or("an asset has no folder")?;
            pending.extend(modules.map(|module| format!("{folder}/{module}")));
        }
    }
    match seen.len() {
        0..3 => Err("the page has no stylesheet or no modules".into()),
        _ => Ok(bytes as f64 / 1e3),
    }
}

/// Measures the pages of checkpoints and sessions. The first request is a row of its own, because it reads all checkpoints.
fn work_rows(address: &ServerAddress, workspace: &SampleWorkspace) -> Outcome<Vec<ResultRow>> {
    let corpus = "10k checkpoints";
    let (first, page) = timed(|| address.get("/work", RequestKind::Plain));
    let checkpoint = link(&page?.body, "/work/T-")?;
    let file = link(&address.get(&checkpoint, RequestKind::Plain)?.body, "/work?file=")?;
    let pages = [
        ("page of work", "/work"),
        ("its last page", "/work?page=9999"),
        ("work of a tag", "/work?tag=auth&steps=open&type=handoff"),
        ("page of steps", "/work/steps"),
        ("page of a checkpoint", &checkpoint),
        ("page of a new checkpoint", "/work/new"),
        ("page of the cleanup", "/work/cleanup"),
        ("work on a file", &file),
        ("page of sessions", "/sessions"),
        ("overview", "/overview"),
        ("workspaces", "/workspaces"),
        ("page of a search", "/search?q=auth"),
        ("search as you type", "/fragment/search?q=aut"),
    ];
    let mut rows = vec![ResultRow::time("the first page of work", corpus, first)];
    for (name, path) in pages {
        let get = || Ok(address.get(path, RequestKind::Browser)?.time);
        let pair = TURNS.run(|| icon_time(address), get)?;
        rows.push(ResultRow::pair(format!("{name} / an icon"), corpus, pair).at_most(60.0));
    }
    let time = new_checkpoint_time(address, workspace)?;
    rows.push(ResultRow::time("a new checkpoint until the page shows it", corpus, time));
    Ok(rows)
}

/// Returns the first link of a page that starts with a text.
fn link(page: &str, start: &str) -> Outcome<String> {
    let start = format!("href=\"{start}");
    let at = page.find(&start).ok_or_else(|| format!("the page has no link {start}"))?;
    Ok(page.get(at..).and_then(|rest| rest.split('"').nth(1)).unwrap_or_default().to_owned())
}

fn change_rows(
    address: &ServerAddress,
    workspace: &SampleWorkspace,
    writer: &mut CommentWriter<'_>,
) -> Outcome<Vec<ResultRow>> {
    let comments = comment_times(address, writer)?;
    let edits = edit_times(address, workspace)?;
    Ok(vec![
        percentile_row("a comment until its event, p50", &comments, 50),
        percentile_row("a comment until its event, p99", &comments, 99).at_most(300.0),
        percentile_row("an edit until its event, p50", &edits, 50),
        percentile_row("an edit until its event, p99", &edits, 99).at_most(300.0),
    ])
}

fn percentile_row(name: &str, times: &[Duration], percent: usize) -> ResultRow {
    ResultRow::time(name, "2k threads", percentile(times, percent))
}

fn load_rows(
    server: &RunningServer,
    workspace: &SampleWorkspace,
    writer: &mut CommentWriter<'_>,
) -> Outcome<Vec<ResultRow>> {
    let corpus = "50/s, 20 open";
    let icons = (0..200).map(|_| icon_time(&server.address)).collect::<Outcome<Vec<_>>>()?;
    let times = load::times(&server.address, workspace, writer)?;
    let pair = TimePair { baseline: percentile(&icons, 50), skein: percentile(&times, 50) };
    Ok(vec![
        ResultRow::pair("many browsers, p50 / an icon", corpus, pair),
        ResultRow::time("many browsers, p99", corpus, percentile(&times, 99)).at_most(100.0),
        ResultRow::amount("memory of the server", corpus, server.peak()?, Unit::Megabytes)
            .at_most(250.0),
    ])
}

/// Measures the memory of a server whose answers are not read.
fn unread_rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let scratch = bench.corpora.scratch()?;
    let root = scratch.path();
    skein_git::init(root, "main")?;
    let text = "some words on a line of a large file\n".repeat(UNREAD_LINES);
    crate::corpus::put(&root.join("large.txt"), text.as_bytes())?;
    let server = RunningServer::start(&bench.skein, root, &root.join("home"))?;
    // The pieces of the file, as after scrolling through all of it.
    let path = "/fragment/section?whole=1&name=large.txt&open=1-150000";
    let kind = RequestKind::Plain;
    server.address.get(path, kind)?;
    let one = server.peak()?;
    let clients = (0..UNREAD_CLIENTS).map(|_| server.address.send(path, kind));
    let _clients = clients.collect::<Outcome<Vec<_>>>()?;
    let (mut all, mut changed) = (one, Instant::now());
    while changed.elapsed() < SETTLE_TIME {
        std::thread::sleep(Duration::from_millis(100));
        let now = server.peak()?;
        if now > all {
            (all, changed) = (now, Instant::now());
        }
    }
    let row = |name, megabytes| ResultRow::amount(name, "150k lines", megabytes, Unit::Megabytes);
    Ok(vec![
        row("memory of one large page", one),
        row("memory of 100 large pages, not read", all).at_most(400.0),
    ])
}
