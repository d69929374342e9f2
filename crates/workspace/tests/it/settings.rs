use skein_workspace::settings;
use skein_workspace::settings::{KEYS, SetError, SettingKey, SettingOrigin, Value};

use skein_fixtures::Fixture;

const USER: &str = "home/.config/skein/config.toml";
const REPOSITORY: &str = "repo/.skein.toml";

fn key(name: &str) -> &'static SettingKey {
    KEYS.iter().find(|key| key.name == name).unwrap()
}

/// Compares the value of a key and its origin.
#[track_caller]
fn check(fixture: &Fixture, name: &str, expected: &str) {
    let (settings, _) = settings::load(&fixture.env("repo"), &fixture.path("repo"));
    let (value, origin) = settings.get(key(name));
    let origin = match origin {
        SettingOrigin::BuiltIn => "built in".to_owned(),
        SettingOrigin::File(path) => fixture.shorten(&path.display().to_string()),
        SettingOrigin::Variable(name) => name,
        SettingOrigin::Flag => "flag".to_owned(),
    };
    let value = value.map_or("none".to_owned(), |value| value.to_string());
    assert_eq!(format!("{value} ({origin})"), expected);
}

#[track_caller]
fn check_findings(fixture: &Fixture, expected: &[&str]) {
    let (_, found) = settings::load(&fixture.env("repo"), &fixture.path("repo"));
    let found: Vec<String> = found
        .iter()
        .map(|diag| {
            let line = diag.line.map_or(String::new(), |line| format!(":{line}"));
            fixture.shorten(&format!("{}{line}: {} {}", diag.path, diag.code, diag.message))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_later_layer_overrides_an_earlier_one() {
    let mut fixture = Fixture::new();
    check(&fixture, "session.lenient", "false (built in)");
    fixture.file(USER, "[session]\nlenient = true\n");
    check(&fixture, "session.lenient", &format!("true ({USER})"));
    fixture.file(REPOSITORY, "session.lenient = false\n");
    check(&fixture, "session.lenient", &format!("false ({REPOSITORY})"));
    fixture.variables.insert("SKEIN_SESSION_LENIENT".to_owned(), "true".to_owned());
    check(&fixture, "session.lenient", "true (SKEIN_SESSION_LENIENT)");
    let (mut settings, _) = settings::load(&fixture.env("repo"), &fixture.path("repo"));
    settings.be_lenient();
    assert_eq!(settings.get(key("session.lenient")).1, SettingOrigin::Flag);
    check_findings(&fixture, &[]);
}

#[test]
fn an_unknown_key_names_the_nearest_one() {
    let fixture = Fixture::new();
    fixture
        .file(USER, "colour = \"never\"\n[reviews]\nagent = []\n[nothing]\nlike = \"it at all\"\n");
    check_findings(
        &fixture,
        &[
            &format!(
                "{USER}:1: settings-unknown-key there is no setting `colour`; did you mean `color`?"
            ),
            &format!(
                "{USER}:3: settings-unknown-key there is no setting `reviews.agent`; did you mean `review.agents`?"
            ),
            &format!("{USER}:5: settings-unknown-key there is no setting `nothing.like`"),
        ],
    );
}

#[test]
fn a_repository_sets_only_what_is_safe() {
    let fixture = Fixture::new();
    fixture.file(
        REPOSITORY,
        "color = \"always\"\n[review]\nagents = [\"Robo\"]\nstorage_path = \"../elsewhere\"\n[session]\nmap = \"/etc/passwd\"\n",
    );
    check_findings(
        &fixture,
        &[
            &format!("{REPOSITORY}:1: settings-unsafe `color` cannot be set by a repository"),
            &format!(
                "{REPOSITORY}:4: settings-unsafe `review.storage_path` must be inside the repository"
            ),
            &format!("{REPOSITORY}:6: settings-unsafe `session.map` must be inside the repository"),
        ],
    );
    check(&fixture, "color", "auto (built in)");
    check(&fixture, "review.agents", &format!("Robo ({REPOSITORY})"));
    check(&fixture, "review.storage_path", "none (built in)");
    check(&fixture, "session.map", "none (built in)");
}

#[test]
fn a_path_is_relative_to_the_file_that_sets_it() {
    let mut fixture = Fixture::new();
    let map = |fixture: &Fixture| {
        let (settings, _) = settings::load(&fixture.env("repo"), &fixture.path("repo"));
        fixture.shorten(&settings.session_map().unwrap().path().display().to_string())
    };
    fixture.file(USER, "session.map = \"~/maps/own.json\"\n");
    assert_eq!(map(&fixture), "home/maps/own.json");
    fixture.file(REPOSITORY, "session.map = \"maps/theirs.json\"\n");
    assert_eq!(map(&fixture), "repo/maps/theirs.json");
    fixture.variables.insert("SKEIN_SESSION_MAP".to_owned(), "here.json".to_owned());
    assert_eq!(map(&fixture), "repo/here.json");
    fixture.variables.insert("SKEIN_SESSION_MAP".to_owned(), "~/own.json".to_owned());
    assert_eq!(map(&fixture), "home/own.json");
}

#[test]
fn a_value_of_the_wrong_type_is_ignored() {
    let mut fixture = Fixture::new();
    fixture
        .file(USER, "color = \"sometimes\"\nreview.agents = \"Robo\"\nsession = { lenient = 1 }\n");
    fixture.variables.insert("SKEIN_REVIEW_STORAGE_PATH".to_owned(), "/tmp/x".to_owned());
    let bad = "settings-bad-value";
    check_findings(
        &fixture,
        &[
            &format!("{USER}:1: {bad} `color` takes `auto`, `always` or `never`"),
            &format!(
                "{USER}:2: {bad} `review.agents` takes a list of names, with commas between them"
            ),
            &format!("{USER}:3: {bad} `session.lenient` takes `true` or `false`"),
            &format!(
                "SKEIN_REVIEW_STORAGE_PATH: {bad} `review.storage_path` takes a path inside the workspace"
            ),
        ],
    );
    check(&fixture, "color", "auto (built in)");
}

#[test]
fn a_file_that_is_not_valid_toml_is_ignored() {
    let fixture = Fixture::new();
    fixture.file(USER, "# fine\ncolor = \"never\"\nreview = [\n");
    let (_, found) = settings::load(&fixture.env("repo"), &fixture.path("repo"));
    let [diag] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((diag.code, diag.line), ("settings-bad", Some(3)));
    assert!(!diag.message.is_empty());
    check(&fixture, "color", "auto (built in)");
}

#[test]
fn a_file_that_is_not_utf_8_and_a_directory_are_ignored() {
    let fixture = Fixture::new();
    fixture.file(USER, b"# caf\xe9\ncolor = \"never\"\n");
    fixture.dir(REPOSITORY);
    let (_, found) = settings::load(&fixture.env("repo"), &fixture.path("repo"));
    let got: Vec<_> = found.iter().map(|diag| (diag.code, diag.line)).collect();
    assert_eq!(got, [("settings-bad", Some(1)), ("settings-bad", None)]);
}

#[track_caller]
fn check_set(before: &str, name: &str, value: &Value, after: &str) {
    let fixture = Fixture::new();
    fixture.file(USER, before);
    settings::set(&fixture.env(""), key(name), value).unwrap();
    assert_eq!(fixture.read(USER), after);
}

#[test]
fn setting_a_key_keeps_everything_else() {
    let never = Value::Text("never".to_owned());
    let robo = Value::List(vec!["Robo".to_owned(), "R2".to_owned()]);
    check_set("", "color", &never, "color = \"never\"\n");
    check_set(
        "# mine\ncolor = \"auto\" # why\n\nother = 1\n",
        "color",
        &never,
        "# mine\ncolor = \"never\" # why\n\nother = 1\n",
    );
    check_set(
        "[session]\nlenient = true\n",
        "review.agents",
        &robo,
        "[session]\nlenient = true\n\n[review]\nagents = [\"Robo\", \"R2\"]\n",
    );
    check_set(
        "[review] # ours\nunknown = 1\n# end\n",
        "review.agents",
        &robo,
        "[review] # ours\nunknown = 1\nagents = [\"Robo\", \"R2\"]\n# end\n",
    );
    check_set(
        "review.agents = []\n",
        "review.agents",
        &robo,
        "review.agents = [\"Robo\", \"R2\"]\n",
    );
    check_set(
        "[session]\nlenient = true\n",
        "color",
        &never,
        "color = \"never\"\n[session]\nlenient = true\n",
    );
}

#[test]
fn line_endings_are_kept() {
    let never = Value::Text("never".to_owned());
    check_set(
        "# mine\r\ncolor = \"auto\"\r\nother = 1\r\n",
        "color",
        &never,
        "# mine\r\ncolor = \"never\"\r\nother = 1\r\n",
    );
    check_set(
        "# mine\r\n[session]\r\nmap = \"a\"\r\n",
        "session.lenient",
        &Value::Flag(true),
        "# mine\r\n[session]\r\nmap = \"a\"\r\nlenient = true\r\n",
    );
    check_set("other = 1", "color", &never, "other = 1\ncolor = \"never\"\n");
}

#[test]
fn setting_the_first_key_creates_the_file() {
    let fixture = Fixture::new();
    fixture.dir("home");
    let path = settings::set(&fixture.env(""), key("session.lenient"), &Value::Flag(true)).unwrap();
    assert_eq!(path, fixture.path(USER));
    assert_eq!(fixture.read(USER), "[session]\nlenient = true\n");
}

#[test]
fn unsetting_a_key_keeps_everything_else() {
    let fixture = Fixture::new();
    fixture.file(USER, "# mine\nother = 1\n\n[session] # ours\nlenient = true\nmap = \"a\"\n");
    settings::unset(&fixture.env(""), key("session.lenient")).unwrap();
    assert_eq!(fixture.read(USER), "# mine\nother = 1\n\n[session] # ours\nmap = \"a\"\n");
}

#[track_caller]
fn check_unset(before: &str, name: &str, after: &str) {
    let fixture = Fixture::new();
    fixture.file(USER, before);
    settings::unset(&fixture.env(""), key(name)).unwrap();
    assert_eq!(fixture.read(USER), after);
}

#[test]
fn unsetting_removes_only_the_key() {
    check_unset("# mine\r\ncolor = \"a\" # why\r\n# end\r\n", "color", "# mine\r\n# end\r\n");
    check_unset("color = \"never\"", "color", "");
    check_unset(
        "session.lenient = true\nsession.map = \"a\"\n",
        "session.lenient",
        "session.map = \"a\"\n",
    );
    check_unset("[review]\nagents = [\n  \"A\",\n]\n# end\n", "review.agents", "[review]\n# end\n");
    check_unset(
        "session = { lenient = true, map = \"a\" }\n",
        "session.lenient",
        "session = { map = \"a\" }\n",
    );
}

#[test]
fn unsetting_a_key_that_is_not_set_writes_nothing() {
    let fixture = Fixture::new();
    fixture.dir("home/.config");
    let before = fixture.tree();
    settings::unset(&fixture.env(""), key("color")).unwrap();
    assert_eq!(fixture.tree(), before);
    fixture.file(USER, "# mine\n");
    let before = fixture.tree();
    settings::unset(&fixture.env(""), key("session.map")).unwrap();
    assert_eq!(fixture.tree(), before);
}

#[test]
fn an_invalid_file_is_not_written() {
    let never = Value::Text("never".to_owned());
    let agents = Value::List(vec!["Robo".to_owned()]);
    for (content, name, value) in [
        (&b"color = \n"[..], "color", &never),
        (b"# caf\xe9\n", "color", &never),
        (b"review = \"odd\"\n", "review.agents", &agents),
    ] {
        let fixture = Fixture::new();
        fixture.file(USER, content);
        let before = fixture.tree();
        settings::set(&fixture.env(""), key(name), value).unwrap_err();
        assert_eq!(fixture.tree(), before);
    }
}

#[test]
fn without_a_home_directory_no_key_can_be_set() {
    let fixture = Fixture::new();
    let mut env = fixture.env("");
    env.config_home = None;
    let error = settings::set(&env, key("session.lenient"), &Value::Flag(true)).unwrap_err();
    assert!(matches!(error, SetError::NoHome), "{error}");
}
