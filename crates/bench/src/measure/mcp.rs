//! Measures `skein mcp`: its first answer, a list of many threads, and its end.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use skein_model::Kind;

use super::{Bench, check, read_all};
use crate::Outcome;
use crate::table::{ResultRow, show_size};
use crate::timing::{Turns, timed};

/// Maximum number of characters of a list.
const MAX_LIST: usize = 6_000;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let mut rows = Vec::new();
    for corpus in bench.all_threads(Kind::Review)? {
        let (root, size) = (&corpus.root, corpus.paths.len());
        let start = || Ok(bench.skein.run(root, root, &["--version"], &[])?.0);
        let first = || {
            let (time, server) = timed(|| McpServer::start(bench, root));
            server?.end()?;
            Ok(time)
        };
        let pair = Turns::best_of(10).run(start, first)?;
        let row = ResultRow::pair("first answer / `--version`", show_size(size), pair);
        rows.push(row.at_most(100.0).sized(size, 0));
        let mut server = McpServer::start(bench, root)?;
        let list = || {
            let (time, text) = timed(|| server.list());
            check(text?.chars().count() <= MAX_LIST, "the list is too long", time)
        };
        let pair = Turns::best_of(5).run(|| read_all(&corpus.paths), list)?;
        let row = ResultRow::pair("100 threads of a list / read", show_size(size), pair);
        rows.push(row.at_most(1_000.0).sized(size, 0));
        let row = ResultRow::time("end after the end of input", show_size(size), server.end()?);
        rows.push(row.at_most(100.0).sized(size, 0));
    }
    Ok(rows)
}

/// A running server that has answered the handshake.
struct McpServer {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl McpServer {
    fn start(bench: &Bench, root: &Path) -> Outcome<Self> {
        let mut command = bench.skein.command(root, root);
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let output = process.stdout.take().ok_or("the server has no output")?;
        let mut server = Self { process, output: BufReader::new(output) };
        let client = json!({ "name": "bench", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        server.request("initialize", &params)?;
        server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    /// Returns the text of the first 100 threads.
    fn list(&mut self) -> Outcome<String> {
        let arguments = json!({ "waiting_on": "any", "status": "all", "limit": 100 });
        let params = json!({ "name": "review_threads", "arguments": arguments });
        let answer = self.request("tools/call", &params)?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        Ok(text.ok_or("the answer has no text")?.to_owned())
    }

    fn request(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.write(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    fn write(&mut self, message: &Value) -> Outcome<()> {
        let input = self.process.stdin.as_mut().ok_or("the server has no input")?;
        Ok(input.write_all(format!("{message}\n").as_bytes())?)
    }

    /// Ends the input, and returns the time until the process has ended.
    fn end(mut self) -> Outcome<Duration> {
        drop(self.process.stdin.take());
        let (time, status) = timed(|| self.process.wait());
        check(status?.success(), "the server failed", time)
    }
}
