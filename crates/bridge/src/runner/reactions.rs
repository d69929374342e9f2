//! Adds and removes the bridge's own reactions, those on one post in order: otherwise a removal could overtake what it
//! removes.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use skein_mattermost::{MattermostClient, MattermostError};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Signals;
use crate::core::ids::{PostId, UserId};

/// How often a change is tried while the server cannot be reached, and the time in between.
const MAX_ATTEMPTS: u32 = 10;
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// A reaction that is to be added or removed.
#[derive(Debug)]
pub(super) struct ReactionChange {
    pub(super) post: PostId,
    pub(super) emoji: &'static str,
    pub(super) is_added: bool,
}

/// Starts the task that makes the changes, those on different posts at the same time. There is no limit to their number: a prompt has two.
pub(super) fn start(
    chat: MattermostClient,
    bot: UserId,
    signals: Signals,
) -> mpsc::UnboundedSender<ReactionChange> {
    let (sender, mut changes) = mpsc::unbounded_channel::<ReactionChange>();
    signals.clone().spawn(async move {
        // For each post with a change that is being made, the changes that follow it.
        let mut queues = BTreeMap::<PostId, VecDeque<ReactionChange>>::new();
        let mut running = JoinSet::new();
        loop {
            let next = tokio::select! {
                Some(change) = changes.recv() => match queues.get_mut(&change.post) {
                    Some(queue) => {
                        // Only the last change of a reaction matters.
                        queue.retain(|one| one.emoji != change.emoji);
                        queue.push_back(change);
                        continue;
                    }
                    None => change,
                },
                Some(made) = running.join_next() => {
                    let Ok(post) = made else { return signals.failed.notify_one() };
                    match queues.get_mut(&post).and_then(VecDeque::pop_front) {
                        Some(change) => change,
                        None => {
                            queues.remove(&post);
                            continue;
                        }
                    }
                }
                else => return,
            };
            queues.entry(next.post.clone()).or_default();
            let (chat, bot, signals) = (chat.clone(), bot.clone(), signals.clone());
            running.spawn(async move {
                if let Err(error) = make(&chat, &bot, &next).await {
                    if matches!(error, MattermostError::Unauthorized) {
                        signals.revoked.notify_one();
                    }
                    tracing::debug!("a reaction was not changed: {error}");
                }
                next.post
            });
        }
    });
    sender
}

async fn make(
    chat: &MattermostClient,
    bot: &UserId,
    change: &ReactionChange,
) -> Result<(), MattermostError> {
    let ReactionChange { post, emoji, is_added } = change;
    let (bot, post) = (bot.as_str(), post.as_str());
    let mut attempts = 1;
    let mut is_confirmed = false;
    loop {
        let made = match is_added {
            true => chat.add_reaction(bot, post, emoji).await.map(drop),
            false => chat.remove_reaction(bot, post, emoji).await,
        };
        match made {
            Err(error) if error.is_retryable() && attempts < MAX_ATTEMPTS => attempts += 1,
            // The server refuses each reaction while it cannot read its database.
            Err(error) if error.is_refusal() && !is_confirmed && attempts < MAX_ATTEMPTS => {
                is_confirmed = chat.is_healthy().await;
                attempts += 1;
                if is_confirmed {
                    continue;
                }
            }
            made => return made,
        }
        sleep(RETRY_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use skein_fixtures::Fixture;
    use skein_standin::{CannedReply, StandIn};

    use super::super::stand_in::{effects, requests};
    use crate::core::BridgeAction;

    /// Returns the methods of the requests for changes of one reaction, the first two of which fail.
    async fn methods(changes: &[bool]) -> Vec<String> {
        let failures = AtomicUsize::new(2);
        let server = StandIn::start(move |request| {
            let is_add = request.line == "POST /reactions";
            match is_add && failures.load(Ordering::SeqCst) > 0 {
                true => {
                    failures.fetch_sub(1, Ordering::SeqCst);
                    CannedReply::json(500, "{}")
                }
                false => CannedReply::ok("{}"),
            }
        })
        .await;
        let (effects, _outcomes) = effects(&server, &Fixture::new());
        for is_added in changes {
            let (post, emoji) = ("p1".into(), "eyes");
            effects.start(match is_added {
                true => BridgeAction::AddReaction { post, emoji },
                false => BridgeAction::RemoveReaction { post, emoji },
            });
        }
        while !requests(&server).iter().any(|line| line.starts_with("DELETE ")) {
            tokio::task::yield_now().await;
        }
        let requests = requests(&server);
        requests.iter().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    }

    #[tokio::test]
    async fn a_reaction_is_removed_after_it_was_added() {
        assert_eq!(methods(&[true, false]).await, ["POST", "POST", "POST", "DELETE"]);
    }

    #[tokio::test]
    async fn of_the_changes_of_a_reaction_that_wait_only_the_last_is_made() {
        let changes = [true, false, true, false, true, false];
        assert_eq!(methods(&changes).await, ["POST", "POST", "POST", "DELETE"]);
    }

    #[tokio::test]
    async fn a_reaction_that_fails_does_not_delay_those_on_other_posts() {
        let server = StandIn::start(|request| match request.body.contains("p1") {
            true => CannedReply::json(500, "{}"),
            false => CannedReply::ok("{}"),
        })
        .await;
        let (effects, _outcomes) = effects(&server, &Fixture::new());
        effects.start(BridgeAction::AddReaction { post: "p1".into(), emoji: "eyes" });
        effects.start(BridgeAction::RemoveReaction { post: "p1".into(), emoji: "eyes" });
        effects.start(BridgeAction::AddReaction { post: "p2".into(), emoji: "eyes" });
        let is_added = async {
            while !requests(&server).iter().any(|line| line.contains("p2")) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(4), is_added).await.unwrap();
        assert!(!requests(&server).iter().any(|line| line.starts_with("DELETE ")));
    }

    #[tokio::test]
    async fn a_reaction_that_is_refused_once_is_made() {
        let refusals = AtomicUsize::new(1);
        let server = StandIn::start(move |request| {
            let is_reaction = request.path() == "POST /reactions";
            if is_reaction && refusals.swap(0, Ordering::SeqCst) > 0 {
                return CannedReply::unrecorded(403, "", r#"{"message": "no permission"}"#);
            }
            CannedReply::ok("{}")
        })
        .await;
        let (effects, _outcomes) = effects(&server, &Fixture::new());
        effects.start(BridgeAction::AddReaction { post: "p1".into(), emoji: "eyes" });
        let count = || requests(&server).iter().filter(|it| it.starts_with("POST ")).count();
        while count() < 2 {
            tokio::task::yield_now().await;
        }
    }
}
