//! `skein serve` of the real binary.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A running `skein serve`, and the document that it printed.
struct Serving {
    child: Child,
    printed: Value,
}

fn command(home: &TempDir, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skein"));
    command
        .args(["serve", "--demo", "--no-open", "--json"])
        .args(words)
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::piped());
    command
}

impl Serving {
    fn start(home: &TempDir, words: &[&str]) -> Self {
        let mut child = command(home, words).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, printed: serde_json::from_str(&line).expect(&line) }
    }

    /// Requests an address with the token of programs.
    fn get(&self, address: &str) -> TcpStream {
        let token = self.printed["token"].as_str().unwrap();
        self.send(address, &format!("Authorization: Bearer {token}\r\n"))
    }

    /// Opens the printed address as a browser does.
    fn open(&self) -> TcpStream {
        let address = self.printed["address"].as_str().unwrap();
        let path = address.splitn(4, '/').last().unwrap();
        self.send(&format!("/{path}"), "")
    }

    fn send(&self, address: &str, header: &str) -> TcpStream {
        let port = u16::try_from(self.printed["port"].as_u64().unwrap()).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!(
            "GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{header}Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Sends a signal, and returns the exit code and the time until the exit.
    fn end(mut self, signal: &str) -> (Option<i32>, Duration) {
        let start = Instant::now();
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        (code, start.elapsed())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It has already exited if the test succeeded.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn read(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_demo_is_served_until_the_process_is_stopped() {
    for signal in ["-INT", "-TERM"] {
        let home = tempfile::tempdir().unwrap();
        let serving = Serving::start(&home, &[]);
        let page = read(serving.open());
        assert!(page.starts_with("HTTP/1.1 303 See Other"), "{page}");
        assert!(read(serving.get("/api/v1/threads")).contains("\"kind\":\"review\""));
        let mut stream = serving.get("/events");
        let mut first = [0; 4];
        stream.read_exact(&mut first).unwrap();
        let (code, took) = serving.end(signal);
        assert_eq!(code, Some(0));
        assert!(took < Duration::from_secs(3), "{took:?}");
    }
}

#[test]
fn a_second_start_prints_the_address_of_the_first() {
    let home = tempfile::tempdir().unwrap();
    let serving = Serving::start(&home, &[]);
    let second = command(&home, &[]).output().unwrap();
    assert_eq!(second.status.code(), Some(0));
    let printed: Value = serde_json::from_slice(&second.stdout).unwrap();
    let origin = |printed: &Value| {
        let address = printed["address"].as_str().unwrap();
        (address.split_once("/?pass=").unwrap().0.to_owned(), printed["token"].clone())
    };
    assert_eq!(origin(&printed), origin(&serving.printed));
    // Each address works once, so each start prints another one.
    assert_ne!(printed["address"], serving.printed["address"]);
    // After a restart the port is the same, so an open page still works.
    let before = origin(&serving.printed);
    serving.end("-TERM");
    assert_eq!(origin(&Serving::start(&home, &[]).printed), before);
}

#[test]
fn only_the_owner_can_read_the_token() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    drop(Serving::start(&home, &["--read-only"]));
    let state = home.path().join(".local/state/skein");
    let dirs = fs::read_dir(state).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> =
        dirs.map(|dir| dir.join("serve.json")).filter(|file| file.exists()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(fs::metadata(&files[0]).unwrap().permissions().mode() & 0o777, 0o600);
}
