//! An isolated environment for each test.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::json;
use skein_cli::{
    BridgeFailure, BridgeFunctions, ProcessEnv, ServeRequest, ServerError, Servers, Serving,
    Streams, run,
};
use skein_format::time;
use skein_model::bridge::{
    BridgeCheck, BridgeCheckStep, BridgeService, BridgeStatus, ChatPost, CheckState, ServiceAction,
};
use skein_workspace::{Clock, Dirs, Env, IdGenerator};
use tempfile::TempDir;

/// The current time in every test.
const NOW: &str = "2026-01-23T14:30:00Z";

/// A home directory and a working directory, which are deleted when the value is dropped.
pub(crate) struct Place {
    root: PathBuf,
    pub(crate) machine: ProcessEnv,
    /// The content of stdin.
    pub(crate) input: &'static str,
    _folder: TempDir,
}

/// The exit code and the output of a run of the program.
pub(crate) struct RunOutput {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A bridge without servers.
const BRIDGE: BridgeFunctions = BridgeFunctions {
    run: |_| {
        let hint = Some("write the settings first".to_owned());
        let error = ServerError { source: "there is no settings file".into(), hint };
        Err(BridgeFailure { error, is_final: true })
    },
    check: |_| {
        let step = |name, state, detail: &str, hint: Option<&str>| BridgeCheckStep {
            name,
            state,
            detail: detail.to_owned(),
            hint: hint.map(str::to_owned),
        };
        let steps = vec![
            step("settings", CheckState::Ok, "/bridge.toml", None),
            step("token", CheckState::Failed, "not accepted\u{1b}[2J", Some("make another")),
            step("users", CheckState::Skipped, "not checked", None),
        ];
        BridgeCheck { ok: false, steps }
    },
    status: |_| {
        Ok(BridgeStatus {
            running: false,
            config: "/bridge.toml".to_owned(),
            address: Some("https://chat".to_owned()),
            bot: None,
            sessions: 2,
            prompts: 1,
            requests: 0,
        })
    },
    log: |_, count| {
        let entry = json!({
            "at": 1_769_178_652_000_i64, "user": "u1", "session": "ses_1",
            "what": "prompt", "result": "sent\u{1b}[2J",
        });
        Ok(vec![entry; count.min(2)])
    },
    install: |_| {
        let next = vec!["systemctl --user enable --now skein-bridge".to_owned()];
        let (file, action) = ("/skein-bridge.service".to_owned(), ServiceAction::Created);
        Ok(BridgeService { file, action, next })
    },
    uninstall: |_| {
        let hint = Some("remove it yourself".to_owned());
        Err(ServerError { source: "the service file was changed".into(), hint })
    },
    send: |env, session, text| write_request(env, "send", session, text),
    say: |env, session, text| write_request(env, "say", session, text),
    server: |env| Some(fs::read_to_string(env.dir.join("server")).ok()?.trim().to_owned()),
    last_posts: |env, session, count| {
        write_request(env, "last-posts", session, &count.to_string())?;
        let post = |user: &str, text: &str| ChatPost {
            at: time::Time::from_millis(1_769_178_652_000),
            user: user.to_owned(),
            text: text.to_owned(),
        };
        Ok(vec![post("mira", "Go on\u{1b}[2J"), post("skein", "1\n2\n3\n4\n5\n6\n")])
    },
};

/// Writes what a bridge is asked into a file. There is no bridge without the file.
fn write_request(env: &Env, request: &str, session: &str, text: &str) -> Result<(), ServerError> {
    let requests = env.dir.join("requests");
    let hint = Some("`skein bridge run` starts one".to_owned());
    let error = |_| ServerError { source: "no bridge is running".into(), hint };
    let mut file = fs::File::options().append(true).open(requests).map_err(error)?;
    writeln!(file, "{request} {session} {text:?}").unwrap();
    Ok(())
}

/// Returns an address without starting a server.
fn serve(request: ServeRequest) -> Result<Serving, ServerError> {
    let port = request.port.unwrap_or(20_000);
    if port == 1 {
        let hint = Some("name a higher one".to_owned());
        return Err(ServerError { source: "the port is taken".into(), hint });
    }
    let base = request.query.base.map_or(String::new(), |base| format!("base={base}&"));
    let mode = if request.read_only { "read-only" } else { "writes" };
    Ok(Serving {
        address: format!("http://127.0.0.1:{port}/?{base}token={mode}"),
        opening: format!("http://127.0.0.1:{port}/?{base}pass=once"),
        port,
        token: mode.to_owned(),
        root: request.env.dir,
        is_served_already: port == 2,
        run: Box::new(|| Ok(())),
    })
}

impl Place {
    /// Returns an environment whose current directory is empty.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let machine = ProcessEnv {
            args: Vec::new(),
            dir: root.join("here"),
            home: Some(root.join("home")),
            config_home: None,
            state_home: None,
            cache_home: None,
            variables: [("SKEIN_NOW", NOW), ("SKEIN_SEED", "test")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            users: vec![fs::metadata(&root).unwrap().uid()],
            no_color: false,
            now: || 0,
            local_time: skein_model::utc_minutes,
            random: || 0,
            stdin_is_terminal: false,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            is_output_closed: || false,
            width: None,
            has_program: |_| false,
            program: None,
        };
        let place = Self { root, machine, input: "", _folder: folder };
        fs::create_dir_all(place.path("here")).unwrap();
        fs::create_dir_all(place.path("home")).unwrap();
        place
    }

