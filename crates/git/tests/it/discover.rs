use std::path::Path;

use skein_git::{DiscoverError, RepoDirs};

use crate::sandbox::{Sandbox, commit, git, layout, write};

/// Checks a layout against the answers of git itself.
#[track_caller]
fn check(start: &Path, top: Option<&Path>) {
    let layout = layout(start);
    assert_eq!(layout.top.as_deref(), top);
    let git_dir = git(start, &["rev-parse", "--absolute-git-dir"]);
    assert_eq!(layout.git_dir.to_str(), Some(git_dir.as_str()));
    let common_dir = start.join(git(start, &["rev-parse", "--git-common-dir"]));
    let common_dir = common_dir.canonicalize().expect("git names what exists");
    assert_eq!(layout.common_dir, common_dir);
    if let Some(top) = top {
        let git_top = git(start, &["rev-parse", "--show-toplevel"]);
        assert_eq!(top.to_str(), Some(git_top.as_str()));
    }
}

#[track_caller]
fn check_none(start: &Path) {
    assert!(matches!(RepoDirs::discover(start), Ok(None)));
}

#[test]
fn a_repository_is_found_from_its_top_a_folder_and_a_file() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let file = sandbox.file("r/src/deep/a.rs", "");
    check(&top, Some(&top));
    check(file.parent().unwrap(), Some(&top));
    assert_eq!(layout(&file).top, Some(top));
}

#[test]
fn paths_may_contain_spaces_and_non_ascii_characters() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("a b/日本 ünï");
    let tree = sandbox.path("töp of tree");
    let to = tree.to_str().unwrap();
    git(&top, &["worktree", "add", "--quiet", "--detach", to]);
    check(&top, Some(&top));
    check(&tree, Some(&tree));
    assert_eq!(layout(&tree).main_top(), Some(top));
}

#[test]
fn a_linked_worktree_knows_the_main_checkout() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("r");
    let tree = sandbox.path("tree");
    git(&main, &["worktree", "add", "--quiet", "../tree"]);
    let inside = sandbox.dir("tree/src");
    check(&inside, Some(&tree));
    let layout = layout(&inside);
    assert_eq!(layout.main_top(), Some(main.clone()));
    assert_eq!(layout.exclude_file(), main.join(".git/info/exclude"));
}

#[test]
fn a_relative_git_file_is_followed() {
    let sandbox = Sandbox::new();
    let main = sandbox.repository("r");
    git(&main, &["worktree", "add", "--quiet", "../tree"]);
    let dot_git = sandbox.path("tree/.git");
    write(&dot_git, "gitdir: ../r/.git/worktrees/tree\n");
    let tree = sandbox.path("tree");
    check(&tree, Some(&tree));
}

#[test]
fn the_nearest_of_nested_repositories_is_found() {
    let sandbox = Sandbox::new();
    sandbox.repository("outer");
    let inner = sandbox.repository("outer/vendor/inner");
    check(&sandbox.dir("outer/vendor/inner/src"), Some(&inner));
    check(&sandbox.path("outer/vendor"), Some(&sandbox.path("outer")));
}

#[test]
fn a_submodule_is_its_own_main_checkout() {
    let sandbox = Sandbox::new();
    sandbox.repository("library");
    let outer = sandbox.repository("outer");
    git(&outer, &["submodule", "--quiet", "add", "../library", "deps/sub"]);
    let sub = sandbox.path("outer/deps/sub");
    check(&sub, Some(&sub));
    assert_eq!(layout(&sub).main_top(), Some(sub.clone()));

    // Only `core.worktree` leads from a linked worktree of a submodule back to the submodule.
    git(&sub, &["worktree", "add", "--quiet", "../../../tree"]);
    let tree = sandbox.path("tree");
    check(&tree, Some(&tree));
    assert_eq!(layout(&tree).main_top(), Some(sub));
}

#[test]
fn a_separate_git_directory_is_found() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("r");
    git(&top, &["init", "--quiet", "--separate-git-dir", "../store"]);
    commit(&top);
    check(&top, Some(&top));
    assert_eq!(layout(&top).main_top(), Some(top));
}

#[test]
fn a_bare_repository_has_no_top_level() {
    let sandbox = Sandbox::new();
    let bare = sandbox.dir("r.git");
    git(&bare, &["init", "--quiet", "--bare"]);
    check(&bare, None);
    check(&bare.join("refs"), None);
    assert_eq!(layout(&bare).main_top(), None);
}

#[test]
fn a_bare_repository_named_dot_git_has_worktrees_and_no_main_checkout() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repository("origin");
    let project = sandbox.path("project");
    git(&origin, &["clone", "--quiet", "--bare", ".", "../project/.git"]);
    git(&project, &["worktree", "add", "--quiet", "tree"]);
    check(&project, None);
    assert_eq!(layout(&project).main_top(), None);
    let tree = project.join("tree");
    check(&tree, Some(&tree));
    assert_eq!(layout(&tree).main_top(), None);
}

#[test]
fn inside_the_git_directory_there_is_no_top_level() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    check(&top.join(".git/refs"), None);
    assert_eq!(layout(&top.join(".git")).main_top(), Some(top));
}

#[test]
fn a_broken_git_file_ends_the_search_and_is_named() {
    let sandbox = Sandbox::new();
    sandbox.repository("r");
    let file = sandbox.file("r/sub/.git", "not a link\n");
    let inside = sandbox.dir("r/sub/src");
    let error = RepoDirs::discover(&inside).unwrap_err();
    assert!(matches!(error, DiscoverError::NoGitDir { .. }), "{error}");
    assert_eq!(error.path(), file);

    write(&file, "gitdir: ../gone\n");
    let error = RepoDirs::discover(&inside).unwrap_err();
    assert!(matches!(error, DiscoverError::Dangling { .. }), "{error}");
    assert_eq!(error.path(), file);
}

#[test]
fn a_git_directory_that_is_not_a_repository_is_skipped() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    sandbox.dir("r/sub/.git/objects");
    check(&sandbox.path("r/sub"), Some(&top));
}

#[test]
fn a_missing_repository_is_none_and_a_missing_directory_is_an_error() {
    let sandbox = Sandbox::new();
    check_none(&sandbox.dir("plain"));
    let gone = sandbox.path("gone");
    let error = RepoDirs::discover(&gone).unwrap_err();
    assert!(matches!(error, DiscoverError::Start { .. }), "{error}");
    assert_eq!(error.path(), gone);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_resolved() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    let inside = sandbox.dir("r/src");
    sandbox.repository("other");
    let link = sandbox.path("other/link");
    std::os::unix::fs::symlink(inside, &link).unwrap();
    check(&link, Some(&top));
}
