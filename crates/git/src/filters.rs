//! Disables the filter programs that a repository configures.

use std::collections::BTreeMap;

use crate::command::GitCommand;
use crate::platform::path_from_bytes;
use crate::repo::Repo;
use crate::run::RunError;

/// The value of a setting outside of the repository, and whether the repository sets it.
#[derive(Default)]
struct Setting {
    outside: Option<Vec<u8>>,
    inside: bool,
}

/// The settings that disable the filters of a repository.
///
/// To compare a file with its blob, git runs the filter that `.gitattributes` names. The filters of
/// the user, such as the one for large files, are run. Filters that only the repository defines are
/// disabled, and where it redefines one of the user's, the user's is used.
pub(crate) struct Filters(Vec<(Vec<u8>, Vec<u8>)>);

impl Filters {
    /// Disables the filters of the repository for a command.
    pub(crate) fn guard(&self, mut command: GitCommand) -> GitCommand {
        for (count, (key, value)) in self.0.iter().enumerate() {
            // Unlike `-c`, these variables can carry a key with an equals sign.
            command
                .env("GIT_CONFIG_COUNT", (count + 1).to_string())
                .env(format!("GIT_CONFIG_KEY_{count}"), path_from_bytes(key))
                .env(format!("GIT_CONFIG_VALUE_{count}"), path_from_bytes(value));
        }
        command
    }
}

impl Repo {
    /// Returns the settings that disable the repository's current filters.
    pub(crate) fn filters(&self) -> Result<Filters, RunError> {
        let command = self.git_with(["config", "-z", "--show-scope", "--get-regexp", r"^filter\."]);
        let listed = self.answer(command)?;
        let listed = listed.unwrap_or_default();
        Ok(Filters(overrides(&listed)))
    }

    /// Returns a git command that may read files of the worktree.
    ///
    /// Required for every command that compares files or writes an index: when git writes an index,
    /// it rereads files that were modified in the same instant.
    pub(crate) fn git_on_files(&self) -> Result<GitCommand, RunError> {
        Ok(self.filters()?.guard(self.git()))
    }
}

/// Returns the settings that override the repository's, from a list of all settings with their
/// scopes.
fn overrides(listed: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut settings: BTreeMap<&[u8], Setting> = BTreeMap::new();
    let mut parts = listed.split(|&byte| byte == 0);
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let newline = entry.iter().position(|&byte| byte == b'\n');
        let (key, value) = entry.split_at(newline.unwrap_or(entry.len()));
        let setting = settings.entry(key).or_default();
        if matches!(scope, b"system" | b"global") {
            // A key without a value means true.
            setting.outside = Some(value.strip_prefix(b"\n").unwrap_or(b"true").to_vec());
        } else {
            setting.inside = true;
        }
    }
    settings
        .into_iter()
        .filter(|(_, setting)| setting.inside)
        .map(|(key, setting)| (key.to_vec(), setting.outside.unwrap_or_else(|| neutral(key))))
        .collect()
}

/// Returns the value that disables a setting of a filter.
fn neutral(key: &[u8]) -> Vec<u8> {
    if key.ends_with(b".required") { b"false".to_vec() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(listed: &str, expected: &[(&str, &str)]) {
        let found = overrides(listed.as_bytes());
        let shown: Vec<_> = found
            .iter()
            .map(|(key, value)| (str::from_utf8(key).unwrap(), str::from_utf8(value).unwrap()))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn filters_of_the_user_are_not_overridden() {
        check("global\0filter.lfs.clean\ngit-lfs clean\0system\0filter.lfs.required\0", &[]);
        check("", &[]);
    }

    #[test]
    fn filters_of_the_repository_are_disabled() {
        check(
            "local\0filter.x.clean\nevil\0worktree\0filter.x.required\0",
            &[("filter.x.clean", ""), ("filter.x.required", "false")],
        );
    }

    #[test]
    fn a_filter_of_the_user_survives_a_redefinition() {
        check(
            "global\0filter.lfs.clean\ngood\0local\0filter.lfs.clean\nevil\0",
            &[("filter.lfs.clean", "good")],
        );
    }
}
