//! The pages of work and of sessions, beside a large review.

use std::time::Duration;

use super::client::{As, Client};
use super::{Page, against, timed_icon};
use crate::Outcome;
use crate::corpus::Workspace;
use crate::figure::Figure;
use crate::timing::timed;

/// What each page may take, in milliseconds.
const BOUND: f64 = 60.0;

const CORPUS: &str = "10k checkpoints";

/// Measures each page, after the first one that has to read every checkpoint.
pub(super) fn pages(client: &mut Client, workspace: &Workspace) -> Outcome<Vec<Figure>> {
    let (first, answer) = timed(|| client.get("/work", As::Plain));
    let one = one(&answer?.body)?;
    let file = file(&client.get(&one, As::Plain)?.body)?;
    let mut figures = vec![Figure::milliseconds("the first look at the work", CORPUS, first)];
    let pages = [
        (["page of work", "page of work, best", "page of work / an icon"], "/work"),
        (["its last page", "its last page, best", "its last page / an icon"], "/work?page=9999"),
        (
            ["work of a tag", "work of a tag, best", "work of a tag / an icon"],
            "/work?tag=auth&steps=open&type=handoff",
        ),
        (["page of steps", "page of steps, best", "page of steps / an icon"], "/work/steps"),
        (["page of a checkpoint", "a checkpoint, best", "a checkpoint / an icon"], &one),
        (["page to write on", "to write on, best", "to write on / an icon"], "/work/new"),
        (["page of what goes", "what goes, best", "what goes / an icon"], "/work/cleanup"),
        (["work on a file", "work on a file, best", "work on a file / an icon"], &file),
        (["page of sessions", "sessions, best", "sessions / an icon"], "/sessions"),
        (["overview", "overview, best", "overview / an icon"], "/overview"),
        (["workspaces", "workspaces, best", "workspaces / an icon"], "/workspaces"),
        (["page of a search", "a search, best", "a search / an icon"], "/search?q=auth"),
        (
            ["what a key finds", "what a key finds, best", "what a key finds / an icon"],
            "/fragment/search?q=aut",
        ),
    ];
    let mut other = Client::connect(&client.door)?;
    for (names, address) in pages {
        let corpus = if address == "/sessions" { "1k sessions" } else { CORPUS };
        let page = Page { names, corpus, address, how: As::Browser, bound: Some(BOUND) };
        figures.extend(against(client, &page, || timed_icon(&mut other))?);
    }
    figures.push(Figure::milliseconds(
        "a new checkpoint until it is shown",
        CORPUS,
        new(client, workspace)?,
    ));
    Ok(figures)
}

/// Finds the address of a checkpoint on the timeline.
fn one(page: &[u8]) -> Outcome<String> {
    let page = String::from_utf8_lossy(page);
    let (_, rest) = page.split_once("href=\"/work/T-").ok_or("no checkpoint is on the page")?;
    let (id, _) = rest.split_once('"').ok_or("an address has no end")?;
    Ok(format!("/work/T-{id}"))
}

/// Finds the address of all work on a file that a checkpoint names.
fn file(page: &[u8]) -> Outcome<String> {
    let page = String::from_utf8_lossy(page);
    let (_, rest) = page.split_once("href=\"/work?file=").ok_or("no file leads to its work")?;
    let (path, _) = rest.split_once('"').ok_or("an address has no end")?;
    Ok(format!("/work?file={path}"))
}

/// Writes a checkpoint as another program would, and asks until the page has it.
fn new(client: &mut Client, workspace: &Workspace) -> Outcome<Duration> {
    const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
    let id = "T-20300101-000000-bench-new";
    let path = workspace.root.join(format!("workspace/threads/{id}.json"));
    let text = format!(
        "{{\"thread_id\": \"{id}\", \"version\": 1, \"type\": \"checkpoint\", \"conversation_summary\": \"New\"}}"
    );
    crate::corpus::put(&path, text.as_bytes())?;
    let (time, found) = timed(|| {
        let start = std::time::Instant::now();
        while start.elapsed() < ANSWER_TIMEOUT {
            let page = client.get("/work", As::Plain)?.body;
            if String::from_utf8_lossy(&page).contains(id) {
                return Ok(true);
            }
        }
        Ok::<_, Box<dyn std::error::Error>>(false)
    });
    std::fs::remove_file(&path)?;
    if found? { Ok(time) } else { Err("the page does not show what is new".into()) }
}
