//! The page of a large review: how long it takes, what it weighs, and how it stays current.

mod browser;
mod change;
pub(super) mod client;
mod load;
pub(super) mod server;
mod stream;
mod weight;
mod work;

use std::time::Duration;

use super::process::program;
use super::read::{timed_read, to_end};
use crate::Outcome;
use crate::corpus::{Corpora, Workspace};
use crate::figure::Figure;
use crate::timing::{Pair, median, median_of, percentile, timed};
use client::{As, Client};
use server::Server;

/// How often a page and its baseline take turns.
const TURNS: (usize, usize) = (20, 2);

/// What the figures may be at most: milliseconds, kilobytes, megabytes.
const FIRST_PAGE: f64 = 60.0;
const WEIGHT: f64 = 300.0;
const WHOLE_FILE: f64 = 80.0;
const UNDER_LOAD: f64 = 100.0;
const MEMORY: f64 = 250.0;
const CHANGE: f64 = 300.0;
/// What a key in the search may take until its list is on the screen, in milliseconds.
const KEY: f64 = 100.0;

const CORPUS: &str = "20k lines";

/// Measures the server over the loopback interface, as a browser sees it.
pub(crate) fn figures(corpora: &Corpora) -> Outcome<Vec<Figure>> {
    let Some(program) = program()? else {
        eprintln!("passing over the server: build `skein` beside this program");
        return Ok(Vec::new());
    };
    let workspace = corpora.workspace()?;
    let (start, server) = timed(|| Server::start(&program, &workspace.root, &workspace.home));
    let server = server?;
    let mut client = Client::connect(&server.door)?;
    let first = client.get("/", As::Browser)?.time;
    let mut figures = vec![
        Figure::milliseconds("start until it listens", CORPUS, start),
        Figure::milliseconds("first page, right after the start", CORPUS, first),
    ];
    figures.extend(pages(&mut client, &workspace)?);
    figures.extend(work::pages(&mut Client::connect(&server.door)?, &workspace)?);
    figures.extend(changes(&server, &workspace)?);
    figures.extend(in_browser(&server, &workspace)?);
    figures.extend(crowd(&server, &workspace)?);
    Ok(figures)
}

/// A page that is asked for many times.
struct Page<'a> {
    /// The names of the median, of the best, and of the ratio to a baseline.
    names: [&'static str; 3],
    corpus: &'static str,
    address: &'a str,
    how: As,
    /// What the median may take, in milliseconds.
    bound: Option<f64>,
}

fn pages(client: &mut Client, workspace: &Workspace) -> Outcome<Vec<Figure>> {
    let first = Page {
        names: ["first page", "first page, best", "first page / `git diff`"],
        corpus: CORPUS,
        address: "/",
        how: As::Browser,
        bound: Some(FIRST_PAGE),
    };
    let live = Page {
        names: ["its refresh", "its refresh, best", "its refresh / `git diff`"],
        how: As::Live,
        bound: None,
        ..first
    };
    let whole = Page {
        names: ["file with 100 threads", "the file, best", "the file / an icon"],
        corpus: "10k lines",
        address: &format!("/file/{}", workspace.whole),
        how: As::Browser,
        bound: Some(WHOLE_FILE),
    };
    let threads = Page {
        names: ["page of threads", "page of threads, best", "page of threads / read them"],
        corpus: "2k threads",
        address: "/threads",
        how: As::Browser,
        bound: None,
    };
    let git = || timed_diff(workspace);
    let mut figures = against(client, &first, git)?;
    figures.extend(against(client, &live, git)?);
    let mut other = Client::connect(&client.door)?;
    figures.extend(against(client, &whole, || timed_icon(&mut other))?);
    figures.extend(against(client, &threads, || timed_read(&workspace.threads, to_end))?);
    let bytes = weight::weigh(client, "/")?;
    figures.push(Figure::kilobytes("first page on the wire", CORPUS, bytes).at_most(WEIGHT));
    Ok(figures)
}

