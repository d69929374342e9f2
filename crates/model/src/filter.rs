//! Filters threads; command-line flags and `key:value` words use the same grammar.

use skein_format::checkpoint::CheckpointType;
use skein_format::time::Time;

use crate::advice::{Advice, FailureKind, Retype, UserError};
use crate::date_filter;
use crate::edit_distance;
use crate::kind::Kind;
use crate::person_names::is_name_of;
use crate::turn::Turn;
use crate::view::ThreadRow;

/// The minimum number of digits of a commit id.
const MIN_COMMIT_DIGITS: usize = 4;

/// A filter for threads; a field that is `None` matches every thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// The kind of the thread.
    pub kind: Option<Kind>,
    /// The status.
    pub status: Option<String>,
    /// The commented file, or a directory above it.
    pub file: Option<String>,
    /// The author of a comment.
    pub author: Option<String>,
    /// Changed at or after this time.
    pub since: Option<Time>,
    /// A tag.
    pub tag: Option<String>,
    /// The type of a checkpoint.
    pub type_name: Option<String>,
    /// Whose turn it is.
    pub waiting: Option<Turn>,
    /// The name of the person or agent whose turn it is.
    pub waiting_name: Option<String>,
    /// Last changed before this time.
    pub until: Option<Time>,
    /// The branch, or a component of its name between slashes.
    pub branch: Option<String>,
    /// The start of a commit id.
    pub commit: Option<String>,
}

/// A filter that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The key is not known.
    #[error("there is no filter `{key}`")]
    Key { key: String, value: String },
    /// The key has no value.
    #[error("`{key}:` needs a value")]
    Empty { key: String },
    /// The key has two values.
    #[error("`{key}` is given twice")]
    Twice { key: String },
    /// The word is neither a kind nor a filter.
    #[error("neither a kind nor a filter: {word}")]
    Word { word: String },
    /// The date is invalid.
    #[error("not a date: {text}")]
    Date { text: String },
    /// The key does not accept the value.
    #[error("`{key}` takes {takes}, not `{value}`")]
    Value { key: &'static str, takes: String, value: String, nearest: Option<&'static str> },
}

/// Returns whether a thread has a value that is not in the list of its key: a type or a status of
/// another program.
pub type Occurs<'a> = &'a dyn Fn(&str, &str) -> bool;

const KINDS: [&str; 3] = ["review", "session", "checkpoint"];
const TURNS: [&str; 2] = ["reviewer", "agent"];
/// The description of a name as a value of `waiting`.
const NAME: &str = "a name that a thread waits on";
const TYPES: [&str; 4] = ["checkpoint", "auto", "auto-checkpoint", "handoff"];
const REVIEW_STATUSES: [&str; 2] = ["open", "resolved"];
const SESSION_STATUSES: [&str; 4] = ["active", "ended", "disconnected", "orphaned"];
/// Selects threads of every status.
const ANY_STATUS: &str = "all";
/// The statuses of a handoff, then those of a worker.
const CHECKPOINT_STATUSES: [&str; 10] = [
    "open",
    "taken",
    "done",
    "cancelled",
    "idle",
    "loading",
    "executing",
    "verifying",
    "completed",
    "error",
];

/// Returns the statuses that threads of a kind can have, or of any kind.
fn statuses(kind: Option<Kind>) -> Vec<&'static str> {
    let of = |one: Kind| match one {
        Kind::Review => REVIEW_STATUSES.as_slice(),
        Kind::Session => &SESSION_STATUSES,
        Kind::Checkpoint => &CHECKPOINT_STATUSES,
    };
    let kinds = Kind::ALL.into_iter().filter(|one| kind.is_none_or(|kind| kind == *one));
    let mut names: Vec<&str> = Vec::new();
    for name in kinds.flat_map(of) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names
}

