use super::{place, read_map};

#[test]
fn a_prompt_goes_to_the_session_that_the_id_names() {
    let mut place = place();
    let requests = place.file("requests", "");
    let output = place.run_args(&["session", "send", "post_8d2k", "-m", "Go on", "-m", "please"]);
    assert_eq!(output.to_string(), "Sent to ses_4f1c9a7be2\n-- exit 0\n");
    place.input = "from a pipe\n";
    let output = place.run_args(&["session", "send", "ses_4f1c9a", "-m", "-", "--json"]);
    assert_eq!(
        output.out.replace(char::is_whitespace, ""),
        r#"{"session_id":"ses_4f1c9a7be2","action":"sent"}"#
    );
    let sent = std::fs::read_to_string(requests).unwrap();
    assert_eq!(
        sent,
        "send ses_4f1c9a7be2 \"Go on\\n\\nplease\"\nsend ses_4f1c9a7be2 \"from a pipe\\n\"\n"
    );
}

#[test]
fn a_prompt_that_cannot_be_sent_is_an_error() {
    let place = place();
    let before = read_map(&place);
    place.check(
        "session send ses_4f1c9a -m hello",
        "
-- stderr
Error: no bridge is running
Hint: `skein bridge run` starts one
-- exit 2
",
    );
    place.check(
        "session send ses_4f1c9a",
        "
-- stderr
Error: the prompt is missing
Hint: write it with `-m TEXT`
-- exit 2
",
    );
    assert!(place.run("session send ses_4f1c -m hello").err.contains("ambiguous session id"));
    assert!(place.run("session send ses_zzz -m hello").err.contains("no such session: ses_zzz"));
    let empty = place.run_args(&["session", "send", "ses_4f1c9a", "-m", " "]);
    assert!(empty.err.starts_with("Error: the prompt is empty"), "{}", empty.err);
    assert_eq!(read_map(&place), before);
}

#[test]
fn a_session_is_shown_with_the_address_and_the_end_of_its_thread() {
    let place = place();
    place.file("server", "https://chat.example/");
    let output = place.run("session show ses_4f1c9a");
    let lines: Vec<&str> = output.out.lines().collect();
    let address = "address    https://chat.example/_redirect/pl/post_8d2k";
    assert!(lines.contains(&address), "{output}");
    assert!(!output.out.contains("last posts"), "no bridge runs: {output}");
    let requests = place.file("requests", "");
    let output = place.run("session show ses_4f1c9a");
    let posts = "
  mira:
    Go on\\u{1b}[2J
  skein (after 1 more line):
    2
    3
    4
    5
    6
";
    assert!(output.out.contains(posts), "{output}");
    let output = place.run("session show ses_4f1c9a --json");
    let shown: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(shown["chat_address"], "https://chat.example/_redirect/pl/post_8d2k");
    assert_eq!(shown["last_posts"][0]["user"], "mira");
    assert_eq!(shown["last_posts"][0]["at"], "2026-01-23T14:30:52.000Z");
    let asked = std::fs::read_to_string(requests).unwrap();
    assert_eq!(asked, "last-posts ses_4f1c9a7be2 \"5\"\n".repeat(2));
    assert!(!place.run("session list --json").out.contains("chat_address"));
}

#[test]
fn a_handoff_is_posted_into_the_thread_of_a_session() {
    let place = place();
    let words = "handoff -m Parser --step Docs --new-store --post ses_4f1c9a";
    let output = place.run(words);
    assert_eq!(output.code, 2, "{output}");
    assert!(output.out.contains("Handed over in "), "{output}");
    let error = "Error: the handoff is saved, but was not posted\nCaused by: no bridge is running";
    assert!(output.err.contains(error), "{output}");
    let output = place.run("handoff -m Parser --new-store --post ses_zzz");
    assert!(output.err.contains("no such session: ses_zzz"), "{output}");
    assert!(output.out.is_empty(), "nothing is saved: {output}");
    let requests = place.file("requests", "");
    let output = place.run(words);
    assert_eq!(output.code, 0, "{output}");
    assert!(output.err.contains("Posted into the thread of ses_4f1c9a7be2"), "{output}");
    let asked = std::fs::read_to_string(requests).unwrap();
    let start = r#"say ses_4f1c9a7be2 "**Handoff: "#;
    assert!(asked.starts_with(start), "{asked}");
    assert!(asked.contains(r"Parser\n\nNext steps:\n- [ ] Docs\n\n`skein resume "), "{asked}");
}

#[test]
fn a_submitted_review_is_sent_to_a_session() {
    let place = place();
    let requests = place.file("requests", "");
    let output = place.run("review submit --new-store --send ses_4f1c9a");
    assert!(output.err.contains("nothing was sent"), "{output}");
    place.file("src/a.rs", "fn main() {}\n");
    place.run("review add src/a.rs:1 --draft --new-store -m Why?");
    let output = place.run("review submit --send ses_zzz");
    assert!(output.err.contains("no such session: ses_zzz"), "{output}");
    assert!(place.run("review list --drafts").out.contains("draft"), "it is still a draft");
    let output = place.run("review submit --send ses_4f1c9a");
    assert_eq!(output.code, 0, "{output}");
    assert!(output.err.contains("Sent 1 open thread to ses_4f1c9a7be2"), "{output}");
    let asked = std::fs::read_to_string(requests).unwrap();
    let start = r##"send ses_4f1c9a7be2 "# Review comments\n\n1 open thread waits on you."##;
    assert!(asked.starts_with(start), "{asked}");
    assert!(asked.contains("> Why?"), "{asked}");
}
