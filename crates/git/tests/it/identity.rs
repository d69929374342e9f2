use skein_git::user_name;

use crate::sandbox::{Sandbox, git};

#[test]
fn the_user_name_is_that_of_the_repository() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    git(&top, &["config", "user.name", " Grace Höpper "]);
    assert_eq!(user_name(&sandbox.dir("r/src")).as_deref(), Some("Grace Höpper"));
}

#[test]
fn a_blank_name_and_a_missing_directory_give_none() {
    let sandbox = Sandbox::new();
    let top = sandbox.repository("r");
    git(&top, &["config", "user.name", ""]);
    assert_eq!(user_name(&top), None);
    assert_eq!(user_name(&sandbox.path("gone")), None);
}
