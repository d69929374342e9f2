//! Limits a command to some paths.

/// The arguments of a command that select paths. A path of others is only in them behind a prefix, which makes it literal.
pub(crate) struct Pathspecs(Vec<String>);

impl Pathspecs {
    pub(crate) fn into_args(self) -> Vec<String> {
        self.0
    }

    /// No arguments, so that all paths are selected.
    pub(crate) const ALL: Self = Self(Vec::new());

    /// Selects a path for `check-ignore`, which accepts no other prefix.
    pub(crate) fn below_top(path: &str) -> Self {
        Self(vec![format!("{TOP}{path}")])
    }
}

/// The prefix of a path that is relative to the top of the worktree.
pub(crate) const TOP: &str = ":(top)";

/// Returns the arguments after `--` that select `paths`, or everything if it is empty, except paths
/// at or below one of `exclude`.
///
/// Paths are literal and relative to the top of the worktree; a folder includes its contents.
pub(crate) fn pathspecs(paths: &[String], exclude: &[String]) -> Pathspecs {
    let all = paths.is_empty().then(|| TOP.to_owned());
    let included = paths.iter().map(|path| format!(":(top,literal){path}"));
    let excluded = folders(exclude).map(|path| format!(":(top,exclude,literal){path}"));
    Pathspecs(all.into_iter().chain(included).chain(excluded).collect())
}

/// Returns paths without the trailing slash. Empty ones, which would match everything, are left
/// out.
pub(crate) fn folders(paths: &[String]) -> impl Iterator<Item = &str> {
    paths.iter().map(|path| path.trim_end_matches('/')).filter(|path| !path.is_empty())
}
