//! Makes sure that one bridge at a time uses a bot, also on several machines.
//!
//! A bridge that starts writes a claim to the preferences of the bot, and Mattermost passes it on to all bridges that are
//! connected with this bot. One that is running answers with its own claim, and the one that starts gives up. The
//! stored value is never read, so that what a killed bridge left there has no effect.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use skein_mattermost::{MattermostClient, MattermostError, MattermostEvent, Preference};
use tokio::time::{Instant, sleep, timeout_at};

use super::BridgeRunError;

const CATEGORY: &str = "skein";
const NAME: &str = "bridge";
/// How long a bridge that starts waits for others to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// Time between attempts to write the claim.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// The claim of this bridge on its bot.
#[derive(Clone)]
pub(crate) struct Presence {
    chat: MattermostClient,
    bot: String,
    claim: Claim,
    answer_timeout: Duration,
}

/// What a bridge tells the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Claim {
    /// Different for each start.
    id: String,
    host: String,
    /// When the bridge was started, in milliseconds since 1970.
    started: i64,
    /// Whether it has waited for the answers of others.
    is_running: bool,
}

impl Claim {
    /// Returns whether this bridge gives up for another: both come to opposite results.
    fn yields_to(&self, other: &Self) -> bool {
        let rank = |claim: &Self| (!claim.is_running, claim.started, claim.id.clone());
        rank(other) < rank(self)
    }
}

impl Presence {
    /// Prepares the claim of a bridge that starts. The id is unique.
    pub(crate) fn new(
        chat: MattermostClient,
        bot: &str,
        id: String,
        host: String,
        started: i64,
    ) -> Self {
        let claim = Claim { id, host, started, is_running: false };
        Self { chat, bot: bot.to_owned(), claim, answer_timeout: ANSWER_TIMEOUT }
    }

    /// Returns the claim of a bridge with which no other disagreed.
    pub(crate) fn into_running(mut self) -> Self {
        self.claim.is_running = true;
        self
    }

    /// Waits until it is known that no other bridge uses the bot. Returns the other events that came in between.
    pub(super) async fn claim(
        &self,
        mut next_event: impl AsyncFnMut() -> Option<MattermostEvent>,
        note: &dyn Fn(&str),
    ) -> Result<Vec<MattermostEvent>, BridgeRunError> {
        let mut early = Vec::new();
        let mut deadline = None;
        loop {
            let event = match deadline {
                None => next_event().await,
                Some(deadline) => match timeout_at(deadline, next_event()).await {
                    Ok(event) => event,
                    Err(_) => return Ok(early),
                },
            };
            let is_announced = match event.ok_or(BridgeRunError::TaskFailed)? {
                MattermostEvent::Unauthorized => return Err(BridgeRunError::TokenRevoked),
                MattermostEvent::PreferencesChanged(preferences) => self.answer(&preferences)?,
                MattermostEvent::Disconnected { reason } => {
                    note(&format!("Mattermost: {reason}; connecting again."));
                    // An answer could be missed.
                    deadline = None;
                    false
                }
                event => {
                    let is_connected = matches!(event, MattermostEvent::Connected { .. });
                    early.push(event);
                    is_connected
                }
            };
            if !is_announced {
                continue;
            }
            let announced = loop {
                match self.announce().await {
                    Err(error) if error.is_retryable() => {
                        note(&format!("Mattermost: {error}; trying again."));
                        sleep(RETRY_INTERVAL).await;
                    }
                    announced => break announced,
                }
            };
            match announced {
                Ok(()) => deadline = Some(Instant::now() + self.answer_timeout),
                Err(MattermostError::Unauthorized) => return Err(BridgeRunError::TokenRevoked),
                Err(error) => {
                    note(&format!(
                        "Warning: another bridge of this bot would not be noticed: {error}"
                    ));
                    return Ok(early);
                }
            }
        }
    }

    /// Looks for the claim of another bridge. Returns whether it has to be answered, or an error if this one gives up.
    pub(super) fn answer(&self, preferences: &[Preference]) -> Result<bool, BridgeRunError> {
        let is_claim = |one: &&Preference| one.category == CATEGORY && one.name == NAME;
        let values = preferences.iter().filter(is_claim).map(|one| one.value.as_str());
        let claims = values.filter_map(|value| serde_json::from_str::<Claim>(value).ok());
        let mut has_others = false;
        for other in claims.filter(|other| other.id != self.claim.id) {
            if self.claim.yields_to(&other) {
                return Err(BridgeRunError::OtherBridge { host: other.host });
            }
            has_others = true;
        }
        Ok(has_others)
    }

    /// Writes the claim for the others.
    pub(super) async fn announce(&self) -> Result<(), MattermostError> {
        let value = serde_json::to_string(&self.claim).expect("a claim is plain data");
        let preference = Preference {
            user_id: self.bot.clone(),
            category: CATEGORY.to_owned(),
            name: NAME.to_owned(),
            value,
        };
        self.chat.set_preference(&preference).await
    }
}

#[cfg(test)]
mod tests;
