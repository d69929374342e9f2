use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use skein_fixtures::Fixture;
use skein_standin::{CannedReply, StandIn};

use super::*;

const FILE: &str = "home/.config/skein/bridge.toml";
const BOT: &str = r#"{"id":"bot","username":"skein","is_bot":true}"#;
const ADA: &str = r#"{"id":"ada","username":"ada"}"#;
const DIRECT: &str = r#"{"id":"direct","type":"D","name":"ada__bot"}"#;
const MISSING: &str = r#"{"id":"missing","message":"Not there."}"#;
const PAGE: &str = "<html>";
const MODELS: &str =
    r#"{"providers":[{"models":{"echo":{"id":"echo","name":"Echo","providerID":"fake"}}}]}"#;
const CHAT: &[Answer] = &[
    ("/users/me", 200, BOT),
    ("/users/username/ada", 200, ADA),
    ("POST /channels/direct", 201, DIRECT),
    ("GET /channels/direct", 200, DIRECT),
];

/// The end of a path, and the status and the body of the answer.
type Answer = (&'static str, u16, &'static str);

/// Answers a request. What is not JSON is of another program.
fn answer(path: &str, answers: &[Answer]) -> CannedReply {
    let found = answers.iter().find(|(end, ..)| path.ends_with(end));
    if found.is_none() && path.ends_with("/global/health") {
        // No version is known.
        return CannedReply::unrecorded(404, "", "");
    }
    match found.copied().unwrap_or(("", 404, MISSING)) {
        (_, status, body @ (PAGE | "")) => CannedReply::unrecorded(status, "", body),
        (_, status, body) => CannedReply::json(status, body),
    }
}

/// A machine on which the bridge is set up.
struct Setup {
    fixture: Fixture,
    settings: String,
    token: &'static str,
    environment: Vec<(OsString, OsString)>,
    _servers: [StandIn; 2],
    /// The check has a runtime of its own, and blocks.
    _runtime: tokio::runtime::Runtime,
}

impl Setup {
    fn new(chat: &'static [Answer], agent: &'static [Answer]) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let serve = |answers| StandIn::start(move |request| answer(request.path(), answers));
        let servers = [runtime.block_on(serve(chat)), runtime.block_on(serve(agent))];
        let [chat, agent] = [servers[0].address(), servers[1].address()];
        let settings = format!(
            "owners = [\"@ada\"]\ndirectories = [\"~/src\"]\n[mattermost]\naddress = \"{chat}\"\n\
            token_file = \"~/token\"\n[opencode]\naddress = \"{agent}\"\n"
        );
        let fixture = Fixture::new();
        fixture.dir("home/src");
        let (token, environment) = ("secret", Vec::new());
        Self { fixture, settings, token, environment, _servers: servers, _runtime: runtime }
    }

    fn replace(mut self, from: &str, to: &str) -> Self {
        assert!(self.settings.contains(from), "{from}");
        self.settings = self.settings.replacen(from, to, 1);
        self
    }

    /// Uses a program instead of a running server.
    fn with_program(mut self, program: &str) -> Self {
        let (before, _) = self.settings.split_once("[opencode]").unwrap();
        self.settings = format!("{before}[opencode]\nprogram = \"{program}\"\n");
        self
    }

    /// Returns the steps, one line each, without those that passed.
    fn problems(&self) -> String {
        let report = self.run();
        let steps = report.steps.iter().filter(|step| step.state != CheckState::Ok);
        let has_failed = report.steps.iter().any(|step| step.state == CheckState::Failed);
        assert_eq!(report.ok, !has_failed);
        steps.map(|step| self.line(step)).collect()
    }

    fn run(&self) -> BridgeCheck {
        self.fixture.file(FILE, &self.settings);
        set_mode(self.fixture.file("home/token", self.token), 0o600);
        let report = check(&self.fixture.env(""), self.environment.clone());
        let shown = format!("{report:?}");
        assert!(!shown.contains("secret"), "{shown}");
        report
    }

    fn line(&self, step: &BridgeCheckStep) -> String {
        let hint = step.hint.as_ref().map(|hint| format!("\n  {hint}")).unwrap_or_default();
        let detail = step.detail.replace(FILE, "FILE");
        let line = format!("{} {}: {detail}{hint}\n", step.state.as_str(), step.name);
        let mut line = self.fixture.shorten(&line);
        for (number, address) in
            self.settings.split('"').filter(|it| it.starts_with("http")).enumerate()
        {
            line = line.replace(address, ["CHAT", "AGENT"][number]);
        }
        line
    }
}

