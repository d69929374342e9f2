//! The descriptions of the tools.

use serde_json::{Value, json};
use skein_fixtures::Fixture;

use crate::peer::Peer;

const NAMES: [&str; 6] =
    ["review_threads", "review_next", "review_reply", "review_comment", "work_resume", "work_save"];
/// The keywords of JSON Schema that all clients accept.
const KEYWORDS: [&str; 7] =
    ["type", "properties", "required", "items", "enum", "minimum", "description"];

fn tools(read_only: bool) -> Value {
    let fixture = Fixture::new();
    fixture.dir("w");
    let mut peer = Peer::without_handshake(fixture.env("w"), read_only);
    peer.initialize("zed", "2025-11-25");
    let first = peer.request("tools/list", json!({}))["result"].clone();
    let second = peer.request("tools/list", json!({}))["result"].clone();
    assert_eq!(first.to_string(), second.to_string());
    assert!(first.to_string().len() <= 6_000, "{} bytes", first.to_string().len());
    first["tools"].clone()
}

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn the_tools_are_as_described() {
    let tools = tools(false);
    assert_eq!(names(&tools), NAMES);
    let expected: Value = serde_json::from_str(include_str!("../../src/tools/tools.json")).unwrap();
    assert_eq!(tools, expected);
}

#[test]
fn all_clients_accept_the_names_schemas_and_hints() {
    for read_only in [false, true] {
        for tool in tools(read_only).as_array().unwrap() {
            // Cursor counts the name of the server too.
            assert!(tool["name"].as_str().unwrap().len() <= 14);
            assert!(tool["description"].as_str().unwrap().len() <= 2_000);
            assert_eq!(tool["inputSchema"]["type"], "object");
            check_schema(&tool["inputSchema"]);
            let hints = &tool["annotations"];
            // Codex asks about each call otherwise, and VS Code about each result.
            assert_eq!(hints["openWorldHint"], false);
            assert_eq!(hints["destructiveHint"], false);
            assert!(hints["readOnlyHint"].is_boolean() && hints["idempotentHint"].is_boolean());
            assert!(tool.get("outputSchema").is_none());
        }
    }
}

fn check_schema(schema: &Value) {
    let object = schema.as_object().unwrap();
    for (keyword, value) in object {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword} in {schema}");
        match keyword.as_str() {
            "type" => {
                let types = ["object", "array", "string", "integer", "boolean"];
                assert!(types.contains(&value.as_str().unwrap()), "{schema}");
            }
            "properties" => value.as_object().unwrap().values().for_each(check_schema),
            "items" => check_schema(value),
            "enum" => assert!(value.as_array().unwrap().iter().all(Value::is_string)),
            _ => {}
        }
    }
}

#[test]
fn a_read_only_server_has_no_tool_that_writes() {
    let tools = tools(true);
    assert_eq!(names(&tools), ["review_threads", "review_next", "work_resume"]);
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
    }
    assert!(tools[1]["inputSchema"]["properties"].get("release").is_none());
    let fixture = Fixture::new();
    fixture.repository("w");
    let mut peer = Peer::without_handshake(fixture.env("w"), true);
    peer.initialize("zed", "2025-11-25");
    let answer = peer.request("tools/call", json!({ "name": "work_save", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602);
    let answer = peer.call("review_next", json!({ "release": "x" }));
    assert!(answer.contains("read-only"), "{answer}");
}
