//! The recordings of the real servers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

use crate::{JsonShape, Rules};

pub static MATTERMOST: LazyLock<Recording> = LazyLock::new(|| Recording {
    name: "mattermost",
    shapes: read_shapes(include_str!("../recorded/mattermost.json")),
    rules: Rules {
        maps: &["posts", "omit_users", "GET /config/client 200"],
        free: &["props"],
        has_nested_json: true,
    },
    name_event: name_frame,
});

pub static OPENCODE: LazyLock<Recording> = LazyLock::new(|| Recording {
    name: "opencode",
    shapes: read_shapes(include_str!("../recorded/opencode.json")),
    rules: Rules {
        maps: &["GET /session/status 200", "models", "default", "variants"],
        free: &["metadata", "input", "options", "headers", "responseHeaders"],
        has_nested_json: false,
    },
    name_event,
});

/// The shape of each message of a server, by name: `event NAME`, or the method, path and status of a response. Ids in
/// paths are `{}`.
pub struct Recording {
    pub(crate) name: &'static str,
    pub(crate) shapes: BTreeMap<String, JsonShape>,
    pub(crate) rules: Rules,
    pub(crate) name_event: fn(&Value) -> String,
}

impl Recording {
    /// Checks the body of a response to a request such as `GET /users/u1?a=b`, and returns it with all keys.
    pub fn response(&self, line: &str, status: u16, body: &str) -> Result<String, String> {
        let value = serde_json::from_str(body).map_err(|_| format!("not JSON: {body}"))?;
        let line = line.split('?').next().unwrap_or_default();
        let mut names = self.shapes.keys().filter_map(|name| {
            let recorded = name.strip_suffix(&format!(" {status}"))?;
            Some((count_placeholders(recorded, line)?, name))
        });
        let name = names.by_ref().min().map(|(_, name)| name.as_str());
        self.complete(name.unwrap_or(if status < 400 { line } else { "error" }), value)
    }

    /// Checks an event, and returns it with all keys.
    pub fn event(&self, event: &Value) -> Result<String, String> {
        self.complete(&(self.name_event)(event), event.clone())
    }

    fn complete(&self, name: &str, mut value: Value) -> Result<String, String> {
        let shape = self.shapes.get(name);
        let shape = shape.ok_or_else(|| format!("{} has no recorded {name}", self.name))?;
        shape.complete(name, &mut value)?;
        Ok(value.to_string())
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("recorded/{}.json", self.name))
    }
}

fn read_shapes(text: &str) -> BTreeMap<String, JsonShape> {
    let shapes: BTreeMap<String, Value> = serde_json::from_str(text).unwrap();
    shapes.into_iter().map(|(name, shape)| (name, JsonShape::from_value(&shape))).collect()
}

/// Returns how many parts of a method and path are placeholders of the recorded ones, if they match.
fn count_placeholders(recorded: &str, line: &str) -> Option<usize> {
    let (recorded, line): (Vec<_>, Vec<_>) =
        (recorded.split('/').collect(), line.split('/').collect());
    let matches = |(recorded, part): (&&str, &&str)| *recorded == "{}" || recorded == part;
    let is_match = recorded.len() == line.len() && recorded.iter().zip(&line).all(matches);
    is_match.then(|| recorded.iter().filter(|part| **part == "{}").count())
}

/// Returns the name of a message of Mattermost's WebSocket.
fn name_frame(frame: &Value) -> String {
    let text = |name| frame.get(name).and_then(Value::as_str);
    match text("event") {
        Some(name) => format!("event {name}"),
        None => format!("reply {}", text("status").unwrap_or_default()),
    }
}

/// Returns the name of an event of OpenCode, with the kind of what it is about.
fn name_event(event: &Value) -> String {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    let name = text("/payload/type").unwrap_or_default();
    let kinds = ["part/type", "info/role", "status/type"];
    let kind = kinds.iter().find_map(|kind| text(&format!("/payload/properties/{kind}")));
    kind.map_or_else(|| format!("event {name}"), |kind| format!("event {name} {kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_matches_the_recorded_one_with_the_fewest_placeholders() {
        assert_eq!(count_placeholders("GET /users/{}", "GET /users/me"), Some(1));
        assert_eq!(count_placeholders("GET /users/me", "GET /users/me"), Some(0));
        assert_eq!(count_placeholders("PUT /users/me", "GET /users/me"), None);
        assert_eq!(count_placeholders("GET /users/{}", "GET /users/me/channels"), None);
    }
}
