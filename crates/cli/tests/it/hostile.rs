use serde_json::Value;

use crate::place::Place;

/// Characters that clear the screen, move the cursor, change the text direction or are invisible.
const EVIL: &str = "a\u{1b}[2J\u{9b}31m\u{7}\u{8}\u{7f}\u{202e}\u{2066}\u{61c}\u{200e}\u{200f}\u{200b}\u{200d}\u{2060}\u{feff}\u{e0041}z";

/// Returns a workspace in which every text contains such characters.
fn hostile() -> Place {
    let place = Place::empty();
    let evil = serde_json::to_string(EVIL).unwrap();
    let thread = format!(
        "<local-code-review-thread>\n{{\"schemaVersion\": 1, \"id\": \"t1\", \"target\": {{\"workspaceRelativePath\": {evil}, \"range\": null, \"anchor\": {{\"kind\": \"lineRange\"}}}}, \"status\": {evil}, \"createdAt\": {evil}, \"updatedAt\": \"2026-01-20T10:00:00.000Z\"}}\n</local-code-review-thread>\n\n<local-code-review-patch lang=\"diff\"/>\n\n```diff\n{EVIL}\n```\n\n<local-code-review-comment id=\"c1\" author=\"{EVIL}\" createdAt=\"{EVIL}\"/>\n\n{EVIL}\n"
    );
    place.file(
        ".code-review/threads/t1.md",
        thread.replace(
            &format!("\"workspaceRelativePath\": {evil}"),
            "\"workspaceRelativePath\": \"src/a.rs\"",
        ),
    );
    place.file(".code-review/threads/t2.md", &thread);
    place.file(&format!(".code-review/threads/{EVIL}.md"), &thread);
    let checkpoint = format!(
        "{{\"thread_id\": {evil}, \"version\": 1, \"type\": {evil}, \"status\": {evil}, \"updated_at\": {evil}, \"cwd\": {evil}, \"git\": {{\"branch\": {evil}, \"remote_url\": {evil}, \"current_commit\": {evil}, \"commits_made\": [{evil}]}}, \"worker\": {{\"id\": {evil}, \"state\": {evil}}}, \"conversation_summary\": {evil}, \"files_touched\": [{evil}], \"next_steps\": [{evil}], \"session_id\": {evil}, \"metadata\": {{\"title\": {evil}, \"tags\": [{evil}], \"trigger\": {evil}}}}}"
    );
    place.file("workspace/threads/T-20260119-100000-evil.json", checkpoint);
    place.file(
        "workspace/threads/handoff.json",
        format!("{{\"message\": {evil}, \"last_thread\": \"T-20260119-100000-evil\"}}"),
    );
    let session = format!(
        "{{\"version\": 1, \"mappings\": [{{\"sessionId\": \"s{}\", \"threadRootPostId\": {evil}, \"shortId\": \"abcdef\", \"mattermostUserId\": {evil}, \"dmChannelId\": {evil}, \"projectName\": {evil}, \"directory\": {evil}, \"sessionTitle\": {evil}, \"status\": \"active\", \"createdAt\": \"2026-01-20T10:00:00.000Z\", \"lastActivityAt\": \"2026-01-20T10:00:00.000Z\"}}, {{\"sessionId\": {evil}, \"status\": {evil}}}], \"lastModified\": {evil}}}",
        EVIL.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007").replace('\u{8}', "\\u0008")
    );
    place.file("map.json", session);
    place.file(
        ".skein.toml",
        "\"a\\u001b[2J\" = 1\n[review]\nagents = [\"a\\u001b[2J\\u202e\"]\n[session]\nmap = \"map.json\"\n",
    );
    place
}

#[track_caller]
fn check(place: &Place, words: &str) {
    let output = place.run(words);
    let all = output.out + &output.err;
    assert!(!all.is_empty(), "{words}");
    let raw =
        all.chars().find(|c| *c != '\n' && (c.is_control() || !c.is_ascii() && EVIL.contains(*c)));
    assert_eq!(raw, None, "{words}: {all:?}");
}

#[test]
fn control_characters_in_files_do_not_reach_the_terminal() {
    for place in [hostile(), hostile().on_terminal(80)] {
        let mut place = place;
        place.machine.no_color = true;
        for words in [
            "",
            "list",
            "list --vimgrep",
            "list --lenient",
            "list tag:nothing",
            "show t1",
            "show t2",
            "show a",
            "show T-20260119-100000-evil",
            "show sa",
            "show t",
            "doctor",
            "doctor --fix --yes",
            "config list",
            "config get review.agents",
        ] {
            check(&place, words);
        }
    }
}

