//! Removes directories of this machine from messages.

use std::path::Path;

use skein_workspace::Workspace;

/// Returns a message with paths relative to the workspace.
pub(crate) fn relative_paths(text: &str, workspace: &Workspace) -> String {
    let env = &workspace.env;
    let mut text = text.to_owned();
    for root in [&workspace.reviews.root, &workspace.checkpoints.root, &env.dir] {
        text = replace(&text, root, "");
    }
    for (dir, name) in [(&env.dirs.state, "(state)"), (&env.dirs.cache, "(cache)")] {
        text = replace(&text, dir, name);
    }
    env.home.as_ref().map_or_else(|| text.clone(), |home| replace(&text, home, "~"))
}

/// Replaces a directory in paths. A path that is the directory itself becomes `.` if the name is empty.
fn replace(text: &str, dir: &Path, name: &str) -> String {
    let dir = dir.display().to_string();
    if dir.len() < 2 {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&dir) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        rest = found.get(dir.len()..).unwrap_or_default();
        // The directory can also be a part of a longer path.
        let starts_within =
            out.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "/._-".contains(c));
        let ends_within =
            rest.chars().next().is_some_and(|c| c.is_alphanumeric() || "_-".contains(c));
        if starts_within || ends_within {
            out.push_str(&dir);
        } else if let (true, Some(below)) = (name.is_empty(), rest.strip_prefix('/')) {
            rest = below;
        } else {
            out.push_str(if name.is_empty() { "." } else { name });
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_replaced_only_at_the_start_of_a_path() {
        let check = |text: &str, name: &str, expected: &str| {
            assert_eq!(replace(text, Path::new("/src"), name), expected);
        };
        check("/src/a.rs: no, in /src.", "", "a.rs: no, in ..");
        check("not in lib/src/a.rs or /srcs", "", "not in lib/src/a.rs or /srcs");
        check("(/src/a)", "~", "(~/a)");
    }
}
