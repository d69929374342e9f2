//! Clients that ask for a large page and do not read it.

use std::fs;
use std::time::{Duration, Instant};

use super::process::program;
use super::serve::client::{As, Client};
use super::serve::server::Server;
use crate::Outcome;
use crate::corpus::{Corpora, put};
use crate::figure::Figure;

/// How many clients there are, and how long the file is that they ask for.
const CLIENTS: usize = 100;
const LINES: usize = 150_000;

/// How long the server gets to answer them.
const DEADLINE: Duration = Duration::from_secs(60);
/// The server is done when its peak has not risen for this long.
const SETTLE_TIME: Duration = Duration::from_secs(3);

/// What the peak may be, in megabytes: that of one such page, and the memory for answers that are not read.
const BOUND: f64 = 400.0;

/// Measures the peak of a server whose answers stay unread; none where there is no program beside this one.
pub(crate) fn figures(corpora: &Corpora) -> Outcome<Vec<Figure>> {
    let Some(program) = program()? else {
        eprintln!("passing over unread pages: build `skein` beside this program");
        return Ok(Vec::new());
    };
    let scratch = corpora.scratch()?;
    let (root, home) = (scratch.path().join("repository"), scratch.path().join("home"));
    fs::create_dir_all(&root)?;
    fs::create_dir_all(&home)?;
    skein_git::init(&root, "main")?;
    let text = "some words on a line of a large file\n".repeat(LINES);
    put(&root.join("large.txt"), text.as_bytes())?;
    let server = Server::start(&program, &root, &home)?;
    let corpus = format!("{}k lines", LINES / 1_000);
    Client::connect(&server.door)?.get("/file/large.txt", As::Plain)?;
    let one = server.peak()?;
    let clients = (0..CLIENTS).map(|_| {
        let mut client = Client::connect(&server.door)?;
        client.send("/file/large.txt", As::Plain)?;
        Ok(client)
    });
    let _clients = clients.collect::<Outcome<Vec<_>>>()?;
    let all = settled_peak(&server)?;
    Ok(vec![
        Figure::megabytes("memory of one page that is read", corpus.clone(), one),
        Figure::megabytes("memory of 100 that are not", corpus, all).at_most(BOUND),
    ])
}

/// Returns the peak once it rises no more.
fn settled_peak(server: &Server) -> Outcome<f64> {
    let start = Instant::now();
    let (mut peak, mut risen) = (server.peak()?, Instant::now());
    while start.elapsed() < DEADLINE && risen.elapsed() < SETTLE_TIME {
        std::thread::sleep(Duration::from_millis(100));
        let now = server.peak()?;
        if now > peak {
            (peak, risen) = (now, Instant::now());
        }
    }
    Ok(peak)
}
