//! Resources: the same texts as the tools give, for clients that let people attach them.

use rmcp::model::{Resource, ResourceTemplate};
use serde_json::{Map, Value, json};

use crate::call::ToolCall;
use crate::failure::ToolResult;
use crate::tools::{self, ToolName};

pub(crate) const MIME: &str = "text/markdown";
const THREAD: &str = "skein://thread/";

/// The thing that an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResourceName {
    Waiting,
    Brief,
    Thread(String),
}

impl ResourceName {
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        match uri {
            "skein://waiting" => Some(Self::Waiting),
            "skein://brief" => Some(Self::Brief),
            uri => uri
                .strip_prefix(THREAD)
                .filter(|id| !id.is_empty())
                .map(|id| Self::Thread(id.to_owned())),
        }
    }

    pub(crate) fn read(&self, call: &ToolCall) -> ToolResult {
        let (tool, arguments) = match self {
            Self::Waiting => (ToolName::ReviewThreads, json!({})),
            Self::Brief => (ToolName::WorkResume, json!({})),
            Self::Thread(id) => (ToolName::ReviewThreads, json!({ "ids": [id] })),
        };
        let arguments =
            if let Value::Object(arguments) = arguments { arguments } else { Map::new() };
        tools::run(tool, call, arguments)
    }
}

pub(crate) fn list() -> Vec<Resource> {
    let resource = |name: &str, title: &str| {
        Resource::new(format!("skein://{name}"), name).with_title(title).with_mime_type(MIME)
    };
    vec![
        resource("waiting", "Review threads that wait on an agent"),
        resource("brief", "What earlier sessions did, and what is left"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{THREAD}{{id}}"), "thread");
    vec![template.with_title("A review thread, by its id").with_mime_type(MIME)]
}
