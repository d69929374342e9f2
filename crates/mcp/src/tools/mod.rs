//! The tools: their descriptions, and one file for each.

mod comment;
mod next;
mod reply;
mod resume;
mod save;
mod threads;

use rmcp::model::Tool;
use serde_json::{Map, Value};

use crate::call::ToolCall;
use crate::failure::ToolResult;

/// The descriptions as clients get them. Only the keywords of JSON Schema that all clients accept are used.
const TOOLS: &str = include_str!("tools.json");

/// What `review_next` does if it cannot claim.
const NEXT_READ_ONLY: &str = "Returns the open thread that has waited longest for an agent, in full. This server is read-only: it claims nothing, so that other agents can get the same thread.";

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolName {
    ReviewThreads,
    ReviewNext,
    ReviewReply,
    ReviewComment,
    WorkResume,
    WorkSave,
}

impl ToolName {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "review_threads" => Self::ReviewThreads,
            "review_next" => Self::ReviewNext,
            "review_reply" => Self::ReviewReply,
            "review_comment" => Self::ReviewComment,
            "work_resume" => Self::WorkResume,
            "work_save" => Self::WorkSave,
            _ => return None,
        })
    }

    /// Returns whether a server has it; a read-only one has no tools that write.
    pub(crate) fn is_offered(self, read_only: bool) -> bool {
        !read_only || matches!(self, Self::ReviewThreads | Self::ReviewNext | Self::WorkResume)
    }
}

/// Returns the tools of a server, in a fixed order.
pub(crate) fn list(read_only: bool) -> Vec<Tool> {
    let mut tools: Vec<Tool> = serde_json::from_str(TOOLS).expect("the file has the form of tools");
    tools.retain(|tool| ToolName::parse(&tool.name).is_some_and(|name| name.is_offered(read_only)));
    if let Some(next) = tools.iter_mut().find(|tool| read_only && tool.name == "review_next") {
        next.description = Some(NEXT_READ_ONLY.into());
        let mut schema = (*next.input_schema).clone();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.remove("release");
        }
        next.input_schema = schema.into();
        if let Some(annotations) = &mut next.annotations {
            annotations.read_only_hint = Some(true);
        }
    }
    tools
}

/// Carries out a call.
pub(crate) fn run(tool: ToolName, call: &ToolCall, arguments: Map<String, Value>) -> ToolResult {
    match tool {
        ToolName::ReviewThreads => threads::run(call, arguments),
        ToolName::ReviewNext => next::run(call, arguments),
        ToolName::ReviewReply => reply::run(call, arguments),
        ToolName::ReviewComment => comment::run(call, arguments),
        ToolName::WorkResume => resume::run(call, arguments),
        ToolName::WorkSave => save::run(call, arguments),
    }
}
