//! A server as a child process, with a script in its place.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use skein_opencode::{ChildServer, Password, ServerCommand, StartError};
use skein_standin::{CannedReply, StandIn};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};

/// Tells the test that is started by another one which program to run.
const PROGRAM: &str = "SKEIN_TEST_PROGRAM";
const HEALTH: &str = r#"{"healthy":true,"version":"1.18.33"}"#;

/// Writes a program that does what a script says.
pub(crate) fn script(text: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("opencode");
    // A file that is open for writing cannot be run, also not by the child of another test.
    let source = dir.path().join("source");
    std::fs::write(&source, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&source, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(&source, &path).unwrap();
    dir
}

fn command(program: &Path) -> ServerCommand {
    let path = std::env::var_os("PATH").unwrap();
    ServerCommand {
        program: program.to_owned(),
        directory: std::env::temp_dir(),
        environment: vec![(OsString::from("PATH"), path)],
        password: Password::new("secret"),
    }
}

/// Prints what OpenCode prints, and runs on.
fn serving(server: &StandIn) -> TempDir {
    script(&format!(
        "echo \"got $* and $OPENCODE_SERVER_PASSWORD\"\n\
         echo opencode server listening on {}\nexec sleep 1000",
        server.address()
    ))
}

/// Whether a process runs; one that has ended and is still known has no command line.
fn is_running(process: u32) -> bool {
    std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty())
}

async fn wait_until_ended(process: u32) {
    while is_running(process) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_server_that_this_client_cannot_talk_to_is_refused() {
    let refusal = async |answer: fn() -> CannedReply| {
        let server = StandIn::start(move |_| answer()).await;
        let dir = serving(&server);
        let started = ChildServer::start(&command(&dir.path().join("opencode"))).await;
        started.err().unwrap().to_string()
    };
    let version = || CannedReply::unrecorded(200, "", r#"{"healthy":true,"version":"2.0.1"}"#);
    let expected = "OpenCode 2.0.1 is not supported: install a version 1, such as 1.18";
    assert_eq!(refusal(version).await, expected);
    let expected = "the server does not answer as OpenCode 1 does; OpenCode 2 is not supported";
    assert_eq!(refusal(|| CannedReply::unrecorded(200, "", "<html>")).await, expected);
    let missing = || CannedReply::unrecorded(404, "", r#"{"message":"not found"}"#);
    assert_eq!(refusal(missing).await, expected);
}

#[tokio::test]
async fn a_server_is_started_and_stopped() {
    let server = StandIn::start(|request| match request.earlier {
        0 => CannedReply::drop(),
        _ => CannedReply::ok(HEALTH),
    })
    .await;
    let dir = serving(&server);
    let child = ChildServer::start(&command(&dir.path().join("opencode"))).await.unwrap();
    let output = child.output();
    assert!(output.starts_with("got serve --hostname 127.0.0.1 --port 0 and secret\n"), "{output}");
    let version = child.client().health(Duration::from_secs(60)).await.unwrap();
    assert_eq!(version, "1.18.33");
    assert_eq!(
        server.requests().pop().unwrap().authorization.as_deref(),
        Some("Basic b3BlbmNvZGU6c2VjcmV0")
    );
    let process = child.process_id().unwrap();
    assert!(is_running(process));
    child.stop().await.unwrap();
    assert!(!is_running(process));
}

#[tokio::test]
async fn a_server_that_ignores_the_request_to_end_is_killed() {
    let server = StandIn::start(|_| CannedReply::ok(HEALTH)).await;
    let dir = script(&format!(
        "trap '' TERM\necho opencode server listening on {}\nwhile true; do sleep 1; done",
        server.address()
    ));
    let child = ChildServer::start(&command(&dir.path().join("opencode"))).await.unwrap();
    let process = child.process_id().unwrap();
    let status = child.stop().await.unwrap();
    assert!(!status.success());
    assert!(!is_running(process));
}

#[tokio::test]
async fn a_server_that_is_dropped_ends() {
    let server = StandIn::start(|_| CannedReply::ok(HEALTH)).await;
    let dir = serving(&server);
    let child = ChildServer::start(&command(&dir.path().join("opencode"))).await.unwrap();
    let process = child.process_id().unwrap();
    drop(child);
    wait_until_ended(process).await;
}

#[tokio::test]
async fn the_end_of_a_server_is_noticed() {
    let server = StandIn::start(|_| CannedReply::ok(HEALTH)).await;
    let dir = script(&format!(
        "echo opencode server listening on {}\nsleep 1\necho out of memory >&2\nexit 3",
        server.address()
    ));
    let mut child = ChildServer::start(&command(&dir.path().join("opencode"))).await.unwrap();
    assert_eq!(child.wait().await.unwrap().code(), Some(3));
    while !child.output().ends_with("\nout of memory") {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_start_that_fails_shows_the_last_lines() {
    let dir = script("for i in $(seq 50); do echo line $i; done\necho no config >&2\nexit 7");
    let error = ChildServer::start(&command(&dir.path().join("opencode"))).await.unwrap_err();
    let StartError::Ended { status, output } = error else { panic!("{error:?}") };
    assert_eq!(status.code(), Some(7));
    assert_eq!(output.lines().count(), 20);
    assert!(output.contains("no config") && output.contains("line 50"), "{output}");
    let error = ChildServer::start(&command(Path::new("/nowhere/opencode"))).await.unwrap_err();
    assert!(matches!(error, StartError::Ended { .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_ends_when_its_parent_is_killed() {
    let server = StandIn::start(|_| CannedReply::ok(HEALTH)).await;
    let dir = serving(&server);
    kill_parent(&dir.path().join("opencode")).await;
}

/// Kills a process that has started a server, and waits until the server ends.
pub(crate) async fn kill_parent(program: &Path) {
    let mut parent = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child::is_a_parent", "--ignored", "--nocapture"])
        .env(PROGRAM, program)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
    let process = loop {
        let line = lines.next_line().await.unwrap().expect("the parent says the process id");
        if let Some((_, process)) = line.split_once("process: ") {
            break process.parse().unwrap();
        }
    };
    assert!(is_running(process));
    parent.kill().await.unwrap();
    wait_until_ended(process).await;
}

#[tokio::test]
#[ignore = "is started by other tests"]
async fn is_a_parent() {
    let Some(program) = std::env::var_os(PROGRAM) else { return };
    let child = ChildServer::start(&command(Path::new(&program))).await.unwrap();
    println!("process: {}", child.process_id().unwrap());
    tokio::time::sleep(Duration::from_secs(600)).await;
}
