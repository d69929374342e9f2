//! Search, as a browser, a program and an attacker use it.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::{Place, Server};

/// Maximum time to wait for a change.
const TIMEOUT: Duration = Duration::from_secs(20);

const SCRIPT: &str = "</mark><script>alert(1)</script><img src=x onerror=alert(2)>";

fn add(server: &Server, body: &str) -> String {
    add_as(server, body, false)
}

fn add_as(server: &Server, body: &str, draft: bool) -> String {
    let new = json!({"path": "src/a.rs", "lines": [2, 2], "body": body, "draft": draft});
    let written = server.post("/api/v1/threads", &new.to_string()).send().expect(200);
    written["id"].as_str().unwrap().to_owned()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// Requests the results as the script of the page does.
fn found(server: &Server, q: &str) -> String {
    let reply = server.get(&format!("/fragment/search?q={}", encoded(q))).send();
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    reply.body
}

fn titles(server: &Server, q: &str) -> String {
    let hits = server.get(&format!("/api/v1/search?q={}", encoded(q))).send().expect(200);
    let hits: Vec<Value> = hits["hits"].as_array().unwrap().clone();
    hits.iter().map(|hit| hit["title"].as_str().unwrap()).collect::<Vec<_>>().join("|")
}

/// Returns a workspace with one thread of each kind, and its server.
fn kinds() -> (Place, Server) {
    let place = Place::new();
    place.file(
        "workspace/threads/T-20260123-140000-lantern-limits.json",
        r#"{"thread_id": "T-20260123-140000-lantern-limits", "version": 1, "title": "Lantern limits",
            "created_at": "2026-01-23T14:00:00Z", "updated_at": "2026-01-23T14:00:00Z",
            "next_steps": [{"id": "1", "step": "Test the lantern of 0", "status": "open"}]}"#,
    );
    place.home_file(
        ".config/opencode/mattermost-threads.json",
        r#"{"version": 1, "mappings": [{"sessionId": "ses_4f1c9a", "threadRootPostId": "abcdefghijklmnopqrstuvwxyz",
            "shortId": "4f1c9a", "mattermostUserId": "abcdefghijklmnopqrstuvwxyz",
            "dmChannelId": "abcdefghijklmnopqrstuvwxyz", "projectName": "here", "directory": "/here",
            "sessionTitle": "What a lantern means", "status": "active", "createdAt": "2026-01-23T14:00:00.000Z",
            "lastActivityAt": "2026-01-23T14:26:00.000Z"}], "lastModified": "2026-01-23T14:26:00.000Z"}"#,
    );
    let server = place.serve();
    add(&server, "A lantern of `0` is dark.");
    (place, server)
}

#[test]
fn every_kind_is_found_and_links_to_its_page() {
    let (_place, server) = kinds();
    let html = found(&server, "lantern");
    assert!(html.contains("3 threads"), "{html}");
    for href in ["/thread/", "/work/T-20260123-140000-lantern-limits", "/sessions#s-ses_4f1c9a"] {
        assert!(html.contains(&format!("href=\"{href}")), "{html}");
    }
    assert!(html.contains("A <mark>lantern</mark> of"), "{html}");
    assert!(html.contains(">src/</span><span class=\"base\">a.rs</span>"), "{html}");
    // The last word is a prefix while it is being typed; a space after it makes it a whole word.
    assert!(found(&server, "lant").contains("3 threads"));
    assert!(found(&server, "lant ").contains("No matches here"));
    assert!(found(&server, "\"of 0\" kind:checkpoint").contains("step 1:"));
    assert!(found(&server, "lantern kind:session").contains("1 thread<"));
}

#[test]
fn the_page_works_without_a_script() {
    let (_place, server) = kinds();
    let page = server.get("/search?q=lantern+-dark").send().body;
    assert!(page.contains("<form role=\"search\" action=\"/search\" method=\"get\">"), "{page}");
    assert!(page.contains("value=\"lantern -dark\"") && page.contains("2 threads"), "{page}");
    let empty = server.get("/search").send().body;
    assert!(empty.contains("href=\"/search?q=kind%3A\""), "{empty}");
    let more = server.get("/search?q=lantern&show=1").send().body;
    assert!(more.contains("href=\"/search?q=lantern&#38;show=41\""), "{more}");
}

