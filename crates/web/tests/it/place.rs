use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread::JoinHandle;
use std::time::Duration;

use skein_format::time;
use skein_review::ChangesQuery;
use skein_web::{Bound, ServeOptions, ShutdownHandle, bind};
use skein_workspace::{Clock, Dirs, Env, IdGenerator};
use tempfile::TempDir;

use crate::client::Request;

const NOW: &str = "2026-01-23T14:30:52Z";

/// A workspace in a repository, with one committed file that was changed since.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    folder: TempDir,
}

/// A server that runs in its own thread.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) token: String,
    /// A one-time address, until it is opened.
    entry: String,
    credentials: OnceLock<BrowserCredentials>,
    stopper: ShutdownHandle,
    running: Option<JoinHandle<()>>,
}

/// What a browser gets for a one-time address.
struct BrowserCredentials {
    cookie: String,
    page_token: String,
    resume_key: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("here");
        let place = Self { root, folder };
        place.file("src/a.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.git(&["add", "."]);
        place.git(&["commit", "--quiet", "-m", "first"]);
        place.file("src/a.rs", "fn one() {}\nfn second() {}\nfn three() {}\n");
        place
    }

    /// Writes a file below the root.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        skein_testkit::write_settled(&path, content);
    }

    /// Writes a file below the home directory.
    pub(crate) fn home_file(&self, name: &str, content: &str) {
        let path = self.folder.path().join("home").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        skein_testkit::write_settled(&path, content);
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let home = self.folder.path();
        let mut command = Command::new("git");
        command.args(args).current_dir(&self.root).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Ann");
            command.env(format!("GIT_{role}_EMAIL"), "ann@example.org");
        }
        assert!(command.status().unwrap().success(), "git {args:?}");
    }

    /// Returns the environment of a process; `who` is the seed of its ids.
    pub(crate) fn env(&self, who: &str) -> Env {
        let now = time::parse(NOW).unwrap().time;
        let path = |name: &str| self.folder.path().canonicalize().unwrap().join(name);
        Env {
            dir: self.root.clone(),
            home: Some(path("home")),
            config_home: None,
            dirs: Dirs::new(path("state"), path("cache")),
            variables: BTreeMap::from([("SKEIN_AUTHOR".to_owned(), "Ann".to_owned())]),
            users: vec![fs::metadata(self.folder.path()).unwrap().uid()],
            fs: std::sync::Arc::new(skein_workspace::RealFs),
            clock: Clock::new(move || now),
            ids: IdGenerator::seeded(who),
        }
    }

    pub(crate) fn serve(&self) -> Server {
        Server::run(bind(self.env("server"), &options()).unwrap())
    }

    /// Returns the content of all files, including those of git and of the server. The copies of threads and checkpoints are left out: a
    /// server makes them at any time.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let folder = self.folder.path().canonicalize().unwrap();
        walk(&folder.join("here"), &mut files);
        walk(&folder.join("state"), &mut files);
        files.retain(|path, _| !is_copy(path));
        files
    }
}

fn walk(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in dir.read_dir().into_iter().flatten().map(Result::unwrap) {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            if !path.ends_with(".git/skein/worktrees") {
                walk(&path, files);
            }
            files.insert(path, Vec::new());
        } else if kind.is_symlink() {
            let to = fs::read_link(&path).unwrap();
            files.insert(path, to.into_os_string().into_encoded_bytes());
        } else {
            // A temporary file may have been renamed since.
            match fs::read(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound && is_copy(&path) => {}
                bytes => drop(files.insert(path, bytes.unwrap())),
            }
        }
    }
}

/// Returns whether a path belongs to the copies of a checkout: their directories, or its id with the temporary file of the id.
fn is_copy(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    [".git/skein", ".git/skein/worktrees", ".git/skein-id"].iter().any(|end| path.ends_with(end))
        || (name.starts_with(".skein-") && path.parent().is_some_and(|dir| dir.ends_with(".git")))
}

/// Returns the default options.
pub(crate) fn options() -> ServeOptions {
    ServeOptions {
        port: None,
        read_only: false,
        query: ChangesQuery::default(),
        chat_server: |_| Some("https://chat.example".to_owned()),
    }
}

impl Server {
    pub(crate) fn run(bound: Bound) -> Self {
        assert!(!bound.is_served_already());
        let (port, token, stopper) =
            (bound.port(), bound.token().to_owned(), bound.shutdown_handle());
        let entry = bound.opening().split_once(&format!(":{port}")).unwrap().1.to_owned();
        let running = Some(std::thread::spawn(move || bound.run().unwrap()));
        let credentials = OnceLock::new();
        Self { port, token, entry, credentials, stopper, running }
    }

    /// Starts a request without credentials.
    pub(crate) fn ask(&self, method: &str, address: &str) -> Request {
        Request::new(self.port, method, address)
    }

    /// Starts a GET request of a browser.
    pub(crate) fn get(&self, address: &str) -> Request {
        self.ask("GET", address).header("Cookie", &self.cookie())
    }

    /// Starts a POST request as a page of the server sends it.
    pub(crate) fn post(&self, address: &str, body: &str) -> Request {
        let origin = format!("http://127.0.0.1:{}", self.port);
        let request = self.ask("POST", address).header("Cookie", &self.cookie());
        let request = request.header("Origin", &origin).header("Sec-Fetch-Site", "same-origin");
        request.header("X-Skein-Page", &self.page_token()).json(body)
    }

    /// Starts a request of a program.
    pub(crate) fn program(&self, method: &str, address: &str) -> Request {
        self.ask(method, address).header("Authorization", &format!("Bearer {}", self.token))
    }

    /// Exchanges the one-time address for what a browser gets.
    fn credentials(&self) -> &BrowserCredentials {
        self.credentials.get_or_init(|| {
            let reply = self.ask("GET", &self.entry).send();
            let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap();
            let (_, keys) = reply.header("location").unwrap().split_once("#keys=").unwrap();
            let mut keys = keys.split(',').map(str::to_owned);
            let [page_token, resume_key] = std::array::from_fn(|_| keys.next().unwrap());
            let cookie = cookie.to_owned();
            BrowserCredentials { cookie, page_token, resume_key }
        })
    }

    pub(crate) fn cookie(&self) -> String {
        self.credentials().cookie.clone()
    }

    /// Returns the key with which a page continues after a restart of the server.
    pub(crate) fn resume_key(&self) -> String {
        self.credentials().resume_key.clone()
    }

    /// Returns the token that a page of this server sends with its writes.
    pub(crate) fn page_token(&self) -> String {
        self.credentials().page_token.clone()
    }

    /// Stops the server, and returns how long that took.
    pub(crate) fn stop(mut self) -> Duration {
        let start = std::time::Instant::now();
        self.stopper.stop();
        self.running.take().unwrap().join().unwrap();
        start.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(running) = self.running.take() {
            let done = running.join();
            assert!(done.is_ok() || std::thread::panicking());
        }
    }
}
