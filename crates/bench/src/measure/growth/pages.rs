//! Pages of a server that has just been started, and the same pages again.

use std::path::Path;

use super::along;
use crate::Outcome;
use crate::corpus::{Axis, CHECKPOINT, Grown, LARGE, WORD};
use crate::figure::Figure;
use crate::measure::serve::client::{As, Client};
use crate::measure::serve::server::Server;

/// How often a server is started for a page at each size; the best counts.
const STARTS: usize = 4;
/// How often a page is asked for again.
const AGAIN: usize = 9;

/// Measures each page along an axis.
pub(super) fn figures(
    program: &Path,
    axis: Axis,
    workspaces: &[(usize, Grown)],
) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, address) in PAGES {
        let ask = |workspace: &Grown, _| {
            let address = fill(address, workspace);
            let server = Server::start(program, &workspace.root, &workspace.home)?;
            Ok(Client::connect(&server.door)?.get(&address, As::Browser)?.time)
        };
        figures.extend(along(axis, &format!("page, {name}"), workspaces, STARTS, ask)?);
    }
    let servers = workspaces
        .iter()
        .map(|(_, workspace)| Server::start(program, &workspace.root, &workspace.home));
    let servers = servers.collect::<Outcome<Vec<_>>>()?;
    for (name, address) in PAGES {
        let clients = servers.iter().map(|server| Client::connect(&server.door));
        let mut clients = clients.collect::<Outcome<Vec<_>>>()?;
        let count = clients.len().max(1);
        let mut turn = 0;
        let ask = |workspace: &Grown, _| {
            let client = clients.get_mut(turn % count).ok_or("no server is there")?;
            turn += 1;
            Ok(client.get(&fill(address, workspace), As::Browser)?.time)
        };
        figures.extend(along(axis, &format!("page again, {name}"), workspaces, AGAIN, ask)?);
    }
    Ok(figures)
}

/// The pages; `THREAD`, `CHECKPOINT`, `WORD` and `LARGE` are filled in.
const PAGES: [(&str, &str); 10] = [
    ("overview", "/overview"),
    ("changes", "/"),
    ("changes in a file", "/fragment/section?name=LARGE"),
    ("threads", "/threads"),
    ("thread", "/thread/THREAD"),
    ("file", "/file/LARGE"),
    ("search", "/search?q=WORD"),
    ("work", "/work"),
    ("checkpoint", "/work/CHECKPOINT"),
    ("steps", "/work/steps"),
];

fn fill(address: &str, workspace: &Grown) -> String {
    let thread = workspace.threads.first().map(String::as_str).unwrap_or_default();
    address
        .replace("THREAD", thread)
        .replace("CHECKPOINT", CHECKPOINT)
        .replace("WORD", WORD)
        .replace("LARGE", LARGE)
}
