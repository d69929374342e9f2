//! Limits a command to some paths.

/// Returns the arguments after `--` that select `paths`, or everything if it is empty, except paths
/// at or below one of `exclude`.
///
/// Paths are literal and relative to the top of the worktree; a folder includes its contents.
pub(crate) fn pathspecs(paths: &[String], exclude: &[String]) -> Vec<String> {
    let all = paths.is_empty().then(|| ":(top)".to_owned());
    let included = paths.iter().map(|path| format!(":(top,literal){path}"));
    let excluded = folders(exclude).map(|path| format!(":(top,exclude,literal){path}"));
    all.into_iter().chain(included).chain(excluded).collect()
}

/// Returns paths without the trailing slash. Empty ones, which would match everything, are left
/// out.
pub(crate) fn folders(paths: &[String]) -> impl Iterator<Item = &str> {
    paths.iter().map(|path| path.trim_end_matches('/')).filter(|path| !path.is_empty())
}
