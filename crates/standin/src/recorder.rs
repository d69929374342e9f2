//! Compares what a real server sends with its recording.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{JsonShape, Recording};

/// Collects the shapes of messages of a real server.
pub struct Recorder {
    recording: &'static Recording,
    shapes: BTreeMap<String, JsonShape>,
}

impl Recorder {
    pub fn new(recording: &'static Recording) -> Self {
        Self { recording, shapes: BTreeMap::new() }
    }

    /// Adds an event.
    pub fn event(&mut self, event: &Value) {
        self.add((self.recording.name_event)(event), event);
    }

    /// Adds a response to a request whose path has `{}` for each id, such as `GET /users/{}`.
    pub fn response(&mut self, line: &str, status: u16, body: &Value) {
        self.add(format!("{line} {status}"), body);
    }

    /// Adds a message under a name.
    pub fn add(&mut self, name: String, message: &Value) {
        let shape = JsonShape::derive(&name, message, self.recording.rules);
        match self.shapes.get_mut(&name) {
            Some(known) => known.merge(shape),
            None => drop(self.shapes.insert(name, shape)),
        }
    }

    /// Checks that the shapes are the recorded ones. `SKEIN_BLESS=1` rewrites the recording instead. Read every line of
    /// it before you keep it.
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "a developer sets the variable")]
    pub fn finish(self) {
        if std::env::var("SKEIN_BLESS").is_ok_and(|value| value == "1") {
            let shapes = self.shapes.iter().map(|(name, shape)| (name.clone(), shape.to_value()));
            let shapes = Value::Object(shapes.collect());
            std::fs::write(self.recording.path(), format!("{shapes:#}\n")).unwrap();
            return;
        }
        let (recorded, sent) = (flatten(&self.recording.shapes), flatten(&self.shapes));
        let only_recorded = recorded.difference(&sent).map(|line| format!("- {line}"));
        let only_sent = sent.difference(&recorded).map(|line| format!("+ {line}"));
        let differences: Vec<_> = only_recorded.chain(only_sent).collect();
        assert!(
            differences.is_empty(),
            "{} sends other messages than recorded; `SKEIN_BLESS=1` rewrites the recording\n{}",
            self.recording.name,
            differences.join("\n")
        );
    }
}

/// Returns a line for each key.
fn flatten(shapes: &BTreeMap<String, JsonShape>) -> BTreeSet<String> {
    fn add(path: &str, value: &Value, lines: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) if !object.is_empty() => {
                object.iter().for_each(|(key, value)| add(&format!("{path} {key}"), value, lines));
            }
            Value::Array(items) if !items.is_empty() => {
                items.iter().for_each(|item| add(&format!("{path} []"), item, lines));
            }
            _ => drop(lines.insert(format!("{path}: {value}"))),
        }
    }
    let mut lines = BTreeSet::new();
    for (name, shape) in shapes {
        add(&format!("{name}:"), &shape.to_value(), &mut lines);
    }
    lines
}
