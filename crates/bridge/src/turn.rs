//! One turn of a session in an OpenCode server that is running.

use std::io;
use std::time::Duration;

use skein_format::time::Time;
use skein_opencode::{
    MessageId, OpencodeClient, OpencodeError, OpencodePrompt, OpencodeStatus, Password, SessionId,
    message_id,
};

const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// The number of requests in a row that may fail while an answer is written.
const MAX_FAILURES: u32 = 100;
/// The longest time until the server has stored a prompt and begun its answer.
const START_TIMEOUT: Duration = Duration::from_secs(30);

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
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    #[error("the session is busy")]
    Busy,
    #[error("the session is in another directory: {0}")]
    OtherDirectory(String),
    #[error("the answer did not end in time")]
    Late,
    #[error("the server of OpenCode did not take the prompt")]
    Server(#[from] OpencodeError),
    #[error(transparent)]
    Runtime(#[from] io::Error),
}

/// Sends a prompt to a session that is idle, and waits for the end of its answer.
pub fn run_turn(request: &TurnRequest, timeout: Duration) -> Result<(), TurnError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::time::timeout(timeout, turn(request)).await.unwrap_or(Err(TurnError::Late))
    })
}

async fn turn(request: &TurnRequest) -> Result<(), TurnError> {
    let password = request.password.as_deref().map(Password::new);
    let client = OpencodeClient::new(&request.address, password)?;
    let (dir, session) = (request.dir.as_str(), SessionId::new(&request.session));
    let known = client.session(&session).await?;
    if known.directory != dir {
        return Err(TurnError::OtherDirectory(known.directory));
    }
    if is_busy(&client, dir, &session).await? {
        return Err(TurnError::Busy);
    }
    let now = u64::try_from(request.now.as_millis()).unwrap_or_default();
    let id = message_id(now, None, &request.seed);
    client.prompt(dir, &session, &OpencodePrompt::text(id.clone(), &request.prompt)).await?;
    let begun = tokio::time::timeout(START_TIMEOUT, answer_begun(&client, dir, &session, &id));
    begun.await.unwrap_or(Err(TurnError::Late))?;
    let mut failures = 0;
    loop {
        match is_busy(&client, dir, &session).await {
            Ok(false) => return Ok(()),
            Ok(true) => failures = 0,
            // The server may be slow, or may have been restarted.
            Err(_) if failures < MAX_FAILURES => failures += 1,
            Err(error) => return Err(error),
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Waits until the server works on a prompt, or has answered it.
async fn answer_begun(
    client: &OpencodeClient,
    dir: &str,
    session: &SessionId,
    prompt: &MessageId,
) -> Result<(), TurnError> {
    loop {
        if is_busy(client, dir, session).await? {
            return Ok(());
        }
        let messages = client.messages(dir, session).await?;
        if messages.iter().any(|message| message.info.parent_id.as_ref() == Some(prompt)) {
            return Ok(());
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn is_busy(
    client: &OpencodeClient,
    dir: &str,
    session: &SessionId,
) -> Result<bool, TurnError> {
    let statuses = client.statuses(dir).await?;
    Ok(!matches!(statuses.get(session), None | Some(OpencodeStatus::Idle)))
}
