//! The directory that the tools work on.

use std::path::Path;

use serde_json::{Value, json};
use skein_fixtures::{Fixture, Review};
use skein_mcp::StartDir;

use crate::handshake::modern;
use crate::peer::{Peer, text};

const UNKNOWN: &str = "Error: Skein does not know which directory this is about. Hint: start the server with the arguments `-C`, the path of the repository, and `mcp`";

/// Starts a server in `/`, and a client that names its directories.
fn with_roots(fixture: &Fixture, roots: &[String]) -> String {
    let mut peer = started_in(fixture, Path::new("/"));
    peer.request(
        "initialize",
        json!({
            "protocolVersion": "2025-11-25", "capabilities": { "roots": {} },
            "clientInfo": { "name": "opencode", "version": "1" },
        }),
    );
    peer.notify("notifications/initialized", json!({}));
    let call = peer.send_call("review_threads", json!({}));
    let asked = peer.next();
    assert_eq!(asked["method"], "roots/list");
    let roots: Vec<Value> = roots.iter().map(|uri| json!({ "uri": uri })).collect();
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": roots } });
    peer.write(format!("{answer}\n").as_bytes());
    text(&peer.answer(call))
}

fn started_in(fixture: &Fixture, dir: &Path) -> Peer {
    let env = fixture.env("w").with_dir(dir.to_owned());
    Peer::start(env, StartDir::Guessed(dir.to_owned()), false)
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w x");
    fixture.review("w x", "aaaa", &Review::default());
    fixture.dir("home");
    fixture
}

#[test]
fn a_client_that_starts_the_server_elsewhere_is_asked() {
    let fixture = fixture();
    let uri = |name: &str| format!("file://{}", fixture.path(name).display()).replace(' ', "%20");
    assert!(with_roots(&fixture, &[uri("w x")]).contains("1 thread waits"));
    assert_eq!(with_roots(&fixture, &[]), UNKNOWN);
    assert_eq!(with_roots(&fixture, &[uri("w x"), uri("home")]), UNKNOWN);
    assert_eq!(with_roots(&fixture, &[uri("missing")]), UNKNOWN);
    assert_eq!(with_roots(&fixture, &["https://example.org/".to_owned()]), UNKNOWN);
}

#[test]
fn a_client_that_cannot_be_asked_is_told_what_to_do() {
    let fixture = fixture();
    for dir in [Path::new("/"), &fixture.path("home")] {
        let mut peer = started_in(&fixture, dir);
        peer.initialize("zed", "2025-11-25");
        for tool in ["review_threads", "review_next", "work_resume"] {
            assert_eq!(peer.call(tool, json!({})), UNKNOWN);
        }
    }
    // In the newer protocol a server asks nothing.
    let mut peer = started_in(&fixture, Path::new("/"));
    let params = json!({ "name": "review_threads", "arguments": {}, "_meta": modern("opencode") });
    assert_eq!(text(&peer.request("tools/call", params)), UNKNOWN);
}

#[test]
fn a_repository_in_the_home_directory_and_any_other_directory_are_used() {
    let fixture = fixture();
    fixture.review("home", "bbbb", &Review::default());
    let mut peer = started_in(&fixture, &fixture.path("home"));
    peer.initialize("zed", "2025-11-25");
    assert!(peer.call("review_threads", json!({})).contains("1 thread waits"));
    let mut peer = started_in(&fixture, &fixture.dir("empty"));
    peer.initialize("zed", "2025-11-25");
    assert!(peer.call("review_threads", json!({})).contains("none shown"));
}

#[test]
fn paths_are_relative_to_the_root_also_below_it() {
    let fixture = Fixture::new();
    fixture.repository("w");
    for path in ["lib/a.rs", "web/lib/a.rs"] {
        fixture.file(&format!("w/{path}"), "one\n");
    }
    fixture.review("w", "root", &Review { path: "lib/a.rs", ..Review::default() });
    fixture.review("w", "webb", &Review { path: "web/lib/a.rs", ..Review::default() });
    let mut peer = Peer::new(&fixture, "w/web", "zed");
    let listed = peer.call("review_threads", json!({ "path": "lib/a.rs" }));
    assert!(listed.contains("root `lib/a.rs:1`") && !listed.contains("webb"), "{listed}");
}
