use crate::place::Place;

#[test]
fn settings_are_listed_with_their_origin() {
    let mut place = Place::demo();
    place.machine.variables.insert("SKEIN_COLOR".to_owned(), "never".to_owned());
    place.check(
        "config list",
        "
color                      never                                      SKEIN_COLOR
                           When to use colour.
hook.generated             workspace/reports, workspace/social-drafts built in
                           Folders in which a file written by an agent triggers a checkpoint; `*` matches any name.
hook.stop_gate             false                                      built in
                           Whether an agent is asked to continue while review threads wait on it.
review.agents              (not set)
                           Authors that count as agents, in addition to the known ones.
review.agents_may_resolve  false                                      built in
                           Whether agents may resolve threads; if not, their resolve is a proposal to the reviewer.
review.changed_only        false                                      built in
                           Whether only changed lines may be commented on.
review.storage_path        (not set)
                           Where review threads are kept; the default is `.code-review`.
session.lenient            false                                      built in
                           Whether invalid entries of the session map are shown.
session.map                sessions/mattermost-threads.json           ROOT/here/lantern/.skein.toml
                           The session map; the default is the one in the home directory.
store.safe_directories     (not set)
                           Directories whose stores are used although another user owns them.
-- exit 0
",
    );
    assert_eq!(place.run("config").out, place.run("config list").out);
}

#[test]
fn a_setting_is_written_to_the_users_own_file() {
    let place = Place::empty();
    place.check(
        "config path",
        "
ROOT/home/.config/skein/config.toml
-- exit 0
",
    );
    place.check(
        "config set review.agents Robo,R2",
        "
-- stderr
Wrote ROOT/home/.config/skein/config.toml
-- exit 0
",
    );
    let file = place.path("home/.config/skein/config.toml");
    let text = || std::fs::read_to_string(&file).unwrap();
    assert_eq!(text(), "[review]\nagents = [\"Robo\", \"R2\"]\n");
    place.check(
        "config get review.agents",
        "
Robo, R2
-- exit 0
",
    );
    place.check(
        "config unset review.agents",
        "
-- stderr
Wrote ROOT/home/.config/skein/config.toml
-- exit 0
",
    );
    assert_eq!(text(), "[review]\n");
    place.check(
        "config get review.agents",
        "
-- exit 1
",
    );
    place.check(
        "config get color",
        "
auto
-- exit 0
",
    );
}

#[test]
fn a_wrong_key_or_value_is_an_error_with_a_hint() {
    let place = Place::empty();
    place.check(
        "config set colour never",
        "
-- stderr
Error: there is no setting `colour`
Hint: did you mean `color`? `skein config list` shows every setting
-- exit 2
",
    );
    place.check(
        "config get nothing.like.it",
        "
-- stderr
Error: there is no setting `nothing.like.it`
Hint: run `skein config list` to see every setting
-- exit 2
",
    );
    place.check(
        "config set color blue",
        "
-- stderr
Error: `color` takes `auto`, `always` or `never`, not `blue`
Hint: run `skein config list` to see the current value
-- exit 2
",
    );
    place.check(
        "config set review.storage_path ../x",
        "
-- stderr
Error: `review.storage_path` takes a path inside the workspace, not `../x`
Hint: run `skein config list` to see the current value
-- exit 2
",
    );
    assert!(!place.path("home/.config").exists());
    assert_eq!(place.run("config list").code, 0);
}

#[test]
fn a_broken_settings_file_is_not_overwritten() {
    let place = Place::empty();
    place.machine.home.as_ref().unwrap();
    let file = place.path("home/.config/skein/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "color = \n").unwrap();
    let output = place.run("config set color never");
    assert_eq!(output.code, 2);
    assert!(
        output.err.starts_with(
            "Error: the setting could not be written\n\
             Caused by: cannot understand ROOT/home/.config/skein/config.toml\n\
             Caused by: TOML parse error at line 1"
        ),
        "{}",
        output.err
    );
    assert!(output.err.contains("Hint: "), "{}", output.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "color = \n");
    let output = place.run("doctor");
    assert!(
        output.out.contains("home/.config/skein/config.toml:1: error [settings-bad]"),
        "{}",
        output.out
    );
}

#[test]
fn hook_settings_reject_invalid_values() {
    let place = Place::empty();
    place.check(
        "config set hook.generated ../x",
        "
-- stderr
Error: `hook.generated` takes a list of folders inside the workspace, with commas between them, not `../x`
Hint: run `skein config list` to see the current value
-- exit 2
",
    );
    place.check(
        "config set hook.stop_gate maybe",
        "
-- stderr
Error: `hook.stop_gate` takes `true` or `false`, not `maybe`
Hint: run `skein config list` to see the current value
-- exit 2
",
    );
}

#[test]
fn a_repository_setting_applies_only_to_that_repository() {
    let mut place = Place::empty();
    let file = place.file(".skein.toml", "# ours\n[review]\nagents = [\"bot\"]\n");
    let set = "config set --repository review.storage_path .skein-review";
    place.check(
        set,
        "
-- stderr
Wrote ROOT/here/.skein.toml
-- exit 0
",
    );
    let expected = "# ours\n[review]\nagents = [\"bot\"]\nstorage_path = \".skein-review\"\n";
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    assert_eq!(place.run("config get review.storage_path").out, ".skein-review\n");
    assert!(!place.path("home/.config").exists());
    // Settings that a repository must not set are refused.
    for refused in [
        "config set --repository store.safe_directories /",
        "config set --repository session.map ../map.json",
    ] {
        let output = place.run(refused);
        assert_eq!(output.code, 2, "{refused}: {}", output.err);
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    place.machine.dir = place.path("home");
    assert_eq!(place.run("config get review.storage_path").code, 1);
}

#[test]
#[cfg(unix)]
fn a_settings_file_that_is_a_symlink_is_not_written() {
    let place = Place::empty();
    let other = place.path("other.toml");
    std::fs::write(&other, "").unwrap();
    std::os::unix::fs::symlink(&other, place.path("here/.skein.toml")).unwrap();
    let output = place.run("config set --repository review.storage_path .skein-review");
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("unexpected symbolic link"), "{}", output.err);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "");
}
