//! One turn of a session in an OpenCode server that is running.

use std::io;
use std::time::Duration;

use skein_format::time::Time;
use skein_opencode::{
    MessageId, OpencodeClient, OpencodeError, OpencodePrompt, OpencodeStatus, Password, SessionId,
    message_id,
};
use tokio::time::{Instant, timeout};

const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Maximum number of failed requests in a row after the prompt was sent.
const MAX_FAILURES: u32 = 100;
/// How often the server may say, after the prompt was sent, that it does not work on it yet.
const MAX_IDLE_POLLS: u32 = 100;

/// A prompt for a session.
#[derive(Clone, Debug)]
pub struct TurnRequest {
    /// The address of the server.
    pub address: String,
    pub password: Option<String>,
    pub session: String,
    /// The directory that the session must have.
    pub dir: String,
    pub prompt: String,
    /// A text that no other prompt has: with the same one, a prompt is not sent twice.
    pub seed: String,
    pub now: Time,
}

/// Why a turn did not take place, or was not seen to end.
///
/// [`TurnError::is_sent`] tells the two apart.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    #[error("the session is busy")]
    Busy,
    #[error("the session is in another directory: {0}")]
    OtherDirectory(String),
    #[error("the server of OpenCode did not answer in time")]
    Unanswered,
    #[error("the server of OpenCode did not take the prompt")]
    Server(#[from] OpencodeError),
    #[error(transparent)]
    Runtime(#[from] io::Error),
    #[error("OpenCode did not begin to answer the prompt")]
    NotStarted,
    #[error("the answer did not end in time")]
    Late,
    #[error("the server of OpenCode did not say whether the answer has ended")]
    Lost(#[source] OpencodeError),
}

impl TurnError {
    /// Returns whether OpenCode has the prompt, or may have it: the session can still be working on it. Otherwise
    /// nothing was sent.
    #[must_use]
    pub fn is_sent(&self) -> bool {
        match self {
            Self::NotStarted | Self::Late | Self::Lost(_) => true,
            Self::Busy
            | Self::OtherDirectory(_)
            | Self::Unanswered
            | Self::Server(_)
            | Self::Runtime(_) => false,
        }
    }
}

/// Sends a prompt to a session that is idle, and waits for the end of its answer.
pub fn run_turn(request: &TurnRequest, timeout: Duration) -> Result<(), TurnError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run_within(request, timeout, POLL_INTERVAL))
}

async fn run_within(
    request: &TurnRequest,
    limit: Duration,
    poll_interval: Duration,
) -> Result<(), TurnError> {
    let start = Instant::now();
    let turn = timeout(limit, Turn::prepare(request, poll_interval)).await;
    let turn = turn.unwrap_or(Err(TurnError::Unanswered))?;
    let left = limit.saturating_sub(start.elapsed());
    timeout(left, turn.run(&request.prompt)).await.unwrap_or(Err(TurnError::Late))
}

/// A prompt that can be sent.
struct Turn<'a> {
    client: OpencodeClient,
    dir: &'a str,
    session: SessionId,
    prompt: MessageId,
    poll_interval: Duration,
}

/// What the server has done with a prompt.
enum Progress {
    /// The server does not have it.
    Absent,
    Stored,
    Begun,
    Ended,
}

impl<'a> Turn<'a> {
    /// Checks that the session is idle. Sends nothing.
    async fn prepare(request: &'a TurnRequest, poll_interval: Duration) -> Result<Self, TurnError> {
        let password = request.password.as_deref().map(Password::new);
        let client = OpencodeClient::new(&request.address, password)?;
        let (dir, session) = (request.dir.as_str(), SessionId::new(&request.session));
        let known = client.session(&session).await?;
        if known.directory != dir {
            return Err(TurnError::OtherDirectory(known.directory));
        }
        let now = u64::try_from(request.now.as_millis()).unwrap_or_default();
        let prompt = message_id(now, None, &request.seed);
        let turn = Self { client, dir, session, prompt, poll_interval };
        if turn.is_busy().await? { Err(TurnError::Busy) } else { Ok(turn) }
    }

    /// Sends the prompt and waits for the end of its answer.
    async fn run(&self, text: &str) -> Result<(), TurnError> {
        let prompt = OpencodePrompt::text(self.prompt.clone(), text);
        let sent = self.client.prompt(self.dir, &self.session, &prompt).await;
        let unconfirmed = match sent {
            Ok(()) => None,
            // The server may have taken the prompt although the request failed.
            Err(error) if error.is_temporary() && !error.is_undelivered() => Some(error),
            Err(error) => return Err(error.into()),
        };
        self.wait(unconfirmed).await
    }

    /// Waits for the end of the answer. `unconfirmed` says why it is not certain that the server has the prompt.
    async fn wait(&self, unconfirmed: Option<OpencodeError>) -> Result<(), TurnError> {
        let (mut failures, mut idle_polls) = (0, 0);
        let (mut is_stored, mut has_begun) = (unconfirmed.is_none(), false);
        loop {
            let progress = self.progress(is_stored, has_begun).await;
            failures = if progress.is_ok() { 0 } else { failures + 1 };
            match progress {
                Ok(Progress::Ended) => return Ok(()),
                Ok(Progress::Begun) => has_begun = true,
                Ok(Progress::Stored) => (is_stored, idle_polls) = (true, idle_polls + 1),
                Ok(Progress::Absent) => idle_polls += 1,
                // The server may be slow, or may have been restarted.
                Err(_) if failures <= MAX_FAILURES => {}
                Err(error) => return Err(TurnError::Lost(error)),
            }
            if idle_polls > MAX_IDLE_POLLS {
                let refusal = unconfirmed.filter(|_| !is_stored).map(TurnError::Server);
                return Err(refusal.unwrap_or(TurnError::NotStarted));
            }
            tokio::time::sleep(self.poll_interval).await;
        }
    }

    async fn progress(&self, is_stored: bool, has_begun: bool) -> Result<Progress, OpencodeError> {
        let is_busy = self.is_busy().await?;
        if has_begun {
            return Ok(if is_busy { Progress::Begun } else { Progress::Ended });
        }
        if is_stored && is_busy {
            return Ok(Progress::Begun);
        }
        let messages = self.client.messages(self.dir, &self.session).await?;
        let infos = || messages.iter().map(|message| &message.info);
        if infos().any(|info| info.parent_id.as_ref() == Some(&self.prompt)) {
            return Ok(Progress::Begun);
        }
        let is_known = infos().any(|info| info.id == self.prompt);
        Ok(if is_known { Progress::Stored } else { Progress::Absent })
    }

    async fn is_busy(&self) -> Result<bool, OpencodeError> {
        let statuses = self.client.statuses(self.dir).await?;
        Ok(!matches!(statuses.get(&self.session), None | Some(OpencodeStatus::Idle)))
    }
}

#[cfg(test)]
mod tests;