/// Measures a page and holds it against something that is done with the same files.
fn against(
    client: &mut Client,
    page: &Page<'_>,
    mut baseline: impl FnMut() -> Outcome<Duration>,
) -> Outcome<Vec<Figure>> {
    let mut best = Duration::MAX;
    let pair = median_of(TURNS, &mut baseline, || {
        let time = client.get(page.address, page.how)?.time;
        best = best.min(time);
        Ok(time)
    })?;
    let [name, best_name, ratio_name] = page.names;
    let time = Figure::milliseconds(name, page.corpus, pair.skein);
    let time = match page.bound {
        Some(bound) => time.at_most(bound),
        None => time,
    };
    Ok(vec![
        time,
        Figure::milliseconds(best_name, page.corpus, best),
        Figure::ratio(ratio_name, page.corpus.to_owned(), pair),
    ])
}

fn changes(server: &Server, workspace: &Workspace) -> Outcome<Vec<Figure>> {
    let comments = change::comments(&server.door, workspace)?;
    let edits = change::edits(&server.door, workspace)?;
    Ok(vec![
        row("a comment until its event, p50", &comments, 50),
        row("a comment until its event, p99", &comments, 99).at_most(CHANGE),
        row("an edit until its event, p50", &edits, 50),
        row("an edit until its event, p99", &edits, 99).at_most(CHANGE),
    ])
}

fn in_browser(server: &Server, workspace: &Workspace) -> Outcome<Vec<Figure>> {
    let Some(times) = browser::times(&server.door, workspace)? else {
        return Ok(Vec::new());
    };
    let browser::Times { comments, edits } = times;
    let all = [comments.clone(), edits.clone()].concat();
    let keys = browser::keys(&server.door)?.unwrap_or_default();
    let key = |name, share| Figure::milliseconds(name, "12k threads", percentile(&keys, share));
    Ok(vec![
        row("a comment until the page, p50", &comments, 50),
        row("an edit until the page, p50", &edits, 50),
        row("either until the page, p99", &all, 99).at_most(CHANGE),
        key("a key until its list, p50", 50),
        key("a key until its list, p99", 99).at_most(KEY),
    ])
}

fn row(name: &'static str, times: &[Duration], share: usize) -> Figure {
    Figure::milliseconds(name, "2k threads", percentile(times, share))
}

fn crowd(server: &Server, workspace: &Workspace) -> Outcome<Vec<Figure>> {
    // A connection on which nothing was asked for a while is closed by the server.
    let mut client = Client::connect(&server.door)?;
    let icons = (0..200).map(|_| timed_icon(&mut client)).collect::<Outcome<Vec<_>>>()?;
    let times = load::times(&server.door, workspace)?;
    let corpus = format!("{}/s, {} open", load::RATE, load::STREAMS);
    let pair = Pair { baseline: median(icons), skein: percentile(&times, 50) };
    Ok(vec![
        Figure::milliseconds("many browsers, p50", &corpus, pair.skein),
        Figure::ratio("many browsers, p50 / an icon", corpus.clone(), pair),
        Figure::milliseconds("many browsers, p99", &corpus, percentile(&times, 99))
            .at_most(UNDER_LOAD),
        Figure::megabytes("memory of the server", corpus, server.peak()?).at_most(MEMORY),
    ])
}

/// Times git at what the first page shows.
fn timed_diff(workspace: &Workspace) -> Outcome<Duration> {
    let (time, diff) = timed(|| skein_git::run(&workspace.root, ["diff", "HEAD"]));
    match diff?.is_empty() {
        true => Err("nothing differs".into()),
        false => Ok(time),
    }
}

/// Times the least that the server can be asked.
fn timed_icon(client: &mut Client) -> Outcome<Duration> {
    Ok(client.get("/assets/icon.svg", As::Browser)?.time)
}
