//! What a frontend shows for an error in addition to its message.

use std::error::Error;

/// The kind of a failure; the web frontend derives the HTTP status from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The request is wrong.
    Invalid,
    /// The caller may not do this.
    Forbidden,
    /// The requested thing does not exist.
    NotFound,
    /// The current state does not allow it, or has changed.
    Conflict,
    /// The file is not text.
    NotText,
    /// The content of a file or of a request cannot be used.
    Unusable,
    /// Another process is writing.
    Busy,
    /// The system or another program failed.
    System,
}

/// What to do about an error.
#[derive(Clone, Debug)]
pub struct Advice {
    pub kind: FailureKind,
    /// What to do next; commands are in backticks.
    pub hint: Option<String>,
    /// The hint on a page, where it differs.
    pub page_hint: Option<&'static str>,
    /// The field of the request that is wrong.
    pub field: Option<&'static str>,
    /// The current value, where it has changed since the caller read it.
    pub now: Option<String>,
}

/// Returns the command that the user typed, with the first argument replaced by the id in the
/// second.
pub type Retype<'a> = &'a dyn Fn(&str, &str) -> String;

/// An error that a frontend shows to the user.
pub trait UserError: Error {
    /// Returns the kind of the failure, and what to do about it.
    fn advice(&self, retype: Retype<'_>) -> Advice;
}

impl FailureKind {
    /// Returns advice without a hint: the message is sufficient.
    pub fn plain(self) -> Advice {
        Advice { kind: self, hint: None, page_hint: None, field: None, now: None }
    }

    pub fn hint(self, hint: impl Into<String>) -> Advice {
        Advice { hint: Some(hint.into()), ..self.plain() }
    }
}

impl Advice {
    /// Sets the hint for a page, which has no command line.
    pub fn page(self, hint: &'static str) -> Self {
        Self { page_hint: Some(hint), ..self }
    }
    pub fn field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }
}

/// Returns the message of an error, followed by those of its causes that it does not contain.
pub fn with_causes(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}

/// Returns a hint that lists one of several choices on each line.
pub fn choices(command: &str, names: &[String]) -> String {
    let lines: String = names.iter().map(|name| format!("\n  {command} {name}")).collect();
    format!("name one of them:{lines}")
}

/// Returns a hint that suggests similar names.
pub fn did_you_mean(near: impl IntoIterator<Item = String>) -> String {
    let near: Vec<String> = near.into_iter().map(|one| format!("`{one}`")).collect();
    format!("did you mean {}?", near.join(" or "))
}
