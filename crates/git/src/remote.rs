//! Where a repository is shared.

use crate::repo::Repo;
use crate::run::{RunError, answer};

impl Repo {
    /// Returns the address of `origin`, else of the only remote, as the configuration has it.
    ///
    /// It may hold credentials.
    ///
    /// # Errors
    ///
    /// When git cannot be run, or the configuration cannot be read.
    pub fn remote_url(&self) -> Result<Option<String>, RunError> {
        let mut command = self.git();
        command.args(["config", "-z", "--get-regexp", r"^remote\..*\.url$"]);
        let listed = answer(command, self.top())?.unwrap_or_default();
        Ok(pick(&listed))
    }
}

fn pick(listed: &[u8]) -> Option<String> {
    let mut remotes: Vec<(String, String)> = Vec::new();
    for entry in listed.split(|&byte| byte == 0) {
        let text = String::from_utf8_lossy(entry);
        let Some((key, url)) = text.split_once('\n') else { continue };
        // Of several addresses the first one is fetched from.
        if !remotes.iter().any(|(known, _)| known == key) {
            remotes.push((key.to_owned(), url.to_owned()));
        }
    }
    let origin = remotes.iter().position(|(key, _)| key == "remote.origin.url");
    match (origin, remotes.len()) {
        (Some(at), _) => Some(remotes.swap_remove(at).1),
        (None, 1) => remotes.pop().map(|(_, url)| url),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(listed: &str, expected: Option<&str>) {
        assert_eq!(pick(listed.as_bytes()).as_deref(), expected);
    }

    #[test]
    fn origin_counts_and_else_the_only_one() {
        check("", None);
        check("remote.fork.url\n/a\0", Some("/a"));
        check("remote.fork.url\n/a\0remote.origin.url\n/b\0remote.origin.url\n/c\0", Some("/b"));
        check("remote.fork.url\n/a\0remote.up.url\n/b\0", None);
    }
}
