//! Stores snapshots of the files in a repository that is never pushed.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::command::{GitArg, GitCommand, guarded_command, unguarded_command};
use crate::object_id::ObjectId;
use crate::quoted::quote_path;
use crate::refs::{self, Ref};
use crate::repo::Repo;
use crate::run::{RunError, feed, finish};
use crate::scratch::TempIndex;

/// More packs than this are combined into one.
const MAX_PACKS: usize = 40;

/// A bare repository of Skein's own inside the common git directory.
///
/// `git push --mirror` publishes every reference of a repository, so the trees of submissions,
/// which include untracked files, cannot be stored there. Each tree is stored here with everything
/// below it, because the user's `git gc` removes objects to which nothing there refers.
///
/// A caller that writes must lock the directory: combining packs removes unreferenced objects.
#[derive(Clone, Debug)]
pub struct Submissions {
    dir: PathBuf,
    repo: Repo,
}

impl Repo {
    /// Returns the repository of the submissions, which may not exist.
    pub fn submissions(&self) -> Submissions {
        Submissions { dir: self.submissions_dir(), repo: self.clone() }
    }
}

impl Submissions {
    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Creates the repository if it does not exist.
    pub fn ensure(&self) -> Result<(), RunError> {
        if self.exists() {
            return Ok(());
        }
        let failed = |source: io::Error| RunError::Scratch { path: self.dir.clone(), source };
        fs::create_dir_all(&self.dir).map_err(failed)?;
        let mut init = unguarded_command(&self.dir);
        init.args(["init", "--quiet", "--bare", "--template="]);
        if let Some(format) = self.repo.config_get("extensions.objectFormat")? {
            init.arg(GitArg::option("--object-format", format));
        }
        finish(init, &self.dir).map(drop)
    }

    /// Records the files on disk as [`Repo::snapshot`] does, with all objects in this repository.
    ///
    /// No reference points to the tree yet.
    pub fn snapshot(&self, exclude: &[String]) -> Result<ObjectId, RunError> {
        self.ensure()?;
        let scratch = TempIndex::new(&self.repo)?;
        let tree = self.repo.snapshot_in(&scratch, exclude)?;
        self.keep(&tree, Some(&scratch))?;
        Ok(tree)
    }

    /// Moves references below `prefix` of the user's repository here, under the same names.
    ///
    /// Each is removed there only after it has been created here.
    pub fn adopt(&self, prefix: &str) -> Result<(), RunError> {
        for old in self.repo.refs(prefix)? {
            self.ensure()?;
            self.keep(&old.id, None)?;
            self.create_ref(&old.name, &old.id)?;
            self.repo.delete_ref(&old.name)?;
        }
        Ok(())
    }

    /// Creates the reference `name` and returns true, or returns false if it already exists.
    pub fn create_ref(&self, name: &str, id: &ObjectId) -> Result<bool, RunError> {
        // git would also accept names such as `HEAD`.
        if !name.starts_with("refs/") {
            return Err(RunError::RefName { name: name.to_owned() });
        }
        let mut command = self.git(&["update-ref", "--no-deref"]);
        command.names([name, id.as_str(), ""]);
        match finish(command, &self.dir) {
            Ok(_) => Ok(true),
            Err(_) if self.refs(name)?.iter().any(|found| found.name == name) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes the reference `name`.
    pub fn delete_ref(&self, name: &str) -> Result<(), RunError> {
        let mut command = self.git(&["update-ref", "--no-deref", "-d"]);
        command.names([name]);
        finish(command, &self.dir).map(drop)
    }

    /// Returns the references below `prefix`, sorted by name; none if there is no repository.
    pub fn refs(&self, prefix: &str) -> Result<Vec<Ref>, RunError> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        refs::list(self.git(&[]), &self.dir, &[prefix])
    }

    /// Combines the packs if there are many, and removes unreferenced objects.
    pub fn tidy(&self) -> Result<(), RunError> {
        let packs = self.dir.join("objects").join("pack").read_dir().into_iter().flatten();
        let is_pack = |name: OsString| Path::new(&name).extension() == Some("pack".as_ref());
        let packs = packs.filter_map(Result::ok).filter(|entry| is_pack(entry.file_name()));
        if packs.count() <= MAX_PACKS {
            return Ok(());
        }
        finish(self.git(&["repack", "-a", "-d", "-q", "--window=0"]), &self.dir).map(drop)
    }

    /// Removes the repository if it has no references.
    pub fn remove_empty(&self) -> Result<(), RunError> {
        if !self.refs("refs")?.is_empty() {
            return Ok(());
        }
        match fs::remove_dir_all(&self.dir) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(RunError::Scratch { path: self.dir.clone(), source: error })
            }
            _ => Ok(()),
        }
    }

    fn exists(&self) -> bool {
        self.dir.join("HEAD").is_file()
    }

    /// Copies a tree, with everything below it that is not yet in this repository.
    fn keep(&self, tree: &ObjectId, scratch: Option<&TempIndex>) -> Result<(), RunError> {
        let kept = self.refs("refs")?.into_iter().map(|kept| format!("^{}\n", kept.id.as_str()));
        let wanted: String = [format!("{}\n", tree.as_str())].into_iter().chain(kept).collect();
        let mut sources = quote_path(&self.repo.common_dir().join("objects"));
        if let Some(scratch) = scratch {
            sources.push(":");
            sources.push(quote_path(&scratch.objects()));
        }
        // A clone may lack objects on purpose.
        let missing = "--missing=allow-any";
        let args = ["pack-objects", "-q", "--revs", missing, "--window=0", "--non-empty"];
        let mut command = self.git(&args);
        command
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", sources)
            .arg(GitArg::absolute(&self.dir.join("objects").join("pack").join("pack")));
        feed(command, &self.dir, wanted.as_bytes()).map(drop)
    }

    fn git(&self, args: &[&'static str]) -> GitCommand {
        let mut command = guarded_command(&self.dir);
        command.arg(GitArg::option("--git-dir", &self.dir)).args(args.iter().copied());
        command
    }
}
