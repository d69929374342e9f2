//! Merges two entries of one session.

use std::borrow::Cow;
use std::mem;

use super::verdict::{MergeReason, MergeSide, Verdict};
use crate::session::dedup::{Times, resolve};
use crate::session::mapping::Mapping;
use crate::session::status::SessionStatus;

/// The merged entry of two sides, and the verdict.
pub(super) struct Outcome<'a> {
    /// The merged entry.
    pub(super) mapping: Mapping<'a>,
    /// How the side was chosen; the caller checks whether the sides are equal.
    pub(super) verdict: Verdict,
}

impl<'a> Outcome<'a> {
    /// Merges a session that both sides have.
    pub(super) fn from_both(memory: Mapping<'a>, disk: Mapping<'a>) -> Self {
        let (mut winner, mut loser) = (disk, memory);
        let (mut won_at, mut lost_at) = (Times::from_mapping(&winner), Times::from_mapping(&loser));
        let tie = won_at.activity == lost_at.activity;
        // Memory is treated as the later entry of a file, which wins a tie.
        let how = resolve((&mut winner, &mut won_at), (&mut loser, &mut lost_at));
        let differs = winner.thread_root_post_id != loser.thread_root_post_id;
        let verdict = Verdict {
            session_id: winner.session_id.clone().into_owned(),
            won: if how.other_won { MergeSide::Memory } else { MergeSide::Disk },
            reason: if tie { MergeReason::Tie } else { MergeReason::LaterActivity },
            ended_kept: how.end_taken,
            other_root: differs.then(|| loser.thread_root_post_id.clone().into_owned()),
            filled: fill(&mut winner, &mut loser).into_iter().map(str::to_owned).collect(),
        };
        Self { mapping: winner, verdict }
    }
}

/// Moves fields that only the loser has to the winner, and returns their keys.
fn fill<'a>(winner: &mut Mapping<'a>, loser: &mut Mapping<'a>) -> Vec<&'static str> {
    let texts = [
        ("threadRootPostId", &mut winner.thread_root_post_id, &mut loser.thread_root_post_id),
        ("shortId", &mut winner.short_id, &mut loser.short_id),
        ("mattermostUserId", &mut winner.mattermost_user_id, &mut loser.mattermost_user_id),
        ("dmChannelId", &mut winner.dm_channel_id, &mut loser.dm_channel_id),
        ("projectName", &mut winner.project_name, &mut loser.project_name),
        ("directory", &mut winner.directory, &mut loser.directory),
        ("createdAt", &mut winner.created_at, &mut loser.created_at),
        ("lastActivityAt", &mut winner.last_activity_at, &mut loser.last_activity_at),
    ];
    let mut filled: Vec<&str> = texts.into_iter().filter_map(take_text).collect();
    let optional = [
        ("sessionTitle", &mut winner.session_title, &mut loser.session_title),
        ("endedAt", &mut winner.ended_at, &mut loser.ended_at),
    ];
    for (name, winner, loser) in optional {
        if winner.is_none() && loser.is_some() {
            *winner = loser.take();
            filled.push(name);
        }
    }
    if is_missing(&winner.status) && !is_missing(&loser.status) {
        mem::swap(&mut winner.status, &mut loser.status);
        filled.push("status");
    }
    filled
}

type Texts<'m, 'a> = (&'static str, &'m mut Cow<'a, str>, &'m mut Cow<'a, str>);

fn take_text((name, winner, loser): Texts<'_, '_>) -> Option<&'static str> {
    if !winner.is_empty() || loser.is_empty() {
        return None;
    }
    mem::swap(winner, loser);
    Some(name)
}

fn is_missing(status: &SessionStatus) -> bool {
    status.as_str().is_empty()
}