#[test]
fn json_is_escaped_and_the_same_on_a_pipe_and_a_terminal() {
    let (pipe, terminal) = (hostile(), hostile().on_terminal(80));
    for words in
        ["--json", "list --json --full", "show t1 --json", "doctor --json", "config list --json"]
    {
        check(&terminal, words);
        check(&pipe, words);
        let value = |place: &Place| serde_json::from_str::<Value>(&place.run(words).out).unwrap();
        assert_eq!(value(&pipe), value(&terminal), "{words}");
    }
    let shown = terminal.run("show t1 --json").out;
    let view: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(view["comments"][0]["body"], EVIL);
}

#[test]
fn invisible_characters_do_not_reach_an_agent() {
    let place = hostile();
    for words in [
        "review export",
        "review export --format json",
        "review next",
        "review next --json",
        "resume",
    ] {
        check(&place, words);
    }
}

#[test]
fn a_secret_in_any_field_of_a_checkpoint_or_session_is_not_printed() {
    let secret = ["ghp", "_", &"Ab3dEf6hIj".repeat(4)].concat();
    let place = Place::empty();
    let text = format!("\"{secret}\"");
    place.file(
        "workspace/threads/T-20260119-100000-x.json",
        format!(
            "{{\"thread_id\": {text}, \"version\": 1, \"type\": {text}, \"status\": {text}, \"updated_at\": \"2026-01-19T10:00:00Z\", \"cwd\": {text}, \"git\": {{\"branch\": {text}, \"remote_url\": {text}, \"current_commit\": {text}, \"initial_commit\": {text}, \"commits_made\": [{text}]}}, \"worker\": {{\"id\": {text}, \"skill\": {text}, \"state\": {text}, \"started_at\": {text}}}, \"conversation_summary\": {text}, \"files_touched\": [{text}], \"next_steps\": [{text}, {{\"id\": {text}, \"step\": \"x\", \"status\": {text}}}], \"session_id\": {text}, \"odd\": {{{text}: {text}}}, \"metadata\": {{\"title\": {text}, \"tags\": [{text}], \"trigger\": {text}}}}}"
        ),
    );
    place.file(
        &format!("workspace/threads/T-20260118-100000-{secret}.json"),
        "{\"conversation_summary\": \"x\"}",
    );
    place.file(
        "workspace/threads/handoff.json",
        format!("{{\"message\": {text}, \"context_notes\": {text}, \"last_thread\": \"T-20260119-100000-x\"}}"),
    );
    let session = format!(
        "{{\"sessionId\": {text}, \"threadRootPostId\": {text}, \"shortId\": \"abcdef\", \"mattermostUserId\": {text}, \"dmChannelId\": {text}, \"projectName\": {text}, \"directory\": {text}, \"sessionTitle\": {text}, \"status\": \"active\", \"createdAt\": \"2026-01-20T10:00:00.000Z\", \"lastActivityAt\": \"2026-01-20T10:00:00.000Z\"}}"
    );
    let wrong = session.replace("\"active\"", &text).replace("2026-01-20T10:00:00.000Z", &secret);
    place.file(
        "map.json",
        format!("{{\"version\": 1, \"mappings\": [{session}, {wrong}], \"lastModified\": {text}}}"),
    );
    place.file(".skein.toml", "[session]\nmap = \"map.json\"\n");
    for words in [
        "",
        "list",
        "list checkpoint --full",
        "show T-20260119-100000-x",
        "show abcdef",
        "resume",
        "session list",
        "session list --lenient",
        "session show abcdef",
        "checkpoint list",
        "search x",
        "search redacted",
        "steps",
    ] {
        for words in [words.to_owned(), format!("{words} --json")] {
            let output = place.run(&words);
            let all =
                (output.out + &output.err).replace(&format!("T-20260118-100000-{secret}.json"), "");
            assert!(!all.contains(&secret), "{words}: {all}");
            assert!(all.contains("[REDACTED:") || !all.contains("T-20260119"), "{words}: {all}");
        }
    }
}

#[test]
fn control_characters_in_arguments_do_not_reach_the_terminal() {
    let place = Place::empty();
    for args in [
        &["show", EVIL][..],
        &["list", EVIL],
        &["-C", EVIL],
        &["config", "get", EVIL],
        &["man", EVIL],
    ] {
        let output = place.run_args(args);
        assert_eq!(output.code, 2);
        assert!(
            !output.err.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']),
            "{:?}",
            output.err
        );
    }
}