impl Filter {
    /// The keys of a filter; the last two are aliases of `until` and `since`.
    pub const NAMES: [&str; 13] = [
        "kind", "status", "file", "author", "since", "until", "tag", "type", "branch", "commit",
        "waiting", "before", "after",
    ];
    /// The keys without the aliases.
    pub const KEYS: &[&str] = Self::NAMES.split_at(11).0;

    /// Returns the key most similar to a mistyped one.
    pub fn nearest(key: &str) -> Option<&'static str> {
        edit_distance::nearest(key, &Self::NAMES)
    }

    /// Adds a word: the name of a kind, or `key:value`.
    pub fn word(&mut self, word: &str, now: Time) -> Result<(), FilterError> {
        self.word_or(word, now, &|_, _| false)
    }

    /// Adds a word; its value may also be one for which `occurs` returns true.
    pub fn word_or(
        &mut self,
        word: &str,
        now: Time,
        occurs: Occurs<'_>,
    ) -> Result<(), FilterError> {
        if let Some(kind) = Kind::parse(word) {
            self.kind = Some(kind);
            return Ok(());
        }
        match word.split_once(':') {
            Some((key, value)) => self.set_or(key, value, now, occurs),
            None => Err(FilterError::Word { word: word.to_owned() }),
        }
    }

    /// Sets one key.
    pub fn set(&mut self, key: &str, value: &str, now: Time) -> Result<(), FilterError> {
        self.set_or(key, value, now, &|_, _| false)
    }

    /// Sets one key to a value that it accepts or for which `occurs` returns true.
    pub fn set_or(
        &mut self,
        key: &str,
        value: &str,
        now: Time,
        occurs: Occurs<'_>,
    ) -> Result<(), FilterError> {
        if value.is_empty() {
            return Err(FilterError::Empty { key: key.to_owned() });
        }
        let twice = || FilterError::Twice { key: key.to_owned() };
        match key {
            "kind" => {
                let kind = Kind::parse(value).ok_or_else(|| unknown("kind", &KINDS, value))?;
                if self.kind.replace(kind).is_some_and(|known| known != kind) {
                    return Err(twice());
                }
            }
            "since" | "after" => self.since = Some(parse_date(value, now)?),
            "until" | "before" => self.until = Some(parse_date(value, now)?),
            "status" if value.eq_ignore_ascii_case(ANY_STATUS) => {}
            _ => {
                let unknown = || FilterError::Key { key: key.to_owned(), value: value.to_owned() };
                let known = self.text_mut(key).ok_or_else(unknown)?;
                if known.as_ref().is_some_and(|known| !known.eq_ignore_ascii_case(value)) {
                    return Err(twice());
                }
                if let Some(turn) = Turn::parse(value).filter(|_| key == "waiting") {
                    self.waiting = Some(turn);
                    return Ok(());
                }
                let text = match key {
                    "commit" => parse_commit(value)?,
                    _ => value.to_owned(),
                };
                match key {
                    "status" => check("status", &statuses(None), value, occurs)?,
                    "type" => check("type", &TYPES, value, occurs)?,
                    "waiting" => check("waiting", &TURNS, value, occurs)?,
                    _ => {}
                }
                *known = Some(text);
            }
        }
        Ok(())
    }

    /// Returns the field of a key with a text value.
    fn text_mut(&mut self, key: &str) -> Option<&mut Option<String>> {
        Some(match key {
            "status" => &mut self.status,
            "file" => &mut self.file,
            "author" => &mut self.author,
            "tag" => &mut self.tag,
            "type" => &mut self.type_name,
            "branch" => &mut self.branch,
            "commit" => &mut self.commit,
            "waiting" => &mut self.waiting_name,
            _ => return None,
        })
    }

    /// Returns an error if the status belongs to another kind of thread: no thread could match.
    pub fn check_kind(&self) -> Result<(), FilterError> {
        let (Some(kind), Some(status)) = (self.kind, &self.status) else { return Ok(()) };
        let has = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(status));
        let own = statuses(Some(kind));
        match has(&own) || !has(&statuses(None)) {
            true => Ok(()),
            false => Err(unknown("status", &own, status)),
        }
    }

    /// Returns whether the filter selects this tag.
    pub fn is_tag(&self, tag: &str) -> bool {
        self.tag.as_ref().is_some_and(|wanted| wanted.eq_ignore_ascii_case(tag))
    }

    /// Returns whether threads of a kind can match at all.
    pub fn wants(&self, kind: Kind) -> bool {
        let of_reviews = self.asks_for_turn() || self.author.is_some();
        let of_checkpoints = [&self.tag, &self.type_name, &self.commit];
        let of_checkpoints = of_checkpoints.iter().any(|text| text.is_some());
        let fits = match kind {
            Kind::Review => !of_checkpoints,
            Kind::Checkpoint => !of_reviews,
            Kind::Session => !of_reviews && !of_checkpoints && self.branch.is_none(),
        };
        fits && self.kind.is_none_or(|wanted| wanted == kind)
    }

    /// Returns whether anything other than the kind is filtered.
    pub fn asks(&self) -> bool {
        Self { kind: self.kind, ..Self::default() } != *self
    }

    /// Returns whether the filter selects by turn.
    pub fn asks_for_turn(&self) -> bool {
        self.waiting.is_some() || self.waiting_name.is_some()
    }

    /// Returns whether the turn in a thread matches.
    pub fn is_turn_in(&self, row: &ThreadRow) -> bool {
        let detail = row.review();
        let name = detail.and_then(|detail| detail.waiting_on_name.as_deref());
        self.is_turn(detail.and_then(|detail| detail.waiting_on), name)
    }

    /// Returns whether a turn, and the name of the person or agent if known, match.
    pub fn is_turn(&self, on: Option<Turn>, name: Option<&str>) -> bool {
        let is_wanted = |wanted: &String| {
            name.is_some_and(|name| is_name_of(wanted, name) || is_name_of(name, wanted))
        };
        self.waiting.is_none_or(|turn| on == Some(turn))
            && self.waiting_name.as_ref().is_none_or(is_wanted)
    }

    /// Returns the part of the filter that depends only on the file of a review thread, which has
    /// neither the current location nor the branch.
    pub fn of_review_file(&self) -> Self {
        Self { file: None, branch: None, ..self.clone() }
    }

    /// Returns whether the filter needs more than the file of a review thread.
    pub fn asks_beyond_review_file(&self) -> bool {
        self.file.is_some() || self.branch.is_some()
    }

    /// Returns whether the status and the time of a thread match.
    pub fn passes(&self, status: Option<&str>, updated_at: Option<Time>) -> bool {
        let status = self
            .status
            .as_deref()
            .is_none_or(|wanted| status.is_some_and(|status| status.eq_ignore_ascii_case(wanted)));
        let since = self.since.is_none_or(|since| updated_at.is_some_and(|at| at >= since));
        let until = self.until.is_none_or(|until| updated_at.is_some_and(|at| at < until));
        status && since && until
    }

    /// Returns whether the type of a checkpoint matches.
    pub fn is_type(&self, name: &str) -> bool {
        self.type_name.as_ref().is_none_or(|wanted| {
            name == wanted || (wanted == "auto" && name == CheckpointType::Auto.as_str())
        })
    }

    /// Returns whether a branch matches as a whole or in a component between slashes.
    pub fn is_branch(&self, branch: Option<&str>) -> bool {
        let Some(wanted) = &self.branch else { return true };
        branch.is_some_and(|branch| {
            branch == wanted
                || branch.split('/').any(|part| part == wanted)
                || branch.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.ends_with('/'))
                || branch.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Returns whether a commit matches: the shorter id is a prefix of the other.
    pub fn is_commit(&self, written: &str) -> bool {
        let Some(wanted) = &self.commit else { return true };
        // An entry of `commits_made` may have the subject after the id.
        let digits = written.bytes().take_while(u8::is_ascii_hexdigit).count();
        let own = written.get(..digits).unwrap_or_default().to_ascii_lowercase();
        own.len() >= MIN_COMMIT_DIGITS
            && (own.starts_with(wanted.as_str()) || wanted.starts_with(&own))
    }

    /// Returns whether a path matches: it ends with the wanted path, or is below it. Of a wanted path that begins with `/`, a path relative
    /// to the root matches only from its start.
    pub fn is_on(&self, path: &str) -> bool {
        let Some(wanted) = &self.file else { return true };
        let wanted = wanted.trim_start_matches("./").trim_end_matches('/');
        let is_below = |wanted: &str| {
            path.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        is_below(wanted)
            || wanted.strip_prefix('/').is_some_and(is_below)
            || path.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
    }
}

impl UserError for FilterError {
    fn advice(&self, _: Retype<'_>) -> Advice {
        FailureKind::Invalid.hint(self.hint())
    }
}

impl FilterError {
    /// Returns how to fix it.
    pub fn hint(&self) -> String {
        match self {
            Self::Date { .. } => "dates are written `2w`, `yesterday` or `2026-01-23`".to_owned(),
            Self::Twice { .. } => "a thread has only one; search for each separately".to_owned(),
            Self::Empty { key } => format!("write it as `{key}:VALUE`, or leave it out"),
            Self::Word { .. } => {
                "kinds are `review`, `checkpoint` and `session`; `skein list --help` shows the filters"
                    .to_owned()
            }
            Self::Value { key: "status", value, .. } if value.eq_ignore_ascii_case("draft") => {
                "`skein review list --drafts` lists the drafts".to_owned()
            }
            Self::Value { key, nearest: Some(nearest), .. } => {
                format!("did you mean `{key}:{nearest}`?")
            }
            Self::Value { nearest: None, .. } => "`skein list --help` shows every filter".to_owned(),
            Self::Key { key, value } => match (Filter::nearest(key), key_of(value)) {
                (Some(nearest), _) => format!("did you mean `{nearest}:`?"),
                (None, Some(meant)) => format!("did you mean `{meant}:{value}`?"),
                (None, None) => {
                    let keys = Filter::KEYS.iter().map(|key| format!("`{key}:…`"));
                    format!("filters are {}", keys.collect::<Vec<_>>().join(", "))
                }
            },
        }
    }
}

/// Returns the key of a value that only one key accepts, such as `open`.
fn key_of(value: &str) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(value));
    match () {
        () if has(&statuses(None)) => Some("status"),
        () if Kind::parse(value).is_some() => Some("kind"),
        () => has(&TURNS).then_some("waiting"),
    }
}