fn set_mode(path: PathBuf, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

const AGENT: &[Answer] = &[("/config/providers", 200, MODELS)];

#[test]
fn every_step_of_a_good_setup_passes() {
    let setup = Setup::new(CHAT, &[("/config/providers", 200, MODELS)]);
    let lines: String = setup.run().steps.iter().map(|step| setup.line(step)).collect();
    let expected = "ok settings: FILE\n\
        ok directories: home/src\n\
        ok mattermost: CHAT\n\
        ok token: of the bot @skein\n\
        ok users: 1 owner, 0 other users\n\
        ok channel: direct messages with the first owner\n\
        ok opencode: AGENT, 1 model\n";
    assert_eq!(lines, expected);
}

#[test]
fn without_settings_nothing_else_is_checked() {
    let fixture = Fixture::new();
    let report = check(&fixture.env(""), Vec::new());
    let names: Vec<_> = report.steps.iter().map(|step| (step.name, step.state)).collect();
    let skipped = ["directories", "mattermost", "token", "users", "channel", "opencode"];
    let skipped = skipped.map(|name| (name, CheckState::Skipped));
    assert_eq!(names[0], ("settings", CheckState::Failed));
    assert_eq!(names[1..], skipped);
    assert!(!report.ok);
    let hint = report.steps[0].hint.as_deref().unwrap();
    assert_eq!(hint, "write the settings first; `skein bridge --help` shows an example");
}

#[test]
fn directories_that_are_missing_or_files_are_named() {
    let hint = "create the directory, or correct `directories`";
    let setup = Setup::new(CHAT, AGENT).replace("~/src", "~/source");
    let expected = format!(
        "failed directories: does not exist: home/source\n  {hint}\nskipped opencode: not checked\n"
    );
    assert_eq!(setup.problems(), expected);
    let setup = Setup::new(CHAT, AGENT).replace("\"~/src\"", "\"~/src\", \"~/token\"");
    setup.run();
    let expected = format!("warning directories: not a directory: home/token\n  {hint}\n");
    assert_eq!(setup.problems(), expected);
}

#[test]
fn a_token_that_is_missing_or_wrong_is_told_apart_from_a_wrong_address() {
    let setup = Setup::new(CHAT, AGENT).replace("token_file = \"~/token\"\n", "");
    let expected = format!(
        "skipped mattermost: not checked\nfailed token: the token of the bot is not set\n  \
        {CREATE_TOKEN}\nskipped users: not checked\nskipped channel: not checked\n"
    );
    assert_eq!(setup.problems(), expected);

    let mut setup = Setup::new(CHAT, AGENT);
    setup.token = "two\nlines";
    let expected = "failed token: the token contains invalid characters\n  \
        the file must contain only the token, on one line\n";
    assert!(setup.problems().contains(expected), "{}", setup.problems());

    let setup = Setup::new(&[("/users/me", 401, "{}")], AGENT);
    let expected = "failed token: the server does not accept it\n  \
        copy the token again; Mattermost shows it only when it is created\n\
        skipped users: not checked\nskipped channel: not checked\n";
    assert_eq!(setup.problems(), expected);

    const OTHERS: [&[Answer]; 3] = [&[("/users/me", 200, PAGE)], &[("/users/me", 301, "")], &[]];
    for answers in OTHERS {
        let problems = Setup::new(answers, AGENT).problems();
        assert!(problems.starts_with("failed mattermost: no Mattermost server answers at CHAT: "));
        let rest = format!(
            "\n  {SERVER_ADDRESS}\nskipped token: not checked\nskipped users: not checked\n\
            skipped channel: not checked\n"
        );
        assert!(problems.ends_with(&rest), "{problems}");
    }
}

#[test]
fn the_token_of_a_person_is_a_warning() {
    const PERSON: &[Answer] = &[
        ("/users/me", 200, ADA),
        ("/users/username/ada", 200, ADA),
        ("POST /channels/direct", 201, DIRECT),
        ("GET /channels/direct", 200, DIRECT),
    ];
    let problems = Setup::new(PERSON, AGENT).problems();
    assert!(problems.starts_with("warning token: of @ada, who is not a bot\n"), "{problems}");
}

#[test]
fn an_address_without_encryption_is_a_warning_unless_it_is_this_machine() {
    let check = |address: &str| {
        let mut report = Report::default();
        report_server(address, &mut report);
        report.steps[0].state
    };
    assert_eq!(check("http://chat.example.org"), CheckState::Warning);
    assert_eq!(check("http://127.0.0.1.example.org:80/"), CheckState::Warning);
    for local in ["https://chat", "http://127.0.0.1:80", "http://localhost/a", "http://[::1]:80"] {
        assert_eq!(check(local), CheckState::Ok, "{local}");
    }
}

#[test]
fn unknown_users_and_channels_are_named() {
    let setup = Setup::new(CHAT, AGENT).replace("@ada", "@eve");
    let expected = "failed users: the server has no such active user: @eve\n  \
        write each user as `@` and the name that Mattermost shows in the profile\n\
        skipped channel: not checked\n";
    assert_eq!(setup.problems(), expected);
    let setup =
        Setup::new(CHAT, AGENT).replace("[mattermost]", "channel = \"team/none\"\n[mattermost]");
    let expected = "failed channel: the bot cannot see the channel team/none\n  \
        add the bot to the team, then write `/invite @skein` in the channel\n";
    assert_eq!(setup.problems(), expected);
}

#[test]
fn an_owner_who_is_gone_is_a_warning_if_another_remains() {
    const WITH_GONE: &[Answer] = &[
        ("/users/username/gone", 200, r#"{"id":"gone","username":"gone","delete_at":7}"#),
        ("/users/me", 200, BOT),
        ("/users/username/ada", 200, ADA),
        ("POST /channels/direct", 201, DIRECT),
        ("GET /channels/direct", 200, DIRECT),
    ];
    let owners = "\"@eve\", \"@gone\", \"@ada\"";
    let setup = Setup::new(WITH_GONE, AGENT).replace("\"@ada\"", owners);
    let warning =
        |name: &str| format!("warning users: no such active user: {name}\n  {USER_NAMES}\n");
    assert_eq!(setup.problems(), warning("@eve") + &warning("@gone"));
    // Also if the channel is wrong.
    let setup = setup.replace("[mattermost]", "channel = \"team/none\"\n[mattermost]");
    assert!(setup.problems().starts_with(&(warning("@eve") + &warning("@gone"))));
    let setup = Setup::new(WITH_GONE, AGENT).replace("@ada", "@gone");
    let failed = "failed users: the server has no such active user: @gone\n";
    assert!(setup.problems().starts_with(failed), "{}", setup.problems());
}

#[test]
fn a_running_server_of_opencode_is_tried() {
    const LOCKED: &[Answer] = &[("/config/providers", 401, "")];
    let hint = "write the password of the server to a file, and set `opencode.password_file`";
    let expected = format!("failed opencode: the server requires a password\n  {hint}\n");
    assert_eq!(Setup::new(CHAT, LOCKED).problems(), expected);
    let setup = Setup::new(CHAT, LOCKED);
    let setup = setup.replace("[opencode]\n", "[opencode]\npassword_file = \"~/token\"\n");
    let expected = format!("failed opencode: the server does not accept the password\n  {hint}\n");
    assert_eq!(setup.problems(), expected);
    let problems = Setup::new(CHAT, &[("/config/providers", 404, PAGE)]).problems();
    let start = "failed opencode: no OpenCode server answers at AGENT: ";
    assert!(problems.starts_with(start) && problems.contains(AGENT_ADDRESS), "{problems}");
    let none = Setup::new(CHAT, &[("/config/providers", 200, "{\"providers\":[]}")]);
    let expected = "warning opencode: AGENT has no models\n  \
        `opencode auth login` connects a provider of models\n";
    assert_eq!(none.problems(), expected);
    // Nothing listens at the port of a listener that is gone.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let setup = Setup::new(CHAT, AGENT);
    let (before, _) = setup.settings.split_once("[opencode]").unwrap();
    let settings = format!("{before}[opencode]\naddress = \"http://{free}\"\n");
    let problems = Setup { settings, ..setup }.problems();
    let start = "failed opencode: AGENT: cannot reach the OpenCode server: ";
    assert!(problems.starts_with(start), "{problems}");
    assert!(problems.contains("start it with `opencode serve`"), "{problems}");
}

#[test]
fn a_program_that_is_missing_or_does_not_start_is_named() {
    let setup = Setup::new(CHAT, AGENT).with_program("~/agent");
    setup.fixture.link("home/agent", "/bin/ls");
    let problems = setup.problems();
    let start = "failed opencode: OpenCode ended with exit status: 2 while it started:\n";
    assert!(problems.starts_with(start), "{problems}");
    // What the program printed.
    assert!(problems.contains("hostname"), "{problems}");
    let missing = |program: &str| {
        let hint = "install OpenCode, or set `opencode.program` to its path";
        format!("failed opencode: there is no program {program}\n  {hint}\n")
    };
    let setup = setup.with_program("~/token");
    assert_eq!(setup.problems(), missing("home/token"));
    let mut setup = setup.replace("program = \"~/token\"\n", "");
    assert_eq!(setup.problems(), missing("opencode"));
    setup.environment = vec![("PATH".into(), setup.fixture.path("home/src").into())];
    assert_eq!(setup.problems(), missing("opencode"));
}

const TOWN: &str = r#"{"id":"town","type":"O","name":"town-square"}"#;

#[test]
fn a_channel_that_the_bot_is_not_in_is_named() {
    const OUTSIDE: &[Answer] = &[
        ("/users/me", 200, BOT),
        ("/users/username/ada", 200, ADA),
        ("/teams/name/team/channels/name/town-square", 200, TOWN),
        ("/users/me/channels", 200, "[]"),
        ("/channels/town", 200, TOWN),
    ];
    const INSIDE: &[Answer] = &[
        ("/users/me", 200, BOT),
        ("/users/username/ada", 200, ADA),
        ("/teams/name/team/channels/name/town-square", 200, TOWN),
        ("/users/me/channels", 200, r#"[{"id":"town","type":"O","name":"town-square"}]"#),
        ("/channels/town", 200, TOWN),
    ];
    let problems = |answers| {
        let setup = Setup::new(answers, AGENT);
        setup.replace("[mattermost]", "channel = \"team/town-square\"\n[mattermost]").problems()
    };
    let expected = "failed channel: @skein is not a member of team/town-square, and hears nothing there\n  \
        add the bot to the team, then write `/invite @skein` in the channel\n";
    assert_eq!(problems(OUTSIDE), expected);
    assert_eq!(problems(INSIDE), "");
}

#[test]
fn a_bridge_that_is_running_with_the_bot_is_named() {
    let setup = Setup::new(CHAT, AGENT);
    let env = setup.fixture.env("");
    let (running, _) = crate::state_dir::StateDir::open(&env, "bot").unwrap();
    let expected = "failed bridge: a bridge is running with @skein on this machine\n  \
        nothing has to be started; to start another one, stop this one first\n";
    assert_eq!(setup.problems(), expected);
    drop(running);
    assert_eq!(setup.problems(), "");
}

#[test]
fn the_version_of_opencode_is_shown_and_another_one_is_refused() {
    const OLD: &[Answer] = &[
        ("/config/providers", 200, MODELS),
        ("/global/health", 200, r#"{"healthy":true,"version":"1.1.27"}"#),
    ];
    const NEW: &[Answer] = &[
        ("/config/providers", 200, MODELS),
        ("/global/health", 200, r#"{"healthy":true,"version":"2.0.1"}"#),
    ];
    let setup = Setup::new(CHAT, OLD);
    let last = setup.run().steps.pop().unwrap();
    assert_eq!(setup.line(&last), "ok opencode: AGENT 1.1.27, 1 model\n");
    let expected = format!(
        "failed opencode: OpenCode 2.0.1 is not supported: install a version 1, such as 1.18\n  {INSTALL_VERSION_1}\n"
    );
    assert_eq!(Setup::new(CHAT, NEW).problems(), expected);
}
