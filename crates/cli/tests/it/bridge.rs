use crate::place::Place;

#[test]
fn a_check_lists_its_steps_and_answers_no() {
    Place::empty().check(
        "bridge check",
        "
ok       settings     /bridge.toml
failed   token        not accepted\\u{1b}[2J
                      Hint: make another
skipped  users        not checked
-- exit 1
",
    );
}

#[test]
fn the_status_tells_what_waits() {
    Place::empty().check(
        "bridge status",
        "
No bridge is running (https://chat).
2 sessions, 1 prompt without an answer, 0 requests to approve or answer
-- stderr
`skein bridge check` tests the settings, `skein bridge run` starts it.
-- exit 0
",
    );
}

#[test]
fn the_log_has_the_last_entries() {
    Place::empty().check(
        "bridge log -n 1",
        "
2026-01-23T14:30:52.000Z  u1  ses_1  sent\\u{1b}[2J  prompt
-- exit 0
",
    );
}

#[test]
fn a_bridge_that_cannot_run_tells_why() {
    Place::empty().check(
        "bridge run",
        "
-- stderr
Error: the bridge cannot run
Caused by: there is no settings file
Hint: write the settings first
-- exit 78
",
    );
}

#[test]
fn an_installed_service_is_named_with_the_next_command() {
    let place = Place::empty();
    place.check(
        "bridge install",
        "
Wrote /skein-bridge.service
-- stderr
Next: `systemctl --user enable --now skein-bridge`
-- exit 0
",
    );
    place.check(
        "bridge install --json",
        r#"
{"file":"/skein-bridge.service","action":"created","next":["systemctl --user enable --now skein-bridge"]}
-- exit 0
"#,
    );
}

#[test]
fn a_service_that_cannot_be_removed_tells_why() {
    Place::empty().check(
        "bridge uninstall",
        "
-- stderr
Error: the service file was changed
Hint: remove it yourself
-- exit 2
",
    );
}
