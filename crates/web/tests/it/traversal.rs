//! Path traversal, in everything that takes a path or an id.

use std::os::unix::fs::symlink;

use crate::client::Request;
use crate::place::{Place, Server};

/// Paths of files that must not be readable.
const PATHS: [&str; 16] = [
    "../outside.txt",
    "src/../../outside.txt",
    "..",
    "/etc/passwd",
    "//etc/passwd",
    "~/outside.txt",
    "..\\outside.txt",
    "src\\a.rs",
    "src/a.rs\0",
    ".git/config",
    ".GIT/config",
    "src/../.git/config",
    ".code-review/AGENTS.md",
    "link",
    "dir/outside.txt",
    "to-git/config",
];

fn place() -> Place {
    let place = Place::new();
    let outside = place.root.parent().unwrap().join("outside.txt");
    std::fs::write(&outside, "SECRET\n").unwrap();
    place.file(".code-review/AGENTS.md", "SECRET\n");
    std::fs::create_dir_all(place.root.join(".code-review/threads")).unwrap();
    symlink(&outside, place.root.join("link")).unwrap();
    symlink(place.root.parent().unwrap(), place.root.join("dir")).unwrap();
    symlink(place.root.join(".git"), place.root.join("to-git")).unwrap();
    place
}

/// Writes every byte but letters and digits as `%XX`.
fn encode(text: &str) -> String {
    let one = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02x}"),
    };
    text.bytes().map(one).collect()
}

/// Checks that a request is refused, reveals no secret and changes nothing.
#[track_caller]
fn check(place: &Place, request: Request, what: &str) {
    let before = place.everything();
    let reply = request.send();
    assert!((400..500).contains(&reply.status), "{what}: {} {}", reply.status, reply.body);
    assert!(!reply.body.contains("SECRET") && !reply.body.contains("[core]"), "{what}");
    assert!(place.everything() == before, "{what}: something was written");
}

#[test]
fn a_path_in_the_address_cannot_leave_the_workspace() {
    let place = place();
    let server = place.serve();
    for path in PATHS {
        for start in ["/api/v1/files/", "/file/"] {
            check(&place, server.get(&format!("{start}{}", encode(path))), path);
            if path.bytes().all(|byte| byte.is_ascii_graphic()) {
                check(&place, server.get(&format!("{start}{path}")), path);
            }
            let twice = encode(&encode(path));
            check(&place, server.get(&format!("{start}{twice}")), path);
        }
    }
}

#[test]
fn a_path_in_a_comment_cannot_leave_the_workspace() {
    let place = place();
    let server = place.serve();
    for path in PATHS {
        for lines in ["null", "[1,1]"] {
            let path = serde_json::to_string(path).unwrap();
            for draft in [true, false] {
                let body =
                    format!(r#"{{"path":{path},"lines":{lines},"body":"x","draft":{draft}}}"#);
                check(&place, server.post("/api/v1/threads", &body), &path);
            }
        }
    }
}

#[test]
fn a_path_to_compare_cannot_leave_the_workspace() {
    let place = place();
    let server = place.serve();
    for path in ["../outside.txt", "/etc/passwd", "src/../../x", ".git/config", "..\\x", "a\0b"] {
        check(&place, server.get(&format!("/api/v1/diff?path={}", encode(path))), path);
    }
    for base in ["--output=stolen", "-h", "main --output=stolen", "$(touch stolen)", "../x", "\0"] {
        check(&place, server.get(&format!("/api/v1/diff?base={}", encode(base))), base);
        let two = format!("main..{base}");
        check(&place, server.get(&format!("/api/v1/diff?base={}", encode(&two))), &two);
    }
}

#[test]
fn a_viewed_path_cannot_leave_the_workspace() {
    let place = place();
    let server = place.serve();
    // The target of a symlink does not matter, because nothing is read.
    for path in PATHS.iter().filter(|path| {
        !matches!(**path, "link" | "dir/outside.txt" | "to-git/config" | "~/outside.txt")
    }) {
        let path = serde_json::to_string(path).unwrap();
        let body = format!(r#"{{"path":{path},"viewed":true,"content":"c"}}"#);
        check(&place, server.post("/api/v1/viewed", &body), &path);
    }
    let long = format!(r#"{{"path":"src/a.rs","viewed":true,"content":"{}"}}"#, "c".repeat(5000));
    check(&place, server.post("/api/v1/viewed", &long), "a long content");
}

#[test]
fn a_path_is_not_accepted_as_an_id() {
    let place = place();
    let server = place.serve();
    let stolen = thread_elsewhere(&place);
    let ids = [
        "../threads/x",
        "..",
        "/etc/passwd",
        "@last",
        "src/a.rs:2",
        "",
        ".",
        "a\0b",
        "a\\b",
        "../AGENTS",
        &stolen,
        "*",
        "x;y",
    ];
    for id in ids {
        let id = encode(id);
        for rest in ["", "/prompt", "/apply"] {
            check(&place, server.get(&format!("/api/v1/threads/{id}{rest}")), &id);
        }
        check(&place, server.get(&format!("/thread/{id}")), &id);
        for (rest, body) in actions() {
            check(&place, server.post(&format!("/api/v1/threads/{id}/{rest}"), body), &id);
        }
    }
}

/// Writes a thread file in another workspace, and returns its path.
fn thread_elsewhere(place: &Place) -> String {
    let other = place.root.parent().unwrap().join("other/.code-review/threads");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("x.md"), "SECRET\n").unwrap();
    other.join("x.md").display().to_string()
}

fn actions() -> [(&'static str, &'static str); 7] {
    [
        ("reply", r#"{"body":"x"}"#),
        ("resolve", "{}"),
        ("reopen", "{}"),
        ("delete", "{}"),
        ("restore", "{}"),
        ("comments/..%2f..", r#"{"was":"a","body":"b"}"#),
        ("apply", r#"{"token":"t"}"#),
    ]
}

#[test]
fn only_known_assets_are_served() {
    let place = place();
    let server: Server = place.serve();
    for name in ["..%2fCargo.toml", "%2e%2e/src/lib.rs", "nothing.js", "skein.css%00", ""] {
        check(&place, server.ask("GET", &format!("/assets/{name}")), name);
    }
    check(&place, server.get("//evil.example/%2e%2e"), "an address like a host");
}
