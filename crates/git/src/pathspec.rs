//! Limits a command to some paths.

/// Returns the arguments after `--` that let through `paths`, or everything when there are none,
/// without what lies at or below one of `exclude`.
///
/// Each path is taken literally, is relative to the top of the worktree, and includes a folder with
/// all that is in it too.
pub(crate) fn pathspecs(paths: &[String], exclude: &[String]) -> Vec<String> {
    let all = paths.is_empty().then(|| ":(top)".to_owned());
    let included = paths.iter().map(|path| format!(":(top,literal){path}"));
    let excluded = folders(exclude).map(|path| format!(":(top,exclude,literal){path}"));
    all.into_iter().chain(included).chain(excluded).collect()
}

/// Returns paths without the slash at the end, and without those that are empty: they would match
/// everything.
pub(crate) fn folders(paths: &[String]) -> impl Iterator<Item = &str> {
    paths.iter().map(|path| path.trim_end_matches('/')).filter(|path| !path.is_empty())
}
