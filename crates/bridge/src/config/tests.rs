use std::os::unix::fs::PermissionsExt as _;

use skein_fixtures::Fixture;

use super::*;

const FILE: &str = "home/.config/skein/bridge.toml";
const SETTINGS: &str = r#"owners = ["@ada"]
directories = ["~/src"]
[mattermost]
address = "https://chat.example.org"
token_file = "~/token"
"#;
const SECRET: &str = "q1w2e3r4t5z6u7i8o9p0a1s2d3";

/// Writes settings, and a token that only the user can read.
fn prepare(settings: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.file(FILE, settings);
    write_token(&fixture, SECRET, 0o600);
    fixture
}

fn write_token(fixture: &Fixture, text: &str, mode: u32) {
    let path = fixture.file("home/token", text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn error(fixture: &Fixture) -> ConfigError {
    let env = fixture.env("");
    let token = || Config::load(&env)?.token(&env);
    token().unwrap_err()
}

/// Checks the message for settings in which `from` is replaced by `to`.
#[track_caller]
fn check(from: &str, to: &str, expected: &str) {
    assert!(SETTINGS.contains(from), "{from}");
    let fixture = prepare(&SETTINGS.replacen(from, to, 1));
    let error = error(&fixture);
    let message = fixture.shorten(&error.to_string()).replace(FILE, "FILE");
    assert_eq!(message, expected);
    assert!(!error.hint().is_empty());
    let shown = format!("{error} {error:?} {}", error.hint());
    assert!(!shown.contains(SECRET), "{shown}");
}

#[test]
fn settings_have_defaults_for_all_that_is_not_required() {
    let fixture = prepare(SETTINGS);
    let env = fixture.env("");
    let config = Config::load(&env).unwrap();
    assert_eq!(config.approvals, ApprovalSetting::Owners);
    assert!(config.start_from_chat && !config.reasoning);
    assert_eq!((config.prefix.as_str(), config.max_file_mb), ("!", 20));
    assert_eq!(config.program(&env), Path::new("opencode"));
    assert_eq!(config.token(&env).unwrap(), Secret::new(SECRET));
    assert!(config.password(&env).unwrap().is_none());
}

#[test]
fn every_setting_can_be_set() {
    let fixture = prepare(
        r#"owners = ["@ada", "abcdefghijklmnopqrstuvwxyz"]
users = ["@ben.d_e-f"]
directories = ["/src", "~/src"]
channel = "team/town-square"
approvals = "all"
start_from_chat = false
prefix = "??"
reasoning = true
max_file_mb = 1
[mattermost]
address = "http://127.0.0.1:8065/chat"
[opencode]
address = "http://127.0.0.1:4096"
password_file = "~/token"
program = "~/bin/opencode"
"#,
    );
    let mut env = fixture.env("");
    env.variables.insert(TOKEN_VARIABLE.to_owned(), " of the variable\n".to_owned());
    let config = Config::load(&env).unwrap();
    assert_eq!(config.approvals, ApprovalSetting::All);
    assert_eq!(config.token(&env).unwrap(), Secret::new("of the variable"));
    assert!(config.password(&env).unwrap().is_some());
    assert_eq!(config.program(&env), fixture.path("home/bin/opencode"));
}

#[test]
fn a_missing_file_and_a_missing_home_are_told_apart() {
    let fixture = Fixture::new();
    let error = error(&fixture);
    assert_eq!(fixture.shorten(&error.to_string()), format!("there is no settings file: {FILE}"));
    assert!(error.hint().contains("`skein bridge --help`"));
    let env = Env { config_home: None, ..fixture.env("") };
    assert!(matches!(Config::load(&env), Err(ConfigError::NoHome)));
}

#[test]
fn mistakes_in_the_text_are_named_with_their_line() {
    check("owners = [", "owners [", "FILE:1: key with no value, expected `=`");
    let keys = "expected one of `owners`, `users`, `directories`, `channel`, `approvals`, \
        `start_from_chat`, `prefix`, `reasoning`, `max_file_mb`, `max_prompts_per_minute`, \
        `mattermost`, `opencode`";
    check("owners", "owner", &format!("FILE:1: unknown field `owner`, {keys}"));
    check(
        "[\"~/src\"]",
        "\"~/src\"",
        "FILE:2: invalid type: string \"~/src\", expected a sequence",
    );
    check("owners = [\"@ada\"]\n", "", "FILE:1: missing field `owners`");
    let to = "approvals = \"owner\"\n[mattermost]";
    let expected = "FILE:3: unknown variant `owner`, expected `owners` or `all`";
    check("[mattermost]", to, expected);
}

#[test]
fn a_token_in_the_settings_is_not_repeated() {
    let known = "expected `address` or `token_file`";
    let expected = format!("FILE:5: unknown field `token`, {known}");
    check("token_file = \"~/token\"", &format!("token = \"{SECRET}\""), &expected);
    let expected = "FILE: `mattermost.token_file` must be the path of a file, absolute or starting with \
        `~/`, not the secret itself";
    check("\"~/token\"", &format!("\"{SECRET}\""), expected);
    let expected = "FILE: `mattermost.address` must not have a user or a password in it";
    check("https://", &format!("https://ada:{SECRET}@"), expected);
}

#[test]
fn values_that_cannot_be_used_are_named_with_their_rule() {
    check("[\"@ada\"]", "[]", "FILE: `owners` must name at least one user");
    let names = "must be names with `@`, such as `@ada`, or ids";
    check("\"@ada\"", "\"ada\"", &format!("FILE: `owners` {names}: ada"));
    let to = "users = [\"@\"]\ndirectories";
    check("directories", to, &format!("FILE: `users` {names}: @"));
    check("[\"~/src\"]", "[]", "FILE: `directories` must name at least one directory");
    let expected = "FILE: `directories` must be absolute, or start with `~/`: src";
    check("~/src", "src", expected);
    for channel in ["town-square", "https://chat/team/channels/a", "team/", "~a"] {
        let to = format!("channel = \"{channel}\"\n[mattermost]");
        let rule = "must be `team/channel`, with the names from the address of the channel";
        check("[mattermost]", &to, &format!("FILE: `channel` {rule}: {channel}"));
    }
    for prefix in ["", "a b", "/", "@skein"] {
        let to = format!("prefix = \"{prefix}\"\n[mattermost]");
        let rule = "must be text without spaces that does not start with `/` or `@`, which have a \
            meaning in Mattermost";
        check("[mattermost]", &to, &format!("FILE: `prefix` {rule}"));
    }
    let rule = "must start with `https://` or `http://` and a name";
    for address in ["chat.example.org", "https://", "https:///chat", "ws://chat"] {
        let expected = format!("FILE: `mattermost.address` {rule}: {address}");
        check("https://chat.example.org", address, &expected);
    }
    let to = "[opencode]\naddress = \"127.0.0.1:4096\"\n[mattermost]";
    check("[mattermost]", to, &format!("FILE: `opencode.address` {rule}: 127.0.0.1:4096"));
}

#[test]
fn a_secret_that_is_missing_empty_or_exposed_is_an_error() {
    check("token_file = \"~/token\"\n", "", "the token of the bot is not set");
    let expected = "the file that `mattermost.token_file` names does not exist: home/none";
    check("~/token", "~/none", expected);
    let fixture = prepare(SETTINGS);
    write_token(&fixture, " \n", 0o600);
    let expected = "the file that `mattermost.token_file` names is empty: home/token";
    assert_eq!(fixture.shorten(&error(&fixture).to_string()), expected);
    write_token(&fixture, SECRET, 0o640);
    let exposed = error(&fixture);
    assert_eq!(fixture.shorten(&exposed.to_string()), "other users can read home/token");
    assert_eq!(fixture.shorten(&exposed.hint()), "`chmod 600 home/token`");
    // The variable is used instead, and the file is not read.
    let mut env = fixture.env("");
    env.variables.insert(TOKEN_VARIABLE.to_owned(), SECRET.to_owned());
    assert!(Config::load(&env).unwrap().token(&env).is_ok());
    env.variables.insert(TOKEN_VARIABLE.to_owned(), " ".to_owned());
    assert!(Config::load(&env).unwrap().token(&env).is_err());
}

#[test]
fn debug_output_shows_no_secret() {
    let fixture = prepare(SETTINGS);
    let env = fixture.env("");
    let config = Config::load(&env).unwrap();
    let shown = format!("{config:?} {:?}", config.token(&env).unwrap());
    assert!(!shown.contains(SECRET), "{shown}");
}

#[test]
fn directories_are_those_that_exist_without_links() {
    let fixture =
        prepare(&SETTINGS.replace("\"~/src\"", "\"~/src\", \"~/link\", \"~/no\", \"~/token\""));
    let real = fixture.dir("home/src");
    fixture.dir("home/other");
    fixture.link("home/link", fixture.path("home/other"));
    let env = fixture.env("");
    let (found, missing) = Config::load(&env).unwrap().existing_directories(&env);
    let real = real.canonicalize().unwrap();
    assert_eq!(found, [real, fixture.path("home/other").canonicalize().unwrap()]);
    assert_eq!(missing, [fixture.path("home/no"), fixture.path("home/token")]);
}

#[test]
fn settings_that_others_can_change_are_refused() {
    let set_mode = |path: PathBuf, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let fixture = prepare(SETTINGS);
    let dir = "home/.config/skein";
    for (name, mode, safe_mode) in [(FILE, 0o602, 0o600), (dir, 0o777, 0o700)] {
        set_mode(fixture.path(name), mode);
        let error = error(&fixture);
        let message = fixture.shorten(&error.to_string());
        assert_eq!(message, format!("other users can change {name}"));
        assert!(error.hint().starts_with("`chmod go-w "), "{}", error.hint());
        set_mode(fixture.path(name), safe_mode);
    }
    assert!(Config::load(&fixture.env("")).is_ok());
}

#[test]
fn the_whole_file_system_is_refused_and_the_whole_home_directory_is_known() {
    let rule =
        "FILE: `directories` must not be the whole file system; name the directories of projects";
    for root in ["/", "/.", "/tmp/.."] {
        check("~/src", root, &format!("{rule}: {root}"));
    }
    let fixture = prepare(&SETTINGS.replacen("\"~/src\"", "\"~/src\", \"~/\"", 1));
    fixture.dir("home/src");
    let env = fixture.env("");
    let wide = Config::load(&env).unwrap().wide_directories(&env);
    assert_eq!(wide, [fixture.path("home").canonicalize().unwrap()]);
}

#[test]
fn only_another_machine_without_encryption_is_cleartext() {
    let far = ["http://chat.example.org", "http://127.0.0.1.example.org:80/", "http://10.0.0.1:80"];
    assert!(far.iter().all(|address| is_cleartext(address)));
    let near = ["https://chat", "http://127.0.0.1:80", "http://localhost/a", "http://[::1]:80"];
    assert!(!near.iter().any(|address| is_cleartext(address)));
    assert!(is_cleartext("http://[2001:db8::1]:80/a"));
}

#[test]
fn a_limit_of_no_prompts_is_refused() {
    let to = "max_prompts_per_minute = 0\n[mattermost]";
    check("[mattermost]", to, "FILE: `max_prompts_per_minute` must be at least 1");
}
