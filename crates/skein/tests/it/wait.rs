//! How fast a waiting program wakes up when another one writes.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 20;

fn thread(id: &str) -> String {
    format!(
        "<local-code-review-thread>\n{{\"schemaVersion\": 1, \"id\": \"{id}\", \"target\": {{\"workspaceRelativePath\": \"a.rs\", \"range\": null, \"anchor\": {{\"kind\": \"lineRange\"}}}}, \"status\": \"open\", \"createdAt\": \"2026-01-10T10:00:00.000Z\", \"updatedAt\": \"2026-01-10T10:00:00.000Z\"}}\n</local-code-review-thread>\n\n<local-code-review-comment id=\"c1\" author=\"Mira\" createdAt=\"2026-01-10T10:00:00.000Z\"/>\n\nWhy?\n"
    )
}

fn start(dir: &Path, words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_skein"))
        .args(["review", "wait", "--timeout", "60s", "--json"])
        .args(words)
        .current_dir(dir)
        .env_clear()
        .env("HOME", dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a program watches files, which it does in a second thread.
fn wait_until_watching(child: &Child) {
    let tasks = format!("/proc/{}/task", child.id());
    let deadline = Instant::now() + Duration::from_secs(20);
    while fs::read_dir(&tasks).unwrap().count() < 2 {
        assert!(Instant::now() < deadline, "it never started to watch");
        std::thread::yield_now();
    }
    // The program reads the threads right after it has started to watch.
    std::thread::sleep(Duration::from_millis(50));
}

/// Returns how long a program took to end after `act`.
fn wake(dir: &Path, words: &[&str], act: impl FnOnce()) -> Duration {
    let mut child = start(dir, words);
    wait_until_watching(&child);
    act();
    let written = Instant::now();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let took = written.elapsed();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{line}");
    assert!(line.contains("\"timed_out\":false"), "{line}");
    took
}

fn report(what: &str, mut times: Vec<Duration>) -> String {
    times.sort();
    let (median, longest) = (times.get(times.len() / 2).unwrap(), times.last().unwrap());
    let printed = format!("{what}: median {median:?}, longest {longest:?}");
    // Without an event, the program notices the change after 5 s.
    assert!(*median < Duration::from_secs(5), "{times:?}");
    printed
}

#[test]
fn a_waiting_program_wakes_up_when_another_one_writes() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let threads = dir.join(".code-review/threads");
    let file = threads.join("t1.md");
    let created = (0..RUNS).map(|_| {
        fs::remove_dir_all(dir.join(".code-review")).unwrap_or_default();
        wake(dir, &["--settle", "0"], || {
            fs::create_dir_all(&threads).unwrap();
            fs::write(&file, thread("t1")).unwrap();
        })
    });
    // Shown with `--nocapture`; how fast it is depends on the machine.
    println!("{}", report("a store and a thread created", created.collect()));
    let answer = "\n<local-code-review-comment id=\"c2\" author=\"Codex\" createdAt=\"2026-01-11T10:00:00.000Z\"/>\n\nSo.\n";
    let appended = (0..RUNS).map(|_| {
        fs::write(&file, thread("t1")).unwrap();
        wake(dir, &["--for", "reviewer"], || {
            let mut file = File::options().append(true).open(&file).unwrap();
            file.write_all(answer.as_bytes()).unwrap();
        })
    });
    println!("{}", report("an answer appended", appended.collect()));
}
