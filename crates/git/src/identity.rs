//! Who the user is, as far as git knows.

use std::path::Path;

use crate::run::run;

/// Returns the `user.name` that git would sign a commit in `dir` with.
///
/// `None` when it is not set, and when git cannot be asked: the caller has other ways to name an
/// author.
#[must_use]
pub fn user_name(dir: &Path) -> Option<String> {
    let stdout = run(dir, ["config", "--get", "user.name"]).ok()?;
    let name = String::from_utf8_lossy(&stdout);
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
