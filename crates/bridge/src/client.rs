//! Asks a running bridge of this user.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skein_format::redact::redact;
use skein_format::time::Time;
use skein_model::bridge::ChatPost;
use skein_workspace::Env;

use crate::config::Config;
use crate::core::LocalRefusal;
use crate::socket::{MAX_REQUEST_BYTES, SOCKET, SocketAnswer, SocketPost, SocketRequest};
use crate::state_dir::bridge_dir;

/// How long a bridge may take for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// How long it may take for posts, which can be left out.
const POSTS_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum length of an answer.
const MAX_ANSWER_BYTES: u64 = 16 * 1024 * 1024;

/// Why a running bridge does not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("no bridge is running")]
    NotRunning,
    #[error("the path of the socket is too long: {}", path.display())]
    LongPath { path: PathBuf },
    #[error("the text is too long: more than {} MB", MAX_REQUEST_BYTES / 1024 / 1024)]
    TooLong,
    #[error("{}: {session}", describe(*.reason))]
    Refused { session: String, reason: LocalRefusal },
    #[error("the bridge does not understand the request: {message}")]
    Invalid { message: String },
    #[error("Mattermost did not answer the bridge: {message}")]
    Failed { message: String },
    #[error("the bridge gave no answer, so it is not certain that it has the request")]
    NoAnswer(#[source] io::Error),
}

impl ControlError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotRunning => "`skein bridge run` starts one".to_owned(),
            Self::LongPath { .. } => "set XDG_STATE_HOME to a shorter path".to_owned(),
            Self::Refused { reason, .. } => advise(*reason)?.to_owned(),
            Self::Invalid { .. } => "restart the bridge, if it is of another version".to_owned(),
            Self::NoAnswer(_) => "look at the thread before you repeat it".to_owned(),
            Self::TooLong | Self::Failed { .. } => return None,
        })
    }
}

/// Prompts a session through the bridge that has its thread. On success, the prompt is in its journal.
pub fn send(env: &Env, session: &str, text: &str) -> Result<(), ControlError> {
    request(env, session, &SocketRequest::Send { session: session.into(), text: text.to_owned() })
        .map(drop)
}

/// Posts a text into the thread of a session. On success, the text is in the journal of the bridge.
pub fn say(env: &Env, session: &str, text: &str) -> Result<(), ControlError> {
    request(env, session, &SocketRequest::Say { session: session.into(), text: text.to_owned() })
        .map(drop)
}

/// Returns the last posts of the thread of a session, the oldest first and without secrets.
pub fn last_posts(env: &Env, session: &str, count: usize) -> Result<Vec<ChatPost>, ControlError> {
    let request_posts = SocketRequest::LastPosts { session: session.into(), count };
    let posts = match request(env, session, &request_posts)? {
        SocketAnswer::Posts { posts } => posts,
        _ => Vec::new(),
    };
    let post = |post: SocketPost| ChatPost {
        at: Time::from_millis(post.at),
        user: post.user,
        text: redact(&post.text).into_owned(),
    };
    Ok(posts.into_iter().map(post).collect())
}

/// Returns the address of the Mattermost server in the settings.
pub fn server(env: &Env) -> Option<String> {
    Config::load(env).ok().map(|config| config.mattermost.address)
}

/// Asks all running bridges until one has the session.
fn request(
    env: &Env,
    session: &str,
    request: &SocketRequest,
) -> Result<SocketAnswer, ControlError> {
    let mut result = Err(ControlError::NotRunning);
    let Ok(dirs) = bridge_dir(env).read_dir() else { return result };
    for dir in dirs.filter_map(Result::ok) {
        match ask(&dir.path().join(SOCKET), request) {
            Ok(SocketAnswer::Refused { reason }) => {
                result = Err(ControlError::Refused { session: session.to_owned(), reason });
                if reason != LocalRefusal::NoSession {
                    return result;
                }
            }
            Ok(SocketAnswer::Invalid { message }) => return Err(ControlError::Invalid { message }),
            Ok(SocketAnswer::Failed { message }) => return Err(ControlError::Failed { message }),
            Ok(answer) => return Ok(answer),
            Err(ControlError::NotRunning) => {}
            Err(error) => return Err(error),
        }
    }
    result
}

/// Sends a request to one bridge.
fn ask(path: &Path, request: &SocketRequest) -> Result<SocketAnswer, ControlError> {
    let stream = UnixStream::connect(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => ControlError::LongPath { path: path.to_owned() },
        // A bridge that was killed leaves its socket behind.
        _ => ControlError::NotRunning,
    })?;
    let mut line =
        serde_json::to_vec(request).map_err(|error| ControlError::NoAnswer(error.into()))?;
    line.push(b'\n');
    if u64::try_from(line.len()).unwrap_or(u64::MAX) > MAX_REQUEST_BYTES {
        return Err(ControlError::TooLong);
    }
    let timeout = match request {
        SocketRequest::LastPosts { .. } => POSTS_TIMEOUT,
        SocketRequest::Send { .. } | SocketRequest::Say { .. } => ANSWER_TIMEOUT,
    };
    exchange(stream, &line, timeout).map_err(ControlError::NoAnswer)
}

