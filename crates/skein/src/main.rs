//! The binary: reads the environment once, runs the command line, ends with its exit code.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use skein_bridge::{
    BridgeError, BridgeOptions, ControlError, ServiceError, ServiceManager, ServiceOptions,
    TurnError, TurnRequest,
};
use skein_cli::{
    BridgeFailure, BridgeFunctions, LspRequest, McpRequest, OpencodeTurn, ProcessEnv, ServeRequest,
    ServerError, Servers, Serving, Streams, TurnFailure, is_hook, is_wanted, run, search_path,
};
use skein_lsp::LspOptions;
use skein_mcp::{McpOptions, StartDir};
use skein_store::{current_user, is_executable, is_output_closed};
use skein_web::{BindError, ServeOptions};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// With the allocator of musl, a search of checkpoints takes four times as long, and with that of glibc an eighth longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the program ends with when it is at fault itself.
const BUG: u8 = 255;

const BRIDGE: BridgeFunctions = BridgeFunctions {
    run: |env| {
        let (environment, note) = (environment(), Box::new(print_note));
        skein_bridge::run(BridgeOptions { env, environment, note }).map_err(|error| {
            let is_final = error.is_final();
            BridgeFailure { error: bridge_error(error), is_final }
        })
    },
    check: |env| skein_bridge::check(env, environment()),
    status: |env| skein_bridge::status(env).map_err(bridge_error),
    log: |env, count| skein_bridge::log(env, count).map_err(bridge_error),
    install: |env| skein_bridge::install(env, &service_options()).map_err(service_error),
    uninstall: |env| {
        skein_bridge::uninstall(env, ServiceManager::of_this_system()).map_err(service_error)
    },
    send: |env, session, text| skein_bridge::send(env, session, text).map_err(local_error),
    say: |env, session, text| skein_bridge::say(env, session, text).map_err(local_error),
    server: skein_bridge::server,
    last_posts: |env, session, count| {
        skein_bridge::last_posts(env, session, count).map_err(local_error)
    },
};

fn opencode_turn(turn: &OpencodeTurn) -> Result<(), TurnFailure> {
    let password = variable("OPENCODE_SERVER_PASSWORD");
    let request = TurnRequest {
        address: turn.address.clone(),
        password: password.and_then(|password| password.into_string().ok()),
        session: turn.session.clone(),
        dir: turn.dir.clone(),
        prompt: turn.prompt.as_str().to_owned(),
        seed: turn.delivery.clone(),
        now: turn.now,
    };
    skein_bridge::run_turn(&request, turn.timeout).map_err(|error| {
        let (is_busy, is_sent) = (matches!(error, TurnError::Busy), error.is_sent());
        let error = ServerError { source: error.into(), hint: None };
        match () {
            () if is_busy => TurnFailure::Busy,
            () if is_sent => TurnFailure::Sent(error),
            () => TurnFailure::NotSent(error),
        }
    })
}

fn main() -> ExitCode {
    let machine = machine();
    let is_hook = is_hook(&machine.args);
    if is_hook {
        // An agent takes what a hook prints for its answer, and must not be stopped by a fault of ours.
        std::panic::set_hook(Box::new(|_| {}));
    }
    if let Some(level) = variable("SKEIN_LOG").filter(|level| !level.is_empty()) {
        start_log(&machine, &level.to_string_lossy());
    }
    let done = std::panic::catch_unwind(|| {
        let mut input = io::stdin().lock();
        let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
        // Not locked: what goes wrong in another thread must find its way there too.
        let mut err = io::stderr();
        let mut streams = Streams { input: &mut input, out: &mut out, err: &mut err };
        let code = run(
            &machine,
            &Servers { serve, bridge: BRIDGE, opencode_turn, mcp, lsp },
            &mut streams,
        );
        // A reader that has gone is no error, and one that has not was flushed to already.
        drop(out.flush());
        code
    });
    ExitCode::from(done.unwrap_or(if is_hook { 0 } else { BUG }))
}

/// Writes what is done to standard error; a hook, whose output belongs to the agent, to its log file.
fn start_log(machine: &ProcessEnv, level: &str) {
    let is_hook = is_hook(&machine.args);
    let Ok(level) = level.parse::<LevelFilter>() else {
        if !is_hook {
            let levels = "error, warn, info, debug and trace";
            let message = format!("Warning: SKEIN_LOG is not one of {levels}: {level}\n");
            // Without standard error, no warning is possible.
            drop(io::stderr().write_all(message.as_bytes()));
        }
        return;
    };
    // Crates of others log what they transport.
    let own = Targets::new().with_target("skein", level);
    let log = fmt().with_max_level(level).with_ansi(false);
    match machine.hook_log() {
        Some(file) if is_hook => log.with_writer(Mutex::new(file)).finish().with(own).init(),
        _ if is_hook => {}
        _ => log.with_writer(io::stderr).finish().with(own).init(),
    }
}