#[test]
fn a_program_gets_what_the_command_line_prints() {
    let (_place, server) = kinds();
    assert_eq!(titles(&server, "lantern kind:review"), "A lantern of `0` is dark.");
    assert_eq!(titles(&server, "lant"), "");
    let hits = server.get("/api/v1/search?q=lantern&limit=1&offset=1").send().expect(200);
    assert_eq!((hits["total"].as_u64(), hits["hits"].as_array().map(Vec::len)), (Some(3), Some(1)));
    for (query, error) in [
        ("q=", "the query is empty"),
        ("q=stauts:open", "there is no filter `stauts` (bytes 0 to 11)"),
        ("q=a&limit=x", "`limit` is not a number: x"),
        ("q=a&page=2", "there is no parameter `page`"),
    ] {
        let message = server.get(&format!("/api/v1/search?{query}")).send().expect(400);
        assert_eq!(message["error"], error);
        assert!(message["hint"].is_string());
    }
}

#[test]
fn a_new_thread_is_found_at_once() {
    let (_place, server) = kinds();
    assert_eq!(titles(&server, "zebra"), "");
    let id = add(&server, "A zebra.");
    assert_eq!(titles(&server, "zebra"), "A zebra.");
    server.post(&format!("/api/v1/threads/{id}/delete"), "{}").send().expect(200);
    assert_eq!(titles(&server, "zebra"), "");
}

#[test]
fn drafts_are_found_and_link_to_their_page() {
    let place = Place::new();
    let server = place.serve();
    // There is no store yet.
    let draft = add_as(&server, "Rename the gizmo", true);
    let html = found(&server, "gizmo");
    assert!(html.contains("1 thread<") && html.contains(">draft</span>"), "{html}");
    assert!(html.contains(&format!("href=\"/thread/{draft}\"")), "{html}");
    let page = server.get(&format!("/thread/{draft}")).send().body;
    assert!(page.contains("Only you see it until the review is submitted."), "{page}");
    add(&server, "Keep the gizmo");
    for (q, expected) in [
        ("gizmo", (true, true)),
        ("gizmo status:draft ", (true, false)),
        ("gizmo status:open ", (false, true)),
        ("gizmo -status:draft ", (false, true)),
        ("gizmo file:src/a.rs ", (true, true)),
        ("gizmo kind:checkpoint ", (false, false)),
    ] {
        let html = found(&server, q);
        let (draft, thread) = (html.contains("Rename the "), html.contains("Keep the "));
        assert_eq!((draft, thread), expected, "{q}: {html}");
        let all = titles(&server, q);
        assert_eq!((all.contains("Rename"), all.contains("Keep")), expected, "{q}: {all}");
    }
    assert!(found(&server, "status:dr").contains("<code>status:draft</code>"));
    server.stop();
    // A server that an agent starts does not find drafts.
    for (name, value) in [("SKEIN_AUTHOR", "Codex"), ("CLAUDECODE", "1")] {
        let mut env = place.env(name);
        env.variables.insert(name.to_owned(), value.to_owned());
        let server = Server::run(skein_web::bind(env, &crate::place::options()).unwrap());
        assert_eq!(titles(&server, "gizmo"), "Keep the gizmo");
        server.stop();
    }
}

