//! Who the author is.

use serde_json::json;
use skein_fixtures::Fixture;

use crate::handshake::modern;
use crate::peer::Peer;

/// Adds a comment, and returns its author.
fn author(fixture: &Fixture, client: &str) -> String {
    let mut peer = Peer::new(fixture, "w", client);
    peer.call("review_comment", json!({ "comments": [{ "path": "a.txt", "body": "Why?" }] }));
    written_author(fixture)
}

fn written_author(fixture: &Fixture) -> String {
    let threads = fixture.path("w/.code-review/threads");
    let file = std::fs::read_dir(&threads).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    text.split("author=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.repository("w");
    fixture.file("w/a.txt", "one\n");
    fixture
}

#[test]
fn the_author_is_the_client_and_always_an_agent() {
    let fixture = fixture();
    for (client, expected) in [
        ("claude-code", "Claude Code"),
        ("codex-mcp-client", "Codex"),
        ("opencode", "OpenCode"),
        ("gemini-cli-mcp-client", "Gemini CLI"),
        ("cursor-vscode", "Cursor"),
        ("Visual Studio Code", "GitHub Copilot"),
        ("Zed", "Zed [agent]"),
        ("mcp-inspector", "mcp-inspector [agent]"),
        ("", "MCP client [agent]"),
    ] {
        assert_eq!(author(&fixture, client), expected);
    }
}

#[test]
fn each_request_can_name_its_client() {
    let fixture = fixture();
    let mut peer = Peer::without_handshake(fixture.env("w"), false);
    let arguments = json!({ "comments": [{ "path": "a.txt", "body": "Why?" }] });
    let params = json!({ "name": "review_comment", "arguments": arguments, "_meta": modern("codex-mcp-client") });
    peer.request("tools/call", params);
    assert_eq!(written_author(&fixture), "Codex");
}

#[test]
fn the_user_can_name_the_author_but_not_make_it_a_person() {
    let mut fixture = fixture();
    fixture.variables.insert("SKEIN_AUTHOR".to_owned(), "Mira".to_owned());
    assert_eq!(author(&fixture, "codex-mcp-client"), "Mira [agent]");
}

#[test]
fn variables_of_an_agent_around_the_client_are_ignored() {
    let mut fixture = fixture();
    for variable in ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"] {
        fixture.variables.insert(variable.to_owned(), "outer".to_owned());
    }
    assert_eq!(author(&fixture, "codex-mcp-client"), "Codex");
    // Two clients in one session of another agent have claims of their own.
    let review = skein_fixtures::Review { path: "a.txt", ..skein_fixtures::Review::default() };
    for id in ["aaaa", "bbbb"] {
        fixture.review("w", id, &review);
    }
    let claim = |peer: &mut Peer| {
        let text = peer.call("review_next", json!({}));
        text.split("## ").nth(1).map(|rest| rest[..4].to_owned())
    };
    let mut peers: Vec<_> = (0..2).map(|_| Peer::new(&fixture, "w", "codex-mcp-client")).collect();
    let claims: Vec<_> = peers.iter_mut().map(claim).collect();
    assert_ne!(claims[0], claims[1]);
    // A client that is restarted within its own session gets its thread again.
    let mut own: Vec<_> = (0..2).map(|_| Peer::new(&fixture, "w", "claude-code")).collect();
    fixture.review("w", "cccc", &review);
    let claims: Vec<_> = own.iter_mut().map(claim).collect();
    assert_eq!(claims, [Some("cccc".to_owned()), Some("cccc".to_owned())]);
}
