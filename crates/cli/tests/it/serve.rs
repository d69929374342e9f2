use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::place::Place;

#[test]
fn the_address_is_printed() {
    let place = Place::empty();
    place.check(
        "serve main --read-only --port 2000",
        "
Serving ROOT/here at http://127.0.0.1:2000/?base=main&token=read-only
-- stderr
Open the address in a browser.
Press Ctrl-C to stop.
-- exit 0
",
    );
    place.check(
        "serve --no-open --json",
        r#"
{"address":"http://127.0.0.1:20000/?token=writes","port":20000,"token":"writes","root":"ROOT/here"}
-- stderr
Press Ctrl-C to stop.
-- exit 0
"#,
    );
}

#[test]
fn a_workspace_that_is_served_already_is_opened() {
    Place::empty().check(
        "serve --no-open --port 2",
        "
Serving ROOT/here at http://127.0.0.1:2/?token=writes
-- stderr
Another `skein serve` is already running for this workspace.
-- exit 0
",
    );
}

#[test]
fn the_error_for_a_taken_port_has_a_hint() {
    Place::empty().check(
        "serve --port 1",
        "
-- stderr
Error: the page cannot be served
Caused by: the port is taken
Hint: name a higher one
-- exit 2
",
    );
}

#[test]
fn without_a_desktop_a_hint_explains_how_to_open_the_page() {
    let mut place = Place::empty();
    for (name, value) in [("DISPLAY", ":0"), ("SSH_CONNECTION", "10.0.0.1 22 10.0.0.2 22")] {
        place.machine.variables.insert(name.to_owned(), value.to_owned());
    }
    let output = place.run("serve --port 2000");
    assert!(output.err.contains("ssh -L 2000:127.0.0.1:2000 HOST"), "{}", output.err);
}

#[test]
fn the_demo_is_written_once() {
    let place = Place::empty();
    let first = place.run("serve --demo --no-open");
    let dir = "ROOT/home/.cache/skein/demo";
    assert!(first.out.starts_with(&format!("Serving {dir} at")), "{}", first.out);
    assert!(first.err.contains(&format!("The demo is in {dir}.")), "{}", first.err);
    assert!(place.path("home/.cache/skein/demo/.code-review/threads").is_dir());
    let second = place.run("serve --demo --no-open");
    assert!(second.err.contains("already exists"), "{}", second.err);
}

/// Writes a browser script that records its arguments.
fn browser(place: &Place) -> PathBuf {
    let path = place.path("browser");
    let seen = place.path("seen");
    let part = place.path("part");
    let text = format!(
        "#!/bin/sh\necho \"$*\" > {part} && mv {part} {seen}\n",
        part = part.display(),
        seen = seen.display()
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Waits for the arguments that the browser script records.
fn seen(place: &Place) -> String {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if let Ok(text) = fs::read_to_string(place.path("seen")) {
            return text;
        }
        std::thread::yield_now();
    }
    String::new()
}

#[test]
fn the_browser_is_opened() {
    for (command, expected) in
        [("BROWSER", "ADDRESS"), ("BROWSER --new %s now", "--new ADDRESS now")]
    {
        let mut place = Place::empty();
        let command = command.replace("BROWSER", &browser(&place).display().to_string());
        place.machine.variables.insert("BROWSER".to_owned(), format!("{command}:other"));
        let output = place.run("serve --port 2000");
        assert_eq!(output.err, "Press Ctrl-C to stop.\n");
        let address = "http://127.0.0.1:2000/?pass=once";
        assert_eq!(seen(&place), format!("{}\n", expected.replace("ADDRESS", address)));
    }
}