fn serve(request: ServeRequest) -> Result<Serving, ServerError> {
    let ServeRequest { env, query, port, read_only } = request;
    let options = ServeOptions { port, read_only, query, chat_server: skein_bridge::server };
    let bound = skein_web::bind(env, &options).map_err(cannot_serve)?;
    Ok(Serving {
        address: bound.address(),
        opening: bound.opening(),
        port: bound.port(),
        token: bound.token().to_owned(),
        root: bound.root().to_owned(),
        is_served_already: bound.is_served_already(),
        run: Box::new(|| bound.run().map_err(cannot_serve)),
    })
}

fn mcp(request: McpRequest) -> Result<(), ServerError> {
    let McpRequest { env, is_dir_given, read_only } = request;
    let dir = env.dir.clone();
    let start = if is_dir_given { StartDir::Given(dir) } else { StartDir::Guessed(dir) };
    let served = streams().and_then(|(input, output)| {
        skein_mcp::serve(McpOptions { env, start, read_only, input, output })
    });
    served.map_err(|error| ServerError { hint: None, source: Box::new(error) })
}

fn lsp(request: LspRequest) -> Result<bool, ServerError> {
    let served = streams().and_then(|(input, output)| {
        skein_lsp::serve(LspOptions { env: request.env, input, output })
    });
    served.map_err(|error| ServerError { hint: None, source: Box::new(error) })
}

/// Returns standard input and output. Those of the process are locked, and not used while a server runs.
fn streams() -> io::Result<(File, File)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

fn cannot_serve(error: BindError) -> ServerError {
    ServerError { hint: error.hint(), source: Box::new(error) }
}

fn print_note(text: &str) {
    // Without standard error, no message is possible.
    drop(writeln!(io::stderr(), "{text}"));
}

fn bridge_error(error: BridgeError) -> ServerError {
    ServerError { hint: error.hint(), source: Box::new(error) }
}

fn service_options() -> ServiceOptions {
    ServiceOptions {
        manager: ServiceManager::of_this_system(),
        program: std::env::current_exe().ok(),
        search_path: search_path().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

fn service_error(error: ServiceError) -> ServerError {
    ServerError { hint: error.hint(), source: Box::new(error) }
}

fn local_error(error: ControlError) -> ServerError {
    ServerError { hint: error.hint(), source: Box::new(error) }
}

fn machine() -> ProcessEnv {
    let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    ProcessEnv {
        args: std::env::args_os().collect(),
        dir: current_dir(),
        home: path("HOME"),
        config_home: path("XDG_CONFIG_HOME"),
        state_home: path("XDG_STATE_HOME"),
        cache_home: path("XDG_CACHE_HOME"),
        variables: wanted_variables(),
        users: users(),
        no_color: variable("NO_COLOR").is_some_and(|value| !value.is_empty()),
        now,
        local_time,
        random,
        stdin_is_terminal: io::stdin().is_terminal(),
        stdout_is_terminal: io::stdout().is_terminal(),
        stderr_is_terminal: io::stderr().is_terminal(),
        is_output_closed,
        width: terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
        has_program,
        program: std::env::current_exe().ok(),
    }
}

/// Looks for a file that can be run in the directories of the search path.
fn has_program(name: &str) -> bool {
    let path = search_path().unwrap_or_default();
    std::env::split_paths(&path).any(|dir| {
        let file = dir.join(name).metadata();
        file.is_ok_and(|file| file.is_file() && is_executable(&file))
    })
}

/// Returns the environment for programs, with a search path without relative entries.
fn environment() -> Vec<(OsString, OsString)> {
    let others = std::env::vars_os().filter(|(name, _)| name != "PATH");
    others.chain(search_path().map(|path| ("PATH".into(), path))).collect()
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn wanted_variables() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| is_wanted(name))
        .collect()
}

/// Returns the user that the program runs as, and for root the one that called `sudo`, as git does.
fn users() -> Vec<u32> {
    let user = current_user();
    let caller = variable("SUDO_UID").filter(|_| user == 0);
    let caller = caller.and_then(|uid| uid.to_str()?.parse().ok());
    caller.into_iter().chain([user]).collect()
}

#[expect(clippy::disallowed_methods, reason = "the one place that asks for the directory")]
fn current_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "the one place that asks for the time")]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn local_time(millis: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    moment.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Asks the system, which has random bits on every machine that runs this program.
fn random() -> u128 {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random bits");
    u128::from_ne_bytes(bytes)
}