    /// Returns an environment whose current directory is the demo workspace.
    pub(crate) fn demo() -> Self {
        let mut place = Self::empty();
        let now = time::parse(NOW).unwrap().time;
        let env = Env {
            dir: place.path("here"),
            home: None,
            config_home: None,
            dirs: Dirs::new(place.path("state"), place.path("cache")),
            variables: BTreeMap::new(),
            users: place.machine.users.clone(),
            fs: std::sync::Arc::new(skein_workspace::RealFs),
            clock: Clock::new(move || now),
            ids: IdGenerator::seeded("demo"),
        };
        place.machine.dir = skein_demo::write(&env, &place.path("here/lantern")).unwrap();
        // A broken file is reported at once only if it is old: a recent one may still be written.
        let broken = place.machine.dir.join(".code-review/threads/half-written.md");
        let file = fs::File::options().write(true).open(broken).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        place
    }

    /// Makes stdin, stdout and stderr a terminal of this width.
    pub(crate) fn on_terminal(mut self, width: usize) -> Self {
        self.machine.stdin_is_terminal = true;
        self.machine.stdout_is_terminal = true;
        self.machine.stderr_is_terminal = true;
        self.machine.width = Some(width);
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file below the current directory.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.machine.dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        skein_testkit::write_settled(&path, content);
        path
    }

    /// Runs the program with these arguments, which are separated by spaces.
    pub(crate) fn run(&self, words: &str) -> RunOutput {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.run_args(&words)
    }

    pub(crate) fn run_args(&self, args: &[&str]) -> RunOutput {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = self.run_into(args, &mut out, &mut err);
        let text = |bytes| self.shorten(&String::from_utf8(bytes).unwrap());
        RunOutput { code, out: text(out), err: text(err) }
    }

    pub(crate) fn run_into(&self, args: &[&str], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
        let input = &mut io::Cursor::new(self.input);
        self.run_on(args, &mut Streams { input, out, err })
    }

    pub(crate) fn run_on(&self, args: &[&str], streams: &mut Streams<'_>) -> u8 {
        let mut machine = self.machine.clone();
        machine.args = ["skein"].iter().chain(args).map(Into::into).collect();
        run(
            &machine,
            &Servers {
                serve,
                bridge: BRIDGE,
                opencode_turn: |_| Ok(()),
                mcp: |_| Ok(()),
                lsp: |_| Ok(true),
            },
            streams,
        )
    }

    /// Compares the output and the exit code of a run with the expected text.
    #[track_caller]
    pub(crate) fn check(&self, words: &str, expected: &str) {
        let output = self.run(words).to_string();
        assert_eq!(output, expected.trim_start_matches('\n'), "skein {words}");
    }

    /// Replaces the path of the test directory with `ROOT`, and its hash in the names of state directories with `KEY`.
    pub(crate) fn shorten(&self, text: &str) -> String {
        let text = text.replace(&self.root.display().to_string(), "ROOT");
        let mut short = String::new();
        let mut rest = text.as_str();
        // `here-0123456789abcdef` becomes `here-KEY`.
        while let Some(at) = rest.find("here-") {
            let (before, name) = rest.split_at(at + "here-".len());
            let key = name.bytes().take_while(u8::is_ascii_hexdigit).count();
            short += before;
            short += if key == 16 { "KEY" } else { &name[..key] };
            rest = &name[key..];
        }
        short += rest;
        short
    }
}

impl std::fmt::Display for RunOutput {
    /// Writes both streams, then the exit code; the escape character is shown as `^[`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.out.replace('\u{1b}', "^["))?;
        if !self.err.is_empty() {
            write!(f, "-- stderr\n{}", self.err.replace('\u{1b}', "^["))?;
        }
        writeln!(f, "-- exit {}", self.code)
    }
}
