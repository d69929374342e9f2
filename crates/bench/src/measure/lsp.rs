//! Measures `skein lsp`: its first answer, the marks of many threads, a keystroke, and its end.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Bench, read_all};
use crate::Outcome;
use crate::corpus::{LARGE, SampleWorkspace, Sizes};
use crate::table::ResultRow;
use crate::timing::{Turns, percentile, timed};

/// A repository with 3,000 open threads, a hundred of them on a file of 10,000 lines.
const EDITED: Sizes = Sizes {
    files: 200,
    file_lines: 350,
    changed_files: 50,
    changed_lines: 20,
    large_lines: 10_000,
    large_changed_lines: 20,
    threads: 4_500,
    comments: 5,
    checkpoints: 10,
    steps: 5,
    sessions: 1,
};

const CORPUS: &str = "3k threads";
const KEYSTROKES: usize = 200;

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let workspace = bench.corpora.workspace(&bench.skein, "editor", EDITED)?;
    let (root, home) = (&workspace.root, &workspace.home);
    let version = || Ok(bench.skein.run(root, home, &["--version"], &[])?.0);
    let initialize = || {
        let (time, server) = timed(|| LspServer::start(bench, &workspace));
        server?.end()?;
        Ok(time)
    };
    let pair = Turns::best_of(10).run(version, initialize)?;
    let mut rows = vec![ResultRow::pair("`initialize` / `--version`", CORPUS, pair).at_most(50.0)];
    let shown = || {
        let (time, server) = timed(|| {
            let mut server = LspServer::start(bench, &workspace)?;
            server.open()?;
            server.wait_for_marks()?;
            Ok::<_, Box<dyn std::error::Error>>(server)
        });
        server?.end()?;
        Ok(time)
    };
    let pair = Turns::best_of(5).run(|| read_all(&workspace.threads), shown)?;
    rows.push(
        ResultRow::pair("start until the marks of a file / read", CORPUS, pair).at_most(1_000.0),
    );
    let mut server = LspServer::start(bench, &workspace)?;
    server.open()?;
    server.wait_for_marks()?;
    let (mut typed, mut placed) = (Vec::new(), Vec::new());
    for _ in 0..KEYSTROKES {
        // A method that the server does not have is answered at once, after the change.
        typed.push(server.keystroke("skein/none")?);
    }
    for _ in 0..KEYSTROKES / 10 {
        placed.push(server.keystroke("textDocument/hover")?);
    }
    let p99 = percentile(&typed, 99);
    rows.push(ResultRow::time("a keystroke in 10,000 lines, p99", CORPUS, p99).at_most(5.0));
    let p99 = percentile(&placed, 99);
    rows.push(ResultRow::time("placing its 100 threads after a pause, p99", CORPUS, p99));
    rows.push(
        ResultRow::time("end after the end of input", CORPUS, server.end()?).at_most(1_000.0),
    );
    Ok(rows)
}

/// A running server that has answered `initialize`.
struct LspServer {
    process: Child,
    output: BufReader<ChildStdout>,
    /// The address of the large file.
    uri: String,
    text: String,
    version: i64,
}

impl LspServer {
    fn start(bench: &Bench, workspace: &SampleWorkspace) -> Outcome<Self> {
        let SampleWorkspace { root, home, .. } = workspace;
        let mut command = bench.skein.command(root, home);
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let output = process.stdout.take().ok_or("the server has no output")?;
        let uri = format!("file://{}", root.join(LARGE).display());
        let text = fs::read_to_string(root.join(LARGE))?;
        let mut server = Self { process, output: BufReader::new(output), uri, text, version: 1 };
        let folder = json!({ "uri": format!("file://{}", root.display()), "name": "atlas" });
        let params = json!({ "capabilities": {}, "workspaceFolders": [folder] });
        server.request("initialize", &params)?;
        Ok(server)
    }

    fn open(&mut self) -> Outcome<()> {
        let document =
            json!({ "uri": self.uri, "languageId": "rust", "version": 1, "text": self.text });
        self.write(
            &json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }),
        )
    }

    /// Waits until the large file has marks that are placed in the text of the editor.
    fn wait_for_marks(&mut self) -> Outcome<()> {
        loop {
            let message = self.read()?;
            let is_meant = message.pointer("/params/uri") == Some(&json!(self.uri))
                && message.pointer("/params/version").is_some();
            if is_meant && message.pointer("/params/diagnostics/0").is_some() {
                return Ok(());
            }
        }
    }

    /// Types a character in the first line, and returns the time until a request after it is answered.
    fn keystroke(&mut self, method: &str) -> Outcome<Duration> {
        self.version += 1;
        let at = json!({ "line": 0, "character": 0 });
        let document = json!({ "uri": self.uri, "version": self.version });
        let change = json!({ "range": { "start": at, "end": at }, "text": "/" });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        let document = json!({ "textDocument": { "uri": self.uri }, "position": at });
        let (time, answered) = timed(|| {
            self.write(&json!({ "method": "textDocument/didChange", "params": params }))?;
            self.request(method, &document)
        });
        answered.map(|_| time)
    }

    fn request(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.write(&json!({ "id": 1, "method": method, "params": params }))?;
        loop {
            let message = self.read()?;
            if message.get("id") == Some(&json!(1)) && message.get("method").is_none() {
                return Ok(message);
            }
        }
    }

    fn write(&mut self, message: &Value) -> Outcome<()> {
        let input = self.process.stdin.as_mut().ok_or("the server has no input")?;
        let text = message.to_string();
        Ok(input.write_all(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes())?)
    }

    fn read(&mut self) -> Outcome<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line)?;
            match line.trim().strip_prefix("Content-Length:") {
                Some(number) => length = number.trim().parse()?,
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }

    /// Ends the input, and returns the time until the process has ended.
    fn end(mut self) -> Outcome<Duration> {
        drop(self.process.stdin.take());
        // Nothing may keep the server from writing its last messages.
        let (time, ended) = timed(|| {
            let mut rest = Vec::new();
            self.output.read_to_end(&mut rest)?;
            self.process.wait()
        });
        ended?;
        Ok(time)
    }
}
