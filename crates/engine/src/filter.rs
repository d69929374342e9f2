//! Which threads are meant: flags and `key:value` words are one grammar.

use skein_format::time::Time;

use crate::date;
use crate::kind::Kind;

/// Whose turn a thread is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The one who reviews.
    Reviewer,
    /// The one who answers.
    Agent,
}

impl Waiting {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Agent => "agent",
        }
    }
}

/// Which threads are meant; what is none excludes nothing.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this kind.
    pub kind: Option<Kind>,
    /// With this status.
    pub status: Option<String>,
    /// On this file, or below this directory.
    pub file: Option<String>,
    /// With a comment by this author.
    pub author: Option<String>,
    /// Changed since.
    pub since: Option<Time>,
    /// With this tag.
    pub tag: Option<String>,
    /// Of this type.
    pub type_name: Option<String>,
    /// Waiting for this turn.
    pub waiting: Option<Waiting>,
}

/// A filter that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The key is not known.
    #[error("there is no filter `{key}`")]
    Key {
        /// The key.
        key: String,
    },
    /// The key has no value.
    #[error("`{key}:` needs a value")]
    Empty {
        /// The key.
        key: String,
    },
    /// The word is neither a kind nor a filter.
    #[error("neither a kind nor a filter: {word}")]
    Word {
        /// The word.
        word: String,
    },
    /// The date cannot be read.
    #[error("not a date: {text}")]
    Date {
        /// The text.
        text: String,
    },
    /// The value is none of those that the key takes.
    #[error("`{key}` takes {takes}, not `{value}`")]
    Value {
        /// The key.
        key: &'static str,
        /// What it takes.
        takes: &'static str,
        /// The value.
        value: String,
    },
}

impl Filter {
    /// The keys that a filter may have.
    pub const KEYS: [&str; 8] =
        ["kind", "status", "file", "author", "since", "tag", "type", "waiting"];

    /// Adds a word: the name of a kind, or `key:value`.
    pub fn word(&mut self, word: &str, now: Time) -> Result<(), FilterError> {
        if let Some(kind) = Kind::parse(word) {
            self.kind = Some(kind);
            return Ok(());
        }
        match word.split_once(':') {
            Some((key, value)) => self.set(key, value, now),
            None => Err(FilterError::Word { word: word.to_owned() }),
        }
    }

    /// Sets one key.
    pub fn set(&mut self, key: &str, value: &str, now: Time) -> Result<(), FilterError> {
        if value.is_empty() {
            return Err(FilterError::Empty { key: key.to_owned() });
        }
        let text = Some(value.to_owned());
        match key {
            "kind" => {
                let takes = "review, session or checkpoint";
                let kind = Kind::parse(value);
                self.kind = Some(kind.ok_or_else(|| wrong("kind", takes, value))?);
            }
            "status" => self.status = text,
            "file" => self.file = text,
            "author" => self.author = text,
            "tag" => self.tag = text,
            "type" => self.type_name = text,
            "since" => {
                let date = date::parse(value, now);
                let bad = || FilterError::Date { text: value.to_owned() };
                self.since = Some(date.ok_or_else(bad)?);
            }
            "waiting" => {
                self.waiting = Some(match value {
                    "reviewer" => Waiting::Reviewer,
                    "agent" => Waiting::Agent,
                    _ => return Err(wrong("waiting", "reviewer or agent", value)),
                });
            }
            _ => {
                return Err(FilterError::Key { key: key.to_owned() });
            }
        }
        Ok(())
    }

    /// Returns whether threads of a kind can pass at all.
    pub(crate) fn wants(&self, kind: Kind) -> bool {
        let of_reviews = self.waiting.is_some() || self.author.is_some();
        let of_checkpoints = self.tag.is_some() || self.type_name.is_some();
        let fits = match kind {
            Kind::Review => !of_checkpoints,
            Kind::Checkpoint => !of_reviews,
            Kind::Session => !of_reviews && !of_checkpoints,
        };
        fits && self.kind.is_none_or(|wanted| wanted == kind)
    }

    /// Returns whether something is asked of a thread besides its kind.
    pub(crate) fn asks(&self) -> bool {
        let texts = [&self.status, &self.file, &self.author, &self.tag, &self.type_name];
        texts.iter().any(|text| text.is_some()) || self.since.is_some() || self.waiting.is_some()
    }

    /// Returns whether the status and time of a thread pass.
    pub(crate) fn passes(&self, status: Option<&str>, updated_at: Option<Time>) -> bool {
        let status = self
            .status
            .as_deref()
            .is_none_or(|wanted| status.is_some_and(|status| status.eq_ignore_ascii_case(wanted)));
        let since = self.since.is_none_or(|since| updated_at.is_some_and(|at| at >= since));
        status && since
    }

    /// Returns whether a path is the one meant, or lies below it.
    pub(crate) fn is_on(&self, path: &str) -> bool {
        let Some(wanted) = &self.file else {
            return true;
        };
        let wanted = wanted.trim_start_matches("./").trim_end_matches('/');
        path.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || path.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
    }
}

fn wrong(key: &'static str, takes: &'static str, value: &str) -> FilterError {
    FilterError::Value { key, takes, value: value.to_owned() }
}
