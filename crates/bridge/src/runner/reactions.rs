//! Adds and removes the bridge's own reactions, in order: otherwise a removal could overtake what it removes.

use std::time::Duration;

use skein_mattermost::{MattermostClient, MattermostError};
use tokio::sync::mpsc;
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

/// Starts the task that makes the changes. There is no limit to their number: a prompt has two.
pub(super) fn start(
    chat: MattermostClient,
    bot: UserId,
    signals: Signals,
) -> mpsc::UnboundedSender<ReactionChange> {
    let (sender, mut changes) = mpsc::unbounded_channel();
    signals.clone().spawn(async move {
        while let Some(change) = changes.recv().await {
            if let Err(error) = make(&chat, &bot, &change).await {
                if matches!(error, MattermostError::Unauthorized) {
                    signals.revoked.notify_one();
                }
                tracing::debug!("a reaction was not changed: {error}");
            }
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
    loop {
        let made = match is_added {
            true => chat.add_reaction(bot, post, emoji).await.map(drop),
            false => chat.remove_reaction(bot, post, emoji).await,
        };
        match made {
            Err(error) if error.is_retryable() && attempts < MAX_ATTEMPTS => attempts += 1,
            made => return made,
        }
        sleep(RETRY_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use skein_fixtures::Fixture;
    use skein_standin::{CannedReply, StandIn};

    use super::super::stand_in::{effects, requests};
    use crate::core::BridgeAction;

    #[tokio::test]
    async fn a_reaction_is_removed_after_it_was_added() {
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
        effects.start(BridgeAction::AddReaction { post: "p1".into(), emoji: "eyes" });
        effects.start(BridgeAction::RemoveReaction { post: "p1".into(), emoji: "eyes" });
        while !requests(&server).iter().any(|line| line.starts_with("DELETE ")) {
            tokio::task::yield_now().await;
        }
        let requests = requests(&server);
        let methods: Vec<_> = requests.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(methods, ["POST", "POST", "POST", "DELETE"]);
    }
}