fn exchange(mut stream: UnixStream, line: &[u8], timeout: Duration) -> io::Result<SocketAnswer> {
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    stream.write_all(line)?;
    let mut answer = Vec::new();
    BufReader::new(stream.take(MAX_ANSWER_BYTES)).read_until(b'\n', &mut answer)?;
    Ok(serde_json::from_slice(&answer)?)
}

fn describe(reason: LocalRefusal) -> &'static str {
    match reason {
        LocalRefusal::NoSession => "the running bridge has no thread for this session",
        LocalRefusal::NoThread => "the thread of the session is not created yet",
        LocalRefusal::Archived => "the session is archived",
        LocalRefusal::Deleted => "the session was deleted",
        LocalRefusal::Ended => "the session was ended",
        LocalRefusal::ThreadDeleted => "the thread of the session was deleted",
        LocalRefusal::Away => "the bot is not in the channel of the session",
        LocalRefusal::Directory => "the settings do not allow the directory of the session",
        LocalRefusal::RateLimit => {
            "the thread of the session got too many requests in the last minute"
        }
    }
}

fn advise(reason: LocalRefusal) -> Option<&'static str> {
    Some(match reason {
        LocalRefusal::NoSession => {
            "the command `resume` in the chat, with the id of the session, opens a thread for it"
        }
        LocalRefusal::NoThread => "try again when Mattermost is reachable",
        LocalRefusal::Archived => "the command `resume` in its thread opens it again",
        LocalRefusal::ThreadDeleted => {
            "the command `resume` in the chat, with the id of the session, opens another thread"
        }
        LocalRefusal::Away => "invite the bot to the channel",
        LocalRefusal::Directory => {
            "add the directory to `directories` in the settings of the bridge"
        }
        LocalRefusal::RateLimit => "try again in a minute",
        LocalRefusal::Deleted | LocalRefusal::Ended => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use skein_fixtures::Fixture;
    use tokio::runtime::Runtime;
    use tokio::sync::mpsc;

    use super::*;
    use crate::core::ids::Millis;
    use crate::core::record::JournalRecord;
    use crate::core::settings::{Approvals, BridgeSettings};
    use crate::core::state::{Thread, ThreadStatus};
    use crate::core::{BridgeState, Core, Input};
    use crate::socket::{SocketCall, Step, listen, next_step};

    fn settings() -> BridgeSettings {
        BridgeSettings {
            bot: "bot".into(),
            bot_name: "skein".into(),
            owners: ["owner".into()].into(),
            users: [].into(),
            names: [].into(),
            home: "home".into(),
            home_owner: "owner".into(),
            channel: None,
            approvals: Approvals::Owners,
            start_from_chat: true,
            directories: vec!["/src".into()],
            prefix: "!".into(),
            reasoning: false,
            max_post_chars: 1_000,
            max_post_size: 5_000,
            max_file_bytes: 1_000,
            max_prompts_per_minute: 20,
            message_id: |_, _, seed| format!("msg_{seed}"),
        }
    }

    fn thread(session: &str, status: ThreadStatus) -> JournalRecord {
        JournalRecord::ThreadOpened(Box::new(Thread {
            session: session.into(),
            directory: "/src/app".to_owned(),
            title: String::new(),
            channel: "home".into(),
            root: Some(format!("root-{session}").as_str().into()),
            owner: "owner".into(),
            created: Millis(1),
            baseline: Millis(1),
            status,
            status_at: Millis(1),
            model: None,
            agent: None,
            is_muted: false,
            invited: [].into(),
            turns: [].into(),
            closed: None,
            seen: Millis(1),
            links: String::new(),
        }))
    }

    /// Returns the core of a bridge that has sessions in different states.
    fn core() -> Core {
        let records = [
            thread("open", ThreadStatus::Open),
            thread("archived", ThreadStatus::Archived),
            thread("lost", ThreadStatus::Lost),
        ];
        Core::new(settings(), BridgeState::from_records(&records))
    }

    /// A bridge without servers, which answers requests as the runner does.
    struct Bridge {
        fixture: Fixture,
        runtime: Runtime,
        /// The texts of the prompts that the core has.
        prompts: std::sync::mpsc::Receiver<Vec<String>>,
    }

    impl Bridge {
        fn start() -> Self {
            let fixture = Fixture::new();
            let runtime = Runtime::new().unwrap();
            let socket = bridge_dir(&fixture.env("")).join("bot").join(SOCKET);
            std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
            // A bridge that was killed left it behind.
            drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
            let (sender, prompts) = std::sync::mpsc::channel();
            let _guard = runtime.enter();
            let mut calls: mpsc::Receiver<SocketCall> = listen(&socket).unwrap();
            runtime.spawn(async move {
                let mut core = core();
                while let Some(SocketCall { request, answer }) = calls.recv().await {
                    let result = match next_step(&core, request, "1", Millis(1)) {
                        Step::Core(request) => {
                            drop(core.handle(Millis(2), Input::Local(request)));
                            SocketAnswer::Accepted
                        }
                        Step::Answer(refusal) => refusal,
                        Step::FetchPosts { root, count } => {
                            let (user, text) = (root.to_string(), format!("{count} posts"));
                            SocketAnswer::Posts { posts: vec![SocketPost { at: 0, user, text }] }
                        }
                    };
                    let prompts = core.state().prompts.values();
                    drop(sender.send(prompts.map(|one| format!("{:?}", one.body)).collect()));
                    answer.send(result).unwrap();
                }
            });
            Self { fixture, runtime, prompts }
        }

        fn env(&self) -> Env {
            self.fixture.env("")
        }

        fn socket(&self) -> PathBuf {
            bridge_dir(&self.env()).join("bot").join(SOCKET)
        }
    }

    #[test]
    fn a_prompt_is_accepted_when_the_core_has_it() {
        let bridge = Bridge::start();
        send(&bridge.env(), "open", "go on\nplease").unwrap();
        assert_eq!(bridge.prompts.recv().unwrap(), ["Text(\"go on\\nplease\")"]);
        say(&bridge.env(), "open", "a note").unwrap();
        let mode = bridge.socket().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_refusal_says_why_and_what_to_do() {
        let bridge = Bridge::start();
        let refusal = |session: &str, text: &str| {
            let error = send(&bridge.env(), session, text).unwrap_err();
            format!("{error}; {}", error.hint().unwrap())
        };
        assert_eq!(
            refusal("other", "a"),
            "the running bridge has no thread for this session: other; the command `resume` in \
             the chat, with the id of the session, opens a thread for it"
        );
        assert_eq!(
            refusal("archived", "a"),
            "the session is archived: archived; the command `resume` in its thread opens it again"
        );
        assert!(refusal("lost", "a").starts_with("the thread of the session was deleted: lost"));
        assert!(refusal("open", " \n").contains("the text is empty"));
        assert!(bridge.prompts.iter().take(4).all(|prompts| prompts.is_empty()));
    }

    #[test]
    fn the_last_posts_are_those_of_the_thread_also_of_a_closed_one() {
        let bridge = Bridge::start();
        for session in ["open", "archived"] {
            let posts = last_posts(&bridge.env(), session, 3).unwrap();
            let (user, text) = (format!("root-{session}"), "3 posts".to_owned());
            assert_eq!(posts, [ChatPost { at: Time::from_millis(0), user, text }]);
        }
        let error = last_posts(&bridge.env(), "other", 3).unwrap_err();
        assert!(matches!(error, ControlError::Refused { .. }), "{error}");
    }

    #[test]
    fn requests_that_are_not_understood_get_an_answer() {
        let bridge = Bridge::start();
        let ask = |line: &[u8]| {
            let stream = UnixStream::connect(bridge.socket()).unwrap();
            exchange(stream, line, ANSWER_TIMEOUT).unwrap()
        };
        for line in ["{}\n", "\n", "{\"request\":\"dance\"}\n", "\u{0}\n"] {
            let answer = ask(line.as_bytes());
            assert!(matches!(answer, SocketAnswer::Invalid { .. }), "{answer:?}");
        }
        let long = vec![b'a'; usize::try_from(MAX_REQUEST_BYTES).unwrap()];
        let answer = ask(&long);
        assert_eq!(answer, SocketAnswer::Invalid { message: "the request is too long".to_owned() });
        let text = "a".repeat(long.len());
        assert!(matches!(send(&bridge.env(), "open", &text), Err(ControlError::TooLong)));
    }

    #[test]
    fn without_a_running_bridge_the_error_says_so() {
        let fixture = Fixture::new();
        let error = send(&fixture.env(""), "open", "a").unwrap_err();
        assert!(matches!(error, ControlError::NotRunning), "{error}");
        let bridge = Bridge::start();
        let Bridge { fixture, runtime, .. } = bridge;
        drop(runtime);
        let error = send(&fixture.env(""), "open", "a").unwrap_err();
        assert!(matches!(error, ControlError::NotRunning), "{error}");
    }

    #[test]
    fn a_bridge_that_ends_without_an_answer_leaves_doubt() {
        let fixture = Fixture::new();
        let dir = bridge_dir(&fixture.env("")).join("bot");
        std::fs::create_dir_all(&dir).unwrap();
        let runtime = Runtime::new().unwrap();
        let _guard = runtime.enter();
        let mut calls = listen(&dir.join(SOCKET)).unwrap();
        runtime.spawn(async move { calls.recv().await.map(drop) });
        let error = send(&fixture.env(""), "open", "a").unwrap_err();
        assert!(matches!(error, ControlError::NoAnswer(_)), "{error}");
    }
}
