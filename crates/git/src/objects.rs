//! Reads files of commits.

use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use thiserror::Error;

use crate::object_id::{CommitId, ObjectId};
use crate::repo::Repo;
use crate::run::{RunError, line, not_started};
use crate::side::DiffSide;

/// The largest file, in bytes, that is read into memory.
const MAX_SIZE: u64 = 64 << 20;

/// Why a file of a commit cannot be read.
#[derive(Debug, Error)]
pub enum ObjectError {
    /// The `git` program cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The `git cat-file` process has ended.
    #[error("cannot talk to `git cat-file`")]
    Talk { source: io::Error },
    /// The file is too large to be read into memory.
    #[error("too large to be read ({size} bytes): {path}")]
    TooLarge { path: String, size: u64 },
}

/// A `git cat-file` process that reads many files.
///
/// It is unusable after an error other than [`ObjectError::TooLarge`].
#[derive(Debug)]
pub struct Objects {
    repo: Repo,
    content: ObjectServer,
}

impl Objects {
    /// Starts the process.
    pub fn start(repo: &Repo) -> Result<Self, RunError> {
        let content = ObjectServer::start(repo)?;
        Ok(Self { repo: repo.clone(), content })
    }

    /// Returns the content of a file; `None` if the commit does not exist or has no such file.
    ///
    /// The content of a symbolic link is its target. A submodule has none.
    pub fn blob(&mut self, commit: &CommitId, path: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        self.content_of(commit.as_str(), path)
    }

    /// Returns the content of a file in a tree; `None` if the tree does not exist or has no such file.
    pub fn blob_in_tree(
        &mut self,
        tree: &ObjectId,
        path: &str,
    ) -> Result<Option<Vec<u8>>, ObjectError> {
        self.content_of(tree.as_str(), path)
    }

    /// Returns the content of a file in the index; `None` if the index has no such file.
    ///
    /// The process reads the index once, at the first call.
    pub fn staged(&mut self, path: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        self.content_of(":0", path)
    }

    /// Returns the content of a file on a side of a diff other than the worktree; `None` if there is no such file.
    pub(crate) fn on_side(
        &mut self,
        side: &DiffSide,
        path: &str,
    ) -> Result<Option<Vec<u8>>, ObjectError> {
        match side {
            DiffSide::Commit(id) => self.blob(id, path),
            DiffSide::Tree(id) => self.blob_in_tree(id, path),
            DiffSide::Index => self.staged(path),
            DiffSide::Worktree => Ok(None),
        }
    }

    fn content_of(&mut self, state: &str, path: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        let Some(name) = self.name(state, path)? else { return Ok(None) };
        let Some(header) = self.content.ask(&name).map_err(talk)? else { return Ok(None) };
        if header.size > MAX_SIZE {
            self.content.skip(&header).map_err(talk)?;
            return Err(ObjectError::TooLarge { path: path.to_owned(), size: header.size });
        }
        let content = self.content.content(&header).map_err(talk)?;
        Ok(header.is_blob.then_some(content))
    }

    /// Returns a name of the file without line breaks, as the protocol requires.
    fn name(&self, state: &str, path: &str) -> Result<Option<String>, RunError> {
        let name = format!("{state}:{path}");
        // git resolves a path that begins with `./` or `../` against the current directory, and
        // exits if the result is outside the worktree.
        let is_relative = path.starts_with("./") || path.starts_with("../");
        if path.is_empty() || path.contains('\0') || is_relative {
            return Ok(None);
        }
        if !path.contains(['\n', '\r']) {
            return Ok(Some(name));
        }
        let mut command = self.repo.git_with(["rev-parse", "--verify", "--quiet"]);
        command.names([name]);
        Ok(self.repo.answer(command)?.map(|stdout| line(&stdout)))
    }
}

fn talk(source: io::Error) -> ObjectError {
    ObjectError::Talk { source }
}

/// The header that precedes the content of an object.
struct Header {
    is_blob: bool,
    size: u64,
}

/// A running `git cat-file --batch`.
#[derive(Debug)]
struct ObjectServer {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl ObjectServer {
    fn start(repo: &Repo) -> Result<Self, RunError> {
        let mut command = repo.git_with(["cat-file", "--batch"]).into_command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|source| not_started(repo.top(), source))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(not_started(repo.top(), io::ErrorKind::BrokenPipe.into()));
        };
        Ok(Self { child, stdin, stdout: BufReader::new(stdout) })
    }

    /// Requests an object; `None` if it does not exist.
    fn ask(&mut self, name: &str) -> io::Result<Option<Header>> {
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
    fn content(&mut self, header: &Header) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.copy(header, &mut content)?;
        Ok(content)
    }

    /// Skips the content that follows a header.
    fn skip(&mut self, header: &Header) -> io::Result<()> {
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
        // It may still be writing an object. `kill` fails if it has already ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Parses a reply; `None` for one such as `<name> missing`.
///
/// The first word of such a reply contains a colon, so it cannot be mistaken for a header.
fn parse(reply: &str) -> Option<Header> {
    let mut words = reply.split(' ');
    ObjectId::parse(words.next()?)?;
    let is_blob = words.next()? == "blob";
    let size = words.next()?.parse().ok()?;
    Some(Header { is_blob, size })
}
