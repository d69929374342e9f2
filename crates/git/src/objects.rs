//! Reads files of commits.

use std::io;

use thiserror::Error;

use crate::cat_file::ObjectServer;
use crate::object_id::CommitId;
use crate::repo::Repo;
use crate::run::{RunError, line};

/// How large a file may be to be read into memory.
const MAX_SIZE: u64 = 64 << 20;

/// Why a file of a commit cannot be read.
#[derive(Debug, Error)]
pub enum ObjectError {
    /// The `git` program cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The process that serves the objects is gone.
    #[error("cannot talk to `git cat-file`")]
    Talk {
        /// What the system said.
        source: io::Error,
    },
    /// The file is too large to be read into memory.
    #[error("too large to be read ({size} bytes): {path}")]
    TooLarge {
        /// The path in the commit.
        path: String,
        /// The size in bytes.
        size: u64,
    },
}

/// A process that serves objects, for many questions in a row.
///
/// After an error other than [`ObjectError::TooLarge`] it answers no more.
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

    /// Returns the content of a file; `None` when the commit is not there or has no such file.
    ///
    /// The content of a symbolic link is where it leads. A submodule has none.
    pub fn blob(&mut self, commit: &CommitId, path: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        self.content_of(commit.as_str(), path)
    }

    /// Returns the content of a file that the next commit would have; `None` when it has no such file.
    ///
    /// The process looks into the index once, when it is first asked.
    pub fn staged(&mut self, path: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        self.content_of(":0", path)
    }

    fn content_of(&mut self, state: &str, path: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        let Some(name) = self.name(state, path)? else {
            return Ok(None);
        };
        let Some(header) = self.content.ask(&name).map_err(talk)? else {
            return Ok(None);
        };
        if header.size > MAX_SIZE {
            self.content.skip(&header).map_err(talk)?;
            return Err(ObjectError::TooLarge { path: path.to_owned(), size: header.size });
        }
        let content = self.content.content(&header).map_err(talk)?;
        Ok(header.is_blob.then_some(content))
    }

    /// Returns a name of the file that fits on a line.
    fn name(&self, state: &str, path: &str) -> Result<Option<String>, RunError> {
        let name = format!("{state}:{path}");
        // git takes what begins with a dot and a slash for a path from the current directory, and
        // ends when it leads out of the worktree.
        let is_relative = path.starts_with("./") || path.starts_with("../");
        if path.is_empty() || path.contains('\0') || is_relative {
            return Ok(None);
        }
        if !path.contains(['\n', '\r']) {
            return Ok(Some(name));
        }
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
        Ok(self.repo.answer(&args)?.map(|stdout| line(&stdout)))
    }
}

fn talk(source: io::Error) -> ObjectError {
    ObjectError::Talk { source }
}