#[test]
fn changes_by_other_programs_are_found() {
    let (place, server) = kinds();
    assert_eq!(titles(&server, "walrus"), "");
    let until = |q: &str, expected: &str| {
        let deadline = Instant::now() + TIMEOUT;
        while titles(&server, q) != expected {
            assert!(Instant::now() < deadline, "{q}: {} and not {expected}", titles(&server, q));
        }
    };
    let file = |id: &str| format!("workspace/threads/T-20260123-140000-{id}.json");
    let text = |title: &str| format!(r#"{{"version": 1, "title": "{title}"}}"#);
    place.file(&file("new"), text("A walrus"));
    until("walrus", "A walrus");
    place.file(&file("new"), text("A zebra"));
    until("zebra", "A zebra");
    assert_eq!(titles(&server, "walrus"), "");
    place.file(&file("other"), text("A zebra crossing"));
    until("zebra crossing", "A zebra crossing");
    fs::rename(place.root.join(file("other")), place.root.join(file("renamed"))).unwrap();
    until("zebra renamed", "A zebra crossing");
    fs::remove_file(place.root.join(file("renamed"))).unwrap();
    until("zebra", "A zebra");
    // Its own writes are found by the next search.
    add(&server, "A walrus again.");
    assert_eq!(titles(&server, "walrus"), "A walrus again.");
    fs::remove_dir_all(place.root.join("workspace/threads")).unwrap();
    until("zebra", "");
    place
        .file("workspace/threads/archive/2026-01/T-20260123-140000-old.json", text("An old zebra"));
    until("zebra", "An old zebra");
    place.file(&file("new"), text("A new zebra"));
    until("new zebra", "A new zebra");
}

#[test]
fn errors_are_marked_in_the_query() {
    let (_place, server) = kinds();
    let check = |q: &str, expected: &str| {
        let html = found(&server, q);
        assert!(html.contains(expected), "{q}: {html}");
    };
    check("lantern stauts:open x", "<pre>lantern <mark>stauts:open</mark> x</pre>");
    check("stauts:open ", "Did you mean <code>status:</code>?");
    check("lantern \"of zero", "<pre>lantern <mark>&#34;of zero</mark></pre>");
    check("after:soon ", "<b>Not a date: soon.</b>");
    check("- +", "<mark>-</mark>");
    // An unfinished filter is not an error yet, and the words before it are searched.
    check("lantern kind:rev", "3 threads");
    check("lantern kind:rev", "data-way=\"lantern kind:review \"");
    check("lantern kind:reviw", "takes review, session or checkpoint");
}

#[test]
fn hostile_queries_are_shown_as_text() {
    let (_place, server) = kinds();
    add(&server, SCRIPT);
    let queries = [
        SCRIPT.to_owned(),
        format!("author:\"{SCRIPT}\""),
        format!("{SCRIPT}:x"),
        "\"".repeat(99),
        "(".repeat(4000),
        "a* ".repeat(200),
        "x".repeat(100_000),
        "-".to_owned(),
        "\u{202e}\u{0}\u{1b}[31m".to_owned(),
        "file:../../etc/passwd".to_owned(),
        "kind:review kind:session".to_owned(),
    ];
    for q in &queries {
        for address in ["/search?q=", "/fragment/search?q="] {
            // The server refuses a request whose head is too large.
            let reply = server.get(&format!("{address}{}", encoded(q))).send();
            assert!([200, 431, 414].contains(&reply.status), "{}", reply.status);
            for bad in ["<script>alert", "<img src=x"] {
                assert!(!reply.body.contains(bad), "{q}: {}", reply.body);
            }
        }
    }
    let html = found(&server, "alert");
    assert!(html.contains("<mark>alert</mark>(1)&lt;/script&gt;"), "{html}");
    add(&server, "Right \u{202e}lanretxe to left.");
    let html = found(&server, "lanretxe");
    assert!(
        html.contains("Right <u>\\u{202e}</u>lanretxe") && !html.contains('\u{202e}'),
        "{html}"
    );
    let long = format!("/search?q={}", "y".repeat(20_000));
    let page = server.get(&long).send();
    assert!(page.body.contains("longer than 4096 bytes"), "{}", page.status);
}

#[test]
fn a_search_without_credentials_is_refused() {
    let (_place, server) = kinds();
    for address in ["/search?q=lantern", "/fragment/search?q=lantern", "/api/v1/search?q=lantern"] {
        assert_eq!(server.ask("GET", address).send().status, 403, "{address}");
        let wrong = server.ask("GET", address).header("Authorization", "Bearer wrong");
        assert_eq!(wrong.send().status, 403, "{address}");
        let foreign = server.ask("GET", address).header("Cookie", &server.cookie());
        let foreign =
            foreign.header("Sec-Fetch-Site", "cross-site").header("Sec-Fetch-Mode", "cors");
        assert_eq!(foreign.send().status, 403, "{address}");
        assert_eq!(server.post(address, "{}").send().status, 405, "{address}");
    }
}