fn parse_date(text: &str, now: Time) -> Result<Time, FilterError> {
    date_filter::parse(text, now).ok_or_else(|| FilterError::Date { text: text.to_owned() })
}

fn parse_commit(text: &str) -> Result<String, FilterError> {
    if text.len() >= MIN_COMMIT_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    let takes = "at least four digits of a commit".to_owned();
    Err(FilterError::Value { key: "commit", takes, value: text.to_owned(), nearest: None })
}

/// Returns an error for a value that is not listed and that no thread has.
fn check(
    key: &'static str,
    names: &[&'static str],
    value: &str,
    occurs: Occurs<'_>,
) -> Result<(), FilterError> {
    let is_listed = names.iter().any(|name| name.eq_ignore_ascii_case(value));
    if is_listed || occurs(key, value) { Ok(()) } else { Err(unknown(key, names, value)) }
}

/// Returns an error with the values that a key accepts, and the most similar one.
fn unknown(key: &'static str, names: &[&'static str], value: &str) -> FilterError {
    let nearest = edit_distance::nearest(value, names);
    let takes = match names {
        _ if key == "waiting" => format!("{}, or {NAME}", names.join(", ")),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
        [] => String::new(),
    };
    FilterError::Value { key, takes, value: value.to_owned(), nearest }
}
