use crate::sandbox::{Sandbox, git, repo};

const DRIVER: &str = "merge.skein-review.driver";

#[test]
fn settings_are_written_read_and_removed() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    git(&top, &["worktree", "add", "--quiet", "../tree"]);
    let linked = repo(&sandbox.path("tree"));
    assert_eq!(linked.config_get(DRIVER).unwrap(), None);
    linked.config_set_local(DRIVER, "skein merge %O %A %B").unwrap();
    linked.config_set_local(DRIVER, "-x \"%O\"\n%A ").unwrap();
    assert_eq!(repo(&top).config_get(DRIVER).unwrap().as_deref(), Some("-x \"%O\"\n%A "));

    linked.config_set_local("merge.skein-review.name", "x").unwrap();
    assert!(linked.config_remove_section_local("merge.skein-review").unwrap());
    assert!(!linked.config_remove_section_local("merge.skein-review").unwrap());
    assert_eq!(linked.config_get(DRIVER).unwrap(), None);
}

#[test]
fn an_invalid_key_is_refused() {
    let sandbox = Sandbox::new();
    let repo = repo(&sandbox.repository("r"));
    repo.config_set_local("nosection", "x").unwrap_err();
    repo.config_set_local("--global", "x").unwrap_err();
}
