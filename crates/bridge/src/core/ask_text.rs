//! What the posts of permissions and questions show.

use skein_model::sanitize::{escape_control, one_line};

use super::Core;
use super::action::{Content, OutFile};
use super::answer::shorten_markdown;
use super::ids::{AskId, UserId};
use super::input::{AskReply, Question, RequestKind};
use super::markdown::{code_block, inline_code, shorten};

/// Maximum length of a permission or question in a post. Of a longer one the post has the beginning, and a file
/// has the whole.
const MAX_SHOWN_CHARS: usize = 5_000;
/// Maximum length of an answer in the result.
const MAX_ANSWER_CHARS: usize = 300;

const PARTIAL: &str = ":warning: OpenCode did not send the whole command. These are the parts of it that it checks, without \
    pipes and redirections.";

/// How to answer what is not shown.
pub(super) const HIDDEN_USAGE: &str =
    "This request can be answered in OpenCode. Here it can only be rejected: react with :-1:.";

impl Core {
    /// Returns the post of a permission or question.
    pub(super) fn ask_content(&self, id: &AskId) -> Option<Content> {
        let ask = self.state.asks.get(id)?;
        let kind = &ask.request.kind;
        let whole = request_text(kind);
        let max = MAX_SHOWN_CHARS.min(self.settings.max_post_chars);
        let length = whole.chars().count();
        let (shown, usage, file) = match &ask.hidden {
            Some(reason) => {
                let text = format!("{}\nIt could not be posted: {reason}", title(kind));
                (text, HIDDEN_USAGE, None)
            }
            None if length <= max => (whole, usage(kind), None),
            None => {
                let start = shorten_markdown(&whole, max);
                let note =
                    format!("**The full text is in the attached file: {length} characters.**");
                let file = OutFile::Text { name: "request.txt".to_owned(), content: whole };
                (format!("{start}\n{note}"), usage(kind), Some(file))
            }
        };
        let last = match (&ask.result, &ask.refusal) {
            (Some(result), _) => result.clone(),
            (None, Some(reason)) => format!("OpenCode refused the answer: {reason}\n{usage}"),
            (None, None) => usage.to_owned(),
        };
        Some(Content { text: format!("{shown}\n{last}"), file })
    }

    /// Returns what was answered, and by whom.
    pub(super) fn describe(&self, reply: &AskReply, user: &UserId) -> String {
        let name = self.settings.names.get(user).or_else(|| self.state.names.get(user));
        let by = name.map(|name| format!(" by {}", inline_code(name))).unwrap_or_default();
        match reply {
            AskReply::Once => format!("Allowed once{by}."),
            AskReply::Always => format!("Allowed always{by}."),
            AskReply::Reject(None) => format!("Rejected{by}."),
            AskReply::Reject(Some(reason)) => {
                format!("Rejected{by}: {}", shorten(reason, MAX_ANSWER_CHARS))
            }
            AskReply::Answers(answers) => format!("Answered{by}: {}", join(answers)),
        }
    }
}

/// Returns what another client answered.
pub(super) fn elsewhere(reply: &AskReply) -> String {
    let answer = match reply {
        AskReply::Once => "allowed once".to_owned(),
        AskReply::Always => "always allowed".to_owned(),
        AskReply::Reject(_) => "rejected".to_owned(),
        AskReply::Answers(answers) => join(answers),
    };
    format!("Answered elsewhere: {answer}")
}

fn join(answers: &[Vec<String>]) -> String {
    let answers: Vec<_> = answers.iter().map(|one| one.join(", ")).collect();
    shorten(&answers.join("; "), MAX_ANSWER_CHARS)
}

fn title(kind: &RequestKind) -> String {
    match kind {
        RequestKind::Permission { permission, .. } => {
            format!(":lock: **Permission: {}**", one_line(permission))
        }
        RequestKind::Questions(_) => ":question: **Question**".to_owned(),
    }
}

/// Returns all that is asked. Characters that are not seen, or change what is seen, are shown as code points.
fn request_text(kind: &RequestKind) -> String {
    let mut lines = Vec::new();
    match kind {
        RequestKind::Permission { command, diff, always, is_partial, .. } => {
            lines.push(title(kind));
            let blocks = [Some(command), diff.as_ref()].into_iter().flatten();
            let blocks = blocks.filter(|text| !text.trim().is_empty());
            lines.extend(blocks.map(|text| code_block(&escape_control(text))));
            if *is_partial {
                lines.push(PARTIAL.to_owned());
            }
            if !always.is_empty() {
                let patterns: Vec<_> =
                    always.iter().map(|pattern| inline_code(&one_line(pattern))).collect();
                lines.push(format!("*Always* allows from now on: {}", patterns.join(", ")));
            }
        }
        RequestKind::Questions(questions) => {
            for Question { text, options } in questions {
                lines.push(format!(":question: **{}**", escape_control(text.trim())));
                let options = options.iter().enumerate();
                lines.extend(options.map(|(number, (label, description))| {
                    let option = format!("{}. {label}: {description}", number + 1);
                    escape_control(&option).into_owned()
                }));
            }
        }
    }
    lines.join("\n")
}

/// Returns how to answer.
fn usage(kind: &RequestKind) -> &'static str {
    match kind {
        RequestKind::Permission { .. } => {
            "React with :+1: once, :white_check_mark: always, :-1: reject; or reply `yes`, \
            `always`, `no` or `no: REASON`."
        }
        RequestKind::Questions(questions) if questions.len() == 1 => {
            "React with :one:, :two: … or reply with a number or your own text."
        }
        RequestKind::Questions(_) => "Reply with one line per question: a number or your own text.",
    }
}
