use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::{OpencodeClient, OpencodeError, Password};

const START_TIMEOUT: Duration = Duration::from_secs(60);
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time to wait for the last output of a program that has ended.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
const HEALTH_INTERVAL: Duration = Duration::from_millis(100);
/// Answers without a version, after which a server that starts is taken for another one: two seconds in which it may still prepare.
const MAX_WRONG_ANSWERS: u32 = 20;
/// Maximum number of lines of output that are kept, and of characters of each.
const MAX_LINES: usize = 20;
const MAX_LINE: usize = 500;

/// Becomes the program that its arguments name, after it has started a process that ends that program when the
/// standard input ends without a line: then the parent process has died. The program has the process id of the
/// shell. A signal on the death of the parent would be simpler, and needs unsafe code.
const GUARD: &str = r#"exec 3<&0
(read -r line <&3 && exit; kill "$$" && sleep 5 && kill -9 "$$") </dev/null >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null"#;

/// How to start a server.
#[derive(Clone, Debug)]
pub struct ServerCommand {
    /// The path or name of OpenCode's program.
    pub program: PathBuf,
    /// The directory in which it runs.
    pub directory: PathBuf,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    pub password: Password,
}

/// A server that ends with this value, and also when this process is killed.
#[derive(Debug)]
pub struct ChildServer {
    child: Child,
    /// Is open as long as the child may run.
    guard: ChildStdin,
    output: Output,
    client: OpencodeClient,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot run {program}")]
    Run { program: PathBuf, source: std::io::Error },
    #[error("OpenCode ended with {status} while it started:\n{output}")]
    Ended { status: ExitStatus, output: String },
    #[error("OpenCode did not start in time:\n{output}")]
    Timeout { output: String },
    #[error(transparent)]
    Client(OpencodeError),
}

impl ChildServer {
    /// Starts `opencode serve` on a free port of the loopback interface, and waits until it answers.
    pub async fn start(command: &ServerCommand) -> Result<Self, StartError> {
        let run_error = |source| StartError::Run { program: command.program.clone(), source };
        let mut child = spawn(command).map_err(run_error)?;
        let missing = || run_error(std::io::ErrorKind::BrokenPipe.into());
        let guard = child.stdin.take().ok_or_else(missing)?;
        let output = Output::default();
        let (found, mut address) = mpsc::channel(1);
        let collected = [
            output.collect(child.stdout.take().ok_or_else(missing)?, Some(found)),
            output.collect(child.stderr.take().ok_or_else(missing)?, None),
        ];
        let ready = async {
            // Without an address the program has closed its output, and ends.
            let Some(address) = address.recv().await else { return std::future::pending().await };
            let client = OpencodeClient::new(&address, Some(command.password.clone()))?;
            let mut wrong_answers = 0;
            loop {
                match client.supported_version(HEALTH_TIMEOUT).await {
                    Ok(_) => return Ok(client),
                    Err(error @ OpencodeError::Version { .. }) => return Err(error),
                    Err(error) if !error.is_temporary() => wrong_answers += 1,
                    Err(_) => {}
                }
                if wrong_answers > MAX_WRONG_ANSWERS {
                    return Err(OpencodeError::OtherServer);
                }
                sleep(HEALTH_INTERVAL).await;
            }
        };
        let client = tokio::select! {
            client = ready => client.map_err(StartError::Client)?,
            status = child.wait() => {
                let status = status.map_err(run_error)?;
                // The last lines can arrive after the end, and children of the program can keep the streams open.
                let last_lines = async {
                    for stream in collected {
                        drop(stream.await);
                    }
                };
                drop(timeout(OUTPUT_TIMEOUT, last_lines).await);
                return Err(StartError::Ended { status, output: output.text() });
            }
            () = sleep(START_TIMEOUT) => return Err(StartError::Timeout { output: output.text() }),
        };
        Ok(Self { child, guard, output, client })
    }

    /// Returns a client of the server.
    #[must_use]
    pub fn client(&self) -> &OpencodeClient {
        &self.client
    }

    /// Returns the process id, unless the process has ended.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns the last lines that the server has printed.
    #[must_use]
    pub fn output(&self) -> String {
        self.output.text()
    }

    /// Waits until the server ends by itself.
    pub async fn wait(&mut self) -> std::io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.release_guard().await;
        Ok(status)
    }

    /// Ends the guard: the process id may belong to another process now.
    async fn release_guard(&mut self) {
        // It may be gone already.
        drop(self.guard.write_all(b"\n").await);
    }

    /// Asks the server to end, and kills it and its children if it does not do so in time.
    pub async fn stop(mut self) -> std::io::Result<ExitStatus> {
        let process = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(process) = process {
            // It may have ended in between.
            kill_process(process, Signal::TERM).ok();
        }
        let status = match timeout(STOP_TIMEOUT, self.child.wait()).await {
            Ok(status) => status?,
            Err(_) => {
                if let Some(process) = process {
                    kill_process_group(process, Signal::KILL).ok();
                }
                self.child.wait().await?
            }
        };
        self.release_guard().await;
        Ok(status)
    }
}

fn spawn(command: &ServerCommand) -> std::io::Result<Child> {
    tokio::process::Command::new("/bin/sh")
        .args(["-c", GUARD, "sh"])
        .arg(&command.program)
        .args(["serve", "--hostname", "127.0.0.1", "--port", "0"])
        .current_dir(&command.directory)
        .env_clear()
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        .env("OPENCODE_SERVER_PASSWORD", command.password.reveal())
        .env_remove("OPENCODE_SERVER_USERNAME")
        // Keys that are pressed in the terminal are for the parent alone.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

/// The last lines of output.
#[derive(Clone, Debug, Default)]
struct Output(Arc<Mutex<VecDeque<String>>>);

impl Output {
    /// Reads lines until the end, and sends the address that one of them names.
    fn collect(
        &self,
        stream: impl AsyncRead + Unpin + Send + 'static,
        mut found: Option<mpsc::Sender<String>>,
    ) -> JoinHandle<()> {
        let output = self.clone();
        let mut lines = BufReader::new(stream).split(b'\n');
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_segment().await {
                let line = String::from_utf8_lossy(&line);
                if let Some((_, address)) = line.split_once("listening on ")
                    && let Some(found) = found.take()
                {
                    drop(found.send(address.trim().to_owned()).await);
                }
                output.push(&line);
            }
        })
    }

    fn push(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(MAX_LINE).collect());
    }

    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}
