//! Checks whether a filter accepts a thread.

use skein_catalog::checkpoint_state::States;
use skein_catalog::turn::turn;
use skein_format::checkpoint::CheckpointDoc;
use skein_format::redact::{redact, redacted};
use skein_format::review::{ReviewRef, Status};
use skein_model::view::ThreadRow;
use skein_model::{Filter, Kind};
use skein_workspace::settings::Settings;

use super::thread::{Content, Thread, ThreadHead};

/// Returns whether a filter accepts a thread.
///
/// The current location of the code of a review thread, and its branch, are not in its file and are not checked.
pub(super) fn accepts(
    filter: &Filter,
    thread: &Thread<'_>,
    settings: &Settings,
    states: &States,
) -> bool {
    head_passes(filter, thread.head(), states)
        && match &thread.content {
            Content::Review { review, is_draft } => {
                // A draft waits on no one.
                !(*is_draft && filter.asks_for_turn()) && accepts_review(filter, review, settings)
            }
            Content::Checkpoint(doc) => accepts_checkpoint(filter, doc),
            Content::Session(row) => accepts_session(filter, row),
            Content::Unknown(_) => false,
        }
}

/// Returns whether a filter needs only the heads of threads.
pub(super) fn needs_only_head(filter: &Filter) -> bool {
    let Filter { kind, status, since, until, .. } = filter.clone();
    Filter { kind, status, since, until, ..Filter::default() } == *filter
}

/// Returns whether the kind, the status and the time of a thread match a filter.
pub(super) fn head_passes(filter: &Filter, head: ThreadHead<'_>, states: &States) -> bool {
    let status = match head.kind {
        Kind::Checkpoint if head.is_usable => states.state(head.id, head.status),
        _ => head.status,
    };
    filter.wants(head.kind) && filter.passes(status, head.updated_at)
}

fn accepts_review(filter: &Filter, review: &ReviewRef<'_>, settings: &Settings) -> bool {
    let is_open = review.head().usable && review.head().status == Status::Open;
    let author = filter.author.as_ref().map(|author| author.to_lowercase());
    let is_by = |wanted: String| review.authors().any(|name| name.to_lowercase().contains(&wanted));
    let is_turn = || {
        let turn = turn(&review.exchange(), settings);
        is_open && filter.is_turn(Some(turn.on), turn.name.as_deref())
    };
    (!filter.asks_for_turn() || is_turn()) && author.is_none_or(is_by)
}

fn accepts_checkpoint(filter: &Filter, doc: &CheckpointDoc) -> bool {
    let head = doc.head();
    let git = head.git.as_ref();
    let branch = git.and_then(|git| git.branch.as_deref()).map(redact);
    let has_commit = || {
        let known = git.map(|git| [&git.current_commit, &git.initial_commit]);
        let known = known.into_iter().flatten().flatten().map(|text| digits(text));
        let made = doc.commits();
        let made = made.iter().map(|text| digits(&redact(text)));
        known.chain(made).any(|commit| filter.is_commit(&commit))
    };
    filter.is_type(head.kind.as_str())
        && filter.is_branch(branch.as_deref())
        && (filter.tag.is_none() || head.tags.iter().any(|tag| filter.is_tag(&redact(tag))))
        && (filter.commit.is_none() || has_commit())
        && (filter.file.is_none()
            || doc.files().into_iter().any(|file| filter.is_on(&redacted(file.path))))
}

fn accepts_session(filter: &Filter, row: &ThreadRow) -> bool {
    filter.file.is_none() || row.session().is_some_and(|detail| filter.is_on(&detail.directory))
}

/// Returns the leading hexadecimal digits.
fn digits(text: &str) -> String {
    text.chars().take_while(char::is_ascii_hexdigit).collect()
}
