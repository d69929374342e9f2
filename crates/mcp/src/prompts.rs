//! Prompts: instructions that a person starts, with the texts that they are about.

use rmcp::model::{Prompt, PromptArgument};
use serde_json::{Map, Value, json};
use skein_model::PromptText;

use crate::call::ToolCall;
use crate::failure::Failure;
use crate::params;
use crate::tools::{self, ToolName};

const REVIEW: &str = "Work on the review of this repository: call `review_next`, do what the thread asks if that is right, \
    answer with `review_reply`, and repeat until nothing waits. At the end say in a few sentences what you changed and what you \
    did not. This waits:";
const HANDOFF: &str = "Hand your work over to the next session: call `work_save` with `handoff` true, a summary of what was done and \
    what the next session must know, and what is left as `steps`. Say afterwards what you saved.";
const RESUME: &str = "Continue this work. Check first what is still true, then say in a few sentences what you will do next. What \
    earlier sessions left:";

/// A prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptName {
    Review,
    Handoff,
    Resume,
}

impl PromptName {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "review" => Self::Review,
            "handoff" => Self::Handoff,
            "resume" => Self::Resume,
            _ => return None,
        })
    }

    /// Returns whether a server has it; a read-only one has none that asks for tools that write.
    pub(crate) fn is_offered(self, read_only: bool) -> bool {
        !read_only || self == Self::Resume
    }

    /// Returns the text of the prompt.
    pub(crate) fn text(
        self,
        call: &ToolCall,
        arguments: &Map<String, Value>,
    ) -> Result<PromptText, Failure> {
        let (name, argument) = match self {
            Self::Review => ("path", argument(arguments, "path")?),
            Self::Handoff => ("note", argument(arguments, "note")?),
            Self::Resume => ("id", argument(arguments, "id")?),
        };
        let run = |tool: ToolName| {
            let parameters = argument.iter().map(|value| (name.to_owned(), json!(value)));
            tools::run(tool, call, parameters.collect())
        };
        match self {
            Self::Review => {
                Ok(PromptText::guard(&format!("{REVIEW}\n\n{}", run(ToolName::ReviewThreads)?)))
            }
            Self::Resume => {
                Ok(PromptText::guard(&format!("{RESUME}\n\n{}", run(ToolName::WorkResume)?)))
            }
            Self::Handoff => {
                // The person who starts the prompt wrote the note.
                let note = argument.map(|note| format!("\n\n{note}")).unwrap_or_default();
                Ok(PromptText::guard(&format!("{HANDOFF}{note}")))
            }
        }
    }
}

fn argument(arguments: &Map<String, Value>, name: &str) -> Result<Option<String>, Failure> {
    if let Some(other) = arguments.keys().find(|key| *key != name) {
        return Err(Failure::new(format!("there is no argument {other}")));
    }
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => params::text(name, text).map(|()| Some(text.clone())),
        Some(_) => Err(Failure::new(format!("{name} is not a text"))),
    }
}

/// Returns the prompts of a server.
pub(crate) fn list(read_only: bool) -> Vec<Prompt> {
    let prompt = |name: &str, about: &str, argument: &str, what: &str| {
        let argument = PromptArgument::new(argument).with_description(what).with_required(false);
        Prompt::new(name, Some(about), Some(vec![argument]))
    };
    let mut prompts = vec![
        prompt(
            "review",
            "Answer the review threads that wait",
            "path",
            "Only on this file, or below this directory",
        ),
        prompt(
            "handoff",
            "Hand the work over to the next session",
            "note",
            "What must not be forgotten",
        ),
        prompt(
            "resume",
            "Continue earlier work",
            "id",
            "The checkpoint; by default the open work here",
        ),
    ];
    let is_offered =
        |name: &str| PromptName::parse(name).is_some_and(|one| one.is_offered(read_only));
    prompts.retain(|prompt| is_offered(&prompt.name));
    prompts
}
