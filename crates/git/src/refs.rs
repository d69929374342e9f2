//! Reads and sets references.

use crate::object_id::ObjectId;
use crate::repo::Repo;
use crate::run::RunError;

/// A reference and what it points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The full name, such as `refs/heads/main`.
    pub name: String,
    /// The object: a commit, but also a tree or a tag.
    pub id: ObjectId,
    /// The name of the reference that this one stands for.
    pub symbolic: Option<String>,
}

impl Repo {
    /// Lets the reference `name` point at an object, which git then keeps.
    ///
    /// References belong to all worktrees. The message is for the log of the reference, if it has
    /// one.
    ///
    /// # Errors
    ///
    /// When git cannot be run, when the name is not one of a reference, or the object is not there.
    pub fn set_ref(&self, name: &str, id: &ObjectId, message: &str) -> Result<(), RunError> {
        self.update_ref(&["-m", message], name, &[id.as_str()])
    }

    /// Makes the reference `name` and returns true, or returns false when it exists already.
    ///
    /// Of several who try at once, one succeeds.
    ///
    /// # Errors
    ///
    /// As for [`Repo::set_ref`].
    pub fn create_ref(&self, name: &str, id: &ObjectId, message: &str) -> Result<bool, RunError> {
        match self.update_ref(&["-m", message], name, &[id.as_str(), ""]) {
            Ok(()) => Ok(true),
            Err(_) if self.read_ref(name)?.is_some() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes the reference `name`; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the name is not one of a reference.
    pub fn delete_ref(&self, name: &str) -> Result<(), RunError> {
        self.update_ref(&["-d"], name, &[])
    }

    /// Returns what the reference `name` points at.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn read_ref(&self, name: &str) -> Result<Option<ObjectId>, RunError> {
        let refs = self.list_refs(&[name])?;
        Ok(refs.into_iter().find(|found| found.name == name).map(|found| found.id))
    }

    /// Returns the references below `prefix`, such as `refs/skein/submit`, by name.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn refs(&self, prefix: &str) -> Result<Vec<Ref>, RunError> {
        self.list_refs(&[prefix])
    }

    pub(crate) fn list_refs(&self, patterns: &[&str]) -> Result<Vec<Ref>, RunError> {
        let mut command = self.git();
        command
            .args(["for-each-ref", "--format=%(objectname) %(refname) %(symref)"])
            .arg("--end-of-options")
            .args(patterns);
        let stdout = self.finish(command)?;
        Ok(String::from_utf8_lossy(&stdout).lines().filter_map(parse).collect())
    }

    fn update_ref(&self, options: &[&str], name: &str, values: &[&str]) -> Result<(), RunError> {
        // git would take any word for one of its own names, such as `HEAD`.
        if !name.starts_with("refs/") {
            return Err(RunError::RefName { name: name.to_owned() });
        }
        let mut command = self.git();
        command
            .args(["update-ref", "--no-deref"])
            // git refuses an empty message.
            .args(if options == ["-m", ""] { &[] } else { options })
            .args(["--end-of-options", name])
            .args(values);
        self.finish(command)?;
        Ok(())
    }
}

fn parse(line: &str) -> Option<Ref> {
    let mut words = line.split(' ');
    let id = ObjectId::parse(words.next()?)?;
    let name = words.next()?.to_owned();
    let symbolic = words.next().filter(|name| !name.is_empty()).map(str::to_owned);
    Some(Ref { name, id, symbolic })
}
