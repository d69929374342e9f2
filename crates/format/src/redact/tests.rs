use super::*;

fn check(text: &str, expected: &str) {
    let once = redact(text);
    assert_eq!(once, expected);
    assert_eq!(redact(&once), once);
}

#[test]
fn every_rule_finds_its_example_and_only_once() {
    for rule in rules() {
        let secret = rule.example();
        let text = format!("see {secret} there");
        let found = find(&text);
        assert_eq!(found.len(), 1, "{}: {text}", rule.name);
        assert_eq!(found[0].rule, rule.name, "{text}");
        let redacted = redact(&text).into_owned();
        assert!(redacted.contains(&format!("[REDACTED:{}]", rule.name)), "{redacted}");
        assert!(redacted.starts_with("see ") && redacted.ends_with(" there"), "{redacted}");
        assert_eq!(redact(&redacted), redacted);
    }
}

#[test]
fn leaves_hashes_ids_and_prose_alone() {
    for text in [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 and 9fceb02",
        "session fd7a841d-2f89-47e9-9778-4a1e108cb923",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "the token: it expires; password: see the vault; secret = yes",
        "git@github.com:user/repo.git",
        "ssh://git@example.org/x.git",
        "https://example.org/a@b/c?d=e",
        "PASSWORD=$PASSWORD token=${TOKEN} api_key=<your key>",
        "risk-ant-farm disk_live_test",
        "target/debug/deps/libserde-9fceb02d0ae598e9.rlib",
        ".git/objects/9f/ceb02d0ae598e95dc970b74767f19372d61af8",
        "assets/app.9fceb02d0ae598e95dc9.js and dist/token-9fceb02d.js",
        "/home/me/.claude/projects/x/fd7a841d-2f89-47e9-9778-4a1e108cb923.jsonl",
        "token=parser.next() and --token --verbose; the --token parameter is asked for; MAX_TOKENS=8192",
    ] {
        check(text, text);
    }
}

#[test]
fn replaces_the_value_and_keeps_the_name() {
    let value = ["hunter", "2hunter2"].concat();
    check(&format!("DB_PASSWORD={value};"), "DB_PASSWORD=[REDACTED:assignment];");
    check(&format!("{{\"apiKey\": \"{value}\"}}"), "{\"apiKey\": \"[REDACTED:assignment]\"}");
    let url = ["https://u:p@", "ss@host.example/x"].concat();
    check(&url, "https://[REDACTED:url]@host.example/x");
    let words = ["correct", "horse"].concat();
    check(&format!("DB_PASSWORD={words} x"), "DB_PASSWORD=[REDACTED:assignment] x");
    check(&format!("login --db-password {value}"), "login --db-password [REDACTED:assignment]");
    check(&format!("login --token='{words}'"), "login --token='[REDACTED:assignment]'");
    let secret = ["gho_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
    check(
        &format!("{secret}--token {value}"),
        "[REDACTED:github-oauth]--token [REDACTED:assignment]",
    );
}

#[test]
fn finds_secrets_by_their_structure() {
    let value = ["hunter", "2hunter2"].concat();
    let basic = ["dXNlcjpw", "YXNzd29yZA=="].concat();
    for (text, expected) in [
        (format!("Authorization: token {value}"), "Authorization: token [REDACTED:authorization]"),
        (format!("curl -u a:{value} https://x"), "curl -u a:[REDACTED:command] https://x"),
        (format!("curl --user kevin:'{value}'"), "curl --user kevin:'[REDACTED:command]'"),
        (format!("{{\"auth\": \"{basic}\"}}"), "{\"auth\": \"[REDACTED:basic-auth]\"}"),
        (format!("pg://u:a/{value}@host/db"), "pg://[REDACTED:url]@host/db"),
        (format!("sshpass -p {value} ssh x"), "sshpass -p [REDACTED:command] ssh x"),
        (format!("<password>{value}</password>"), "<password>[REDACTED:assignment]</password>"),
        (format!("the password is {value}."), "the password is [REDACTED:assignment]."),
        (
            "password = \"correct horse battery staple\"".to_owned(),
            "password = \"[REDACTED:assignment]\"",
        ),
        (
            format!("Server=x;Password=a b{value};Encrypt=True"),
            "Server=x;Password=[REDACTED:assignment];Encrypt=True",
        ),
    ] {
        check(&text, expected);
    }
}

#[test]
fn leaves_names_samples_and_public_keys_alone() {
    for text in [
        "token: TokenKind::Ident2",
        "secretName: my-app-tls-2024",
        "ssh -oStrictHostKeyChecking=accept-new",
        "for key in ['_auth', '_authToken', 'username']",
        "text.starts_with(\"-----BEGIN PRIVATE KEY-----\") && more",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "- (id)hf_requiredCharacteristicTypesForDisplayMetadata;",
        "keyVaultToStoreSecrets: cmp2-qat-1208358310",
        "KEY={SomeOtherKey} and \"%SourcePassword%\"",
        "curl -u <user:password> https://x and curl -u user:password",
        "password: \"Show hidden characters\"",
    ] {
        check(text, text);
    }
}

#[test]
fn finds_secrets_that_invisible_characters_split() {
    let rest = ["abcdefghijklmnopqrst", "0123456789abcdef"].concat();
    let (left, right) = rest.split_at(9);
    check(
        &format!("see ghp_{left}\u{200b}{right}\u{ad} there"),
        "see [REDACTED:github-token]\u{ad} there",
    );
    check(&format!("g\u{feff}hp_{rest}."), "[REDACTED:github-token].");
    let value = ["hunter", "2hunter2"].concat();
    check(&format!("pass\u{2060}word={value}"), "pass\u{2060}word=[REDACTED:assignment]");
    let joined = "\u{1f469}\u{200d}\u{1f467} me\u{200c}me";
    check(joined, joined);
}

#[test]
fn finds_passwords_that_resemble_names() {
    for value in ["hunter2secretX9", "TimberFalcon50", "$Vel$vet40", "summer.2024.beach"] {
        check(&format!("password: {value}"), "password: [REDACTED:assignment]");
    }
    for code in ["user.password2", "dbPassword2", "$password2", "PasswordField2", "tokens.a1"] {
        check(&format!("password: {code}"), &format!("password: {code}"));
    }
    check("db.password=velvetharbor", "db.password=[REDACTED:assignment]");
    check("open(password=velvetharbor)", "open(password=velvetharbor)");
}

#[test]
fn cleans_remotes() {
    for (url, clean) in [
        (["https://u:p@", "ss@host/x.git?a=b"].concat(), "https://host/x.git"),
        (["https://tok", "en@host"].concat(), "https://host"),
        ("ssh://git@host/x".to_owned(), "ssh://git@host/x"),
        ("ssh://git:pw@host/x".to_owned(), "ssh://git@host/x"),
        ("ssh://me:git@host/x".to_owned(), "ssh://host/x"),
        ("git@github.com:user/repo.git".to_owned(), "git@github.com:user/repo.git"),
        ("/srv/repo".to_owned(), "/srv/repo"),
        (
            ["https://discord.com/api/webhooks/", "123456789012345678/abcdefghij"].concat(),
            "https://discord.com/api/webhooks/[REDACTED:discord-webhook]",
        ),
    ] {
        assert_eq!(redact_url(&url), clean);
    }
}
