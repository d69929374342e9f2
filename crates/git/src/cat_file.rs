//! Talks to a process that serves objects.

use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::object_id::ObjectId;
use crate::repo::Repo;
use crate::run::{RunError, not_started};

/// What the process says of an object before its content.
pub(crate) struct Header {
    pub(crate) is_blob: bool,
    pub(crate) size: u64,
}

/// One `git cat-file` that waits for names.
#[derive(Debug)]
pub(crate) struct ObjectServer {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl ObjectServer {
    pub(crate) fn start(repo: &Repo) -> Result<Self, RunError> {
        let mut command = repo.git();
        command.args(["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|source| not_started(repo.top(), source))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(not_started(repo.top(), io::ErrorKind::BrokenPipe.into()));
        };
        Ok(Self { child, stdin, stdout: BufReader::new(stdout) })
    }

    /// Asks for an object; `None` when it is not there.
    pub(crate) fn ask(&mut self, name: &str) -> io::Result<Option<Header>> {
        self.stdin.write_all(format!("{name}\n").as_bytes())?;
        self.stdin.flush()?;
        let mut reply = Vec::new();
        self.stdout.read_until(b'\n', &mut reply)?;
        if reply.pop() != Some(b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(parse(&String::from_utf8_lossy(&reply)))
    }

    /// Reads the content that follows a header.
    pub(crate) fn content(&mut self, header: &Header) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.copy(header, &mut content)?;
        Ok(content)
    }

    /// Passes over the content that follows a header.
    pub(crate) fn skip(&mut self, header: &Header) -> io::Result<()> {
        self.copy(header, &mut io::sink())
    }

    fn copy(&mut self, header: &Header, to: &mut impl Write) -> io::Result<()> {
        let read = io::copy(&mut (&mut self.stdout).take(header.size), to)?;
        if read != header.size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // A line feed ends the content.
        self.stdout.read_exact(&mut [0])
    }
}

impl Drop for ObjectServer {
    fn drop(&mut self) {
        // It may be writing an object that is not needed. `kill` fails if it has already ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns what a reply says; `None` for one such as `<name> missing`.
///
/// The name in such a reply has a colon in its first word, so no path can pass for a header.
fn parse(reply: &str) -> Option<Header> {
    let mut words = reply.split(' ');
    ObjectId::parse(words.next()?)?;
    let is_blob = words.next()? == "blob";
    let size = words.next()?.parse().ok()?;
    Some(Header { is_blob, size })
}
