//! A bridge with its own bot, home and directory.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::agent::OpenCode;
use super::chat::{Mattermost, Post, User, unique_word};

const WAIT_TIMEOUT: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Repeats until there is a value.
#[track_caller]
pub(super) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + WAIT_TIMEOUT;
    loop {
        if let Some(value) = look() {
            return value;
        }
        assert!(Instant::now() < deadline, "it does not happen in time: {what}");
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// What one test uses.
pub(super) struct World {
    pub(super) chat: Mattermost,
    pub(super) opencode: OpenCode,
    pub(super) bot: User,
    /// The owner.
    pub(super) ada: User,
    /// Where ada posts: her direct channel with the bot, unless a test uses another.
    pub(super) channel: String,
    /// The directory that sessions may use.
    pub(super) directory: PathBuf,
    pub(super) home: TempDir,
    _access: ServerAccess,
}

/// Tests that restart Mattermost run while no other test uses it.
static MATTERMOST: RwLock<()> = RwLock::new(());

#[expect(dead_code, reason = "they are kept until the test ends")]
enum ServerAccess {
    Shared(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

impl World {
    pub(super) fn new() -> Self {
        let access = MATTERMOST.read().unwrap_or_else(PoisonError::into_inner);
        Self::with_access(ServerAccess::Shared(access))
    }

    /// Returns a world without other tests at the same time.
    pub(super) fn alone() -> Self {
        let access = MATTERMOST.write().unwrap_or_else(PoisonError::into_inner);
        Self::with_access(ServerAccess::Alone(access))
    }

    fn with_access(access: ServerAccess) -> Self {
        let (chat, opencode) = (Mattermost::find(), OpenCode::find());
        let (bot, ada) = (chat.create_bot(), chat.user("ada"));
        let channel = ada.direct_channel(&bot);
        let directory = opencode.directory.canonicalize().unwrap().join(unique_word());
        fs::create_dir(&directory).unwrap();
        let home = tempfile::tempdir().unwrap();
        let world = Self { chat, opencode, bot, ada, channel, directory, home, _access: access };
        world.write_token(&world.bot.token);
        world.configure("");
        world
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(super) fn write_token(&self, token: &str) {
        let path = self.path("token");
        fs::write(&path, token).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Writes the settings, with further lines.
    pub(super) fn configure(&self, lines: &str) {
        self.configure_agent(lines, &format!("address = \"{}\"", self.opencode.address));
    }

    /// Writes the settings with other ones for OpenCode.
    pub(super) fn configure_agent(&self, lines: &str, agent: &str) {
        let settings = format!(
            "owners = [\"@ada\"]\ndirectories = [\"{}\"]\n{lines}\n\
            [mattermost]\naddress = \"{}\"\ntoken_file = \"~/token\"\n[opencode]\n{agent}\n",
            self.directory.display(),
            self.chat.address,
        );
        self.write_settings(&settings);
    }

    pub(super) fn write_settings(&self, settings: &str) {
        let dir = self.path(".config/skein");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("bridge.toml"), settings).unwrap();
    }

    pub(super) fn settings(&self) -> String {
        fs::read_to_string(self.path(".config/skein/bridge.toml")).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skein"));
        command
            .args(args)
            .current_dir(self.home.path())
            .env_clear()
            // For the OpenCode that a bridge starts itself.
            .envs(&self.opencode.environment)
            .env("XDG_DATA_HOME", self.path("opencode/data"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .env("HOME", self.home.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command of the program to its end.
    pub(super) fn skein(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Starts the bridge and waits until it is connected.
    pub(super) fn start(&self) -> Bridge {
        let bridge = self.spawn(self.home.path());
        wait_for("the bridge is connected", || bridge.log().contains("Connected to").then_some(()));
        bridge
    }

    /// Starts the bridge with another home and without the state of the first one, as on another machine.
    pub(super) fn start_elsewhere(&self) -> Bridge {
        let home = self.path("elsewhere");
        fs::create_dir_all(home.join(".config/skein")).unwrap();
        for name in ["token", ".config/skein/bridge.toml"] {
            fs::copy(self.path(name), home.join(name)).unwrap();
        }
        self.spawn(&home)
    }

    /// Starts the bridge with a home.
    pub(super) fn spawn(&self, home: &Path) -> Bridge {
        let log = home.join("bridge.log");
        let file = fs::File::create(&log).unwrap();
        let mut command = self.command(&["bridge", "run"]);
        command.env("HOME", home).env("SKEIN_LOG", "info").stdout(Stdio::null()).stderr(file);
        Bridge { child: command.spawn().unwrap(), log }
    }

    /// Starts a session with a post of ada, which is the root of its thread.
    pub(super) fn prompt(&self, text: &str) -> Post {
        self.ada.post(&self.channel, text)
    }

    pub(super) fn reply(&self, root: &Post, text: &str) -> Post {
        self.ada.reply(&self.channel, &root.id, text)
    }

    /// Returns the posts of the bridge in a thread whose key has a prefix, such as `answer:`.
    pub(super) fn posts(&self, root: &Post, prefix: &str) -> Vec<Post> {
        let mut posts = self.ada.thread(&root.id);
        posts.retain(|post| post.user_id == self.bot.id && post.key().starts_with(prefix));
        posts
    }

    /// Returns the texts of all answers in a thread.
    pub(super) fn answers(&self, root: &Post) -> String {
        let posts = self.posts(root, "answer:");
        posts.iter().map(|post| post.message.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Waits for a text in the answers of a thread.
    #[track_caller]
    pub(super) fn wait_for_answer(&self, root: &Post, text: &str) -> String {
        wait_for(text, || Some(self.answers(root)).filter(|answers| answers.contains(text)))
    }

    /// Waits for a post of the bridge that has a text, of a kind such as `ask:`.
    #[track_caller]
    pub(super) fn wait_for_post(&self, root: &Post, prefix: &str, text: &str) -> Post {
        wait_for(text, || {
            self.posts(root, prefix).into_iter().find(|post| post.message.contains(text))
        })
    }

    /// Returns the entries of the session map.
    pub(super) fn map(&self) -> Vec<Value> {
        let path = self.path(".config/opencode/mattermost-threads.json");
        let Ok(text) = fs::read_to_string(path) else { return Vec::new() };
        let map: Value = serde_json::from_str(&text).expect(&text);
        map["mappings"].as_array().unwrap().clone()
    }

    /// Asserts that a prompt reached the model once.
    #[track_caller]
    pub(super) fn assert_asked_once(&self, prompt: &str) {
        assert_eq!(self.opencode.model_requests(prompt).len(), 1, "{prompt}");
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for post in self.ada.channel_posts(&self.channel) {
                eprintln!("{} {}: {}", post.create_at, post.key(), post.message);
            }
        }
    }
}

/// A running bridge.
pub(super) struct Bridge {
    child: Child,
    log: PathBuf,
}

impl Bridge {
    pub(super) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the memory that the process uses.
    pub(super) fn memory(&self) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.unwrap_or_default().trim().to_owned()
    }

    /// Ends the process at once.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to end.
    pub(super) fn stop(mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").arg(&id).status().unwrap().success());
        self.wait()
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until the process ends.
    pub(super) fn wait(&mut self) -> ExitStatus {
        wait_for("the bridge ends", || self.child.try_wait().unwrap())
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<_> = log.lines().collect();
            eprintln!("{}", lines[lines.len().saturating_sub(60)..].join("\n"));
        }
        // It has already exited if the test has ended it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
