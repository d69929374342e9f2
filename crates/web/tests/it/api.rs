//! A complete review through the HTTP API.

use serde_json::{Value, json};

use crate::place::{Place, Server};

fn post(server: &Server, address: &str, body: &Value) -> Value {
    server.post(&format!("/api/v1/{address}"), &body.to_string()).send().expect(200)
}

fn get(server: &Server, address: &str) -> Value {
    server.get(&format!("/api/v1/{address}")).send().expect(200)
}

/// Lists the threads, and then the drafts, each as its status and its title.
fn listed(server: &Server, address: &str) -> String {
    let all = get(server, address);
    let one = |view: &Value| {
        format!("{} {}", view["status"].as_str().unwrap(), view["title"].as_str().unwrap())
    };
    let lists = ["threads", "drafts"].map(|name| all[name].as_array().unwrap().clone());
    lists.iter().flatten().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_review_goes_from_drafts_to_resolved() {
    let place = Place::new();
    let server = place.serve();
    assert_eq!(listed(&server, "threads"), "");
    let draft = json!({"path": "src/a.rs", "lines": [2, 2], "body": "Why?", "draft": true});
    let drafted = post(&server, "threads", &draft);
    assert_eq!((&drafted["action"], &drafted["at"]), (&"drafted".into(), &"src/a.rs:2".into()));
    assert_eq!(listed(&server, "threads"), "draft Why?");
    let id = drafted["id"].as_str().unwrap();
    let refused = server.post(&format!("/api/v1/threads/{id}/resolve"), "{}").send().expect(409);
    assert!(refused["hint"].as_str().unwrap().contains("submit"));
    let submitted = post(&server, "submit", &json!({}));
    assert_eq!(submitted["threads"][0]["action"], "submitted");
    assert!(submitted["notes"][0].as_str().unwrap().starts_with("Created the store"));
    assert_eq!(listed(&server, "threads"), "open Why?");
    let id = submitted["threads"][0]["id"].as_str().unwrap();
    let act = |action: &str, body: &Value| post(&server, &format!("threads/{id}/{action}"), body);
    assert_eq!(act("reply", &json!({"body": "Because.", "resolve": false}))["action"], "replied");
    assert_eq!(act("resolve", &json!({}))["status"], "resolved");
    assert_eq!(act("reopen", &json!({}))["status"], "open");
    assert_eq!(act("delete", &json!({}))["action"], "deleted");
    assert_eq!(listed(&server, "threads"), "");
    assert_eq!(server.get(&format!("/api/v1/threads/{id}")).send().status, 404);
    assert_eq!(act("restore", &json!({}))["action"], "restored");
    let seen = get(&server, &format!("threads/{id}"));
    assert_eq!(seen["comments"].as_array().unwrap().len(), 2);
}

#[test]
fn query_parameters_filter_the_list_of_threads() {
    let place = Place::new();
    place.file("b.rs", "b\n");
    let server = place.serve();
    for (path, body) in [("src/a.rs", "one"), ("b.rs", "two")] {
        post(&server, "threads", &json!({"path": path, "lines": null, "body": body}));
    }
    assert_eq!(listed(&server, "threads?file=src"), "open one");
    assert_eq!(listed(&server, "threads?file=b.rs&status=open"), "open two");
    assert_eq!(listed(&server, "threads?status=resolved"), "");
    assert_eq!(listed(&server, "threads?waiting=agent"), "open two, open one");
    assert_eq!(listed(&server, "threads?waiting=reviewer"), "");
    for (address, message) in [
        ("threads?status=opn", "`status` takes open"),
        ("threads?status=active", "`status` takes open or resolved, not `active`"),
        (
            "threads?waiting=tom",
            "`waiting` takes reviewer, agent, or a name that a thread waits on, not `tom`",
        ),
        ("sessions?status=foo", "`status` takes "),
        ("checkpoints?type=foo", "`type` takes "),
        ("checkpoints?steps=all", "`steps` takes open, not `all`"),
    ] {
        let wrong = server.get(&format!("/api/v1/{address}")).send().expect(400);
        let error = wrong["error"].as_str().unwrap();
        assert!(error.starts_with(message), "{address}: {error}");
    }
    let wrong = server.get("/api/v1/threads?colour=red").send().expect(400);
    assert_eq!(wrong["hint"], "this address takes `status`, `waiting`, `file`");
}

#[test]
fn threads_are_listed_by_the_current_or_the_former_file_of_their_code() {
    let place = Place::new();
    let server = place.serve();
    post(&server, "threads", &json!({"path": "src/a.rs", "lines": [1, 2], "body": "one"}));
    server.stop();
    place.git(&["mv", "src/a.rs", "src/z.rs"]);
    let server = place.serve();
    for file in ["src/z.rs", "src/a.rs", "z.rs"] {
        assert_eq!(listed(&server, &format!("threads?file={file}")), "open one", "{file}");
        let found = get(&server, &format!("search?q=file:{file}"));
        assert_eq!(found["total"], 1, "{file}");
    }
    assert_eq!(listed(&server, "threads?file=src/b.rs"), "");
}

#[test]
fn the_diff_includes_its_threads() {
    let place = Place::new();
    let server = place.serve();
    let new = json!({"path": "src/a.rs", "lines": [2, 2], "body": "Why?"});
    let id = post(&server, "threads", &new)["id"].clone();
    let diff = get(&server, "diff");
    assert_eq!(diff["title"], "What is not committed, against the last commit");
    assert_eq!(diff["files"][0]["path"], "src/a.rs");
    assert_eq!(diff["threads"][0]["id"], id);
    assert_eq!(server.get("/api/v1/diff?path=nothing").send().status, 400);
    assert_eq!(get(&server, "diff?base=main&path=src")["files"][0]["added"], 1);
    assert_eq!(
        server.get("/api/v1/diff?since-submit=1").send().expect(404)["error"],
        "no review was submitted here yet"
    );
    assert_eq!(server.get("/api/v1/diff?base=none").send().status, 404);
    let file = get(&server, "files/src/a.rs");
    assert_eq!(file["lines"], json!(["fn one() {}", "fn second() {}", "fn three() {}"]));
    let content = file["content"].as_str().unwrap();
    post(&server, "viewed", &json!({"path": "src/a.rs", "viewed": true, "content": content}));
    let id = id.as_str().unwrap();
    for address in ["/api/v1/prompt".to_owned(), format!("/api/v1/threads/{id}/prompt")] {
        let prompt = server.get(&address).send();
        assert_eq!(prompt.header("content-type"), Some("text/markdown; charset=utf-8"));
        assert!(prompt.body.starts_with("# Review comments") && prompt.body.contains("Why?"));
    }
}

#[test]
fn a_directory_without_a_repository_can_be_served() {
    let place = Place::new();
    std::fs::remove_dir_all(place.root.join(".git")).unwrap();
    let server = place.serve();
    let error = server.get("/api/v1/diff").send().expect(404);
    assert!(error["error"].as_str().unwrap().contains("not a git repository"), "{error}");
    post(&server, "threads", &json!({"path": "src/a.rs", "lines": [1, 1], "body": "Hm"}));
    assert_eq!(listed(&server, "threads"), "open Hm");
}

#[test]
fn a_broken_thread_and_a_binary_file_do_not_hide_other_threads() {
    let place = Place::new();
    place.file(".code-review/threads/broken.md", "nothing of a thread\n");
    place.file("image.bin", b"\0\x01\x02");
    let server = place.serve();
    post(&server, "threads", &json!({"path": "src/a.rs", "lines": [1, 1], "body": "Hm"}));
    let all = get(&server, "threads");
    let usable: Vec<&Value> =
        all["threads"].as_array().unwrap().iter().map(|view| &view["usable"]).collect();
    assert_eq!(usable, [true, false]);
    let reply = server.post("/api/v1/threads/broken/reply", r#"{"body":"x"}"#).send().expect(422);
    assert!(reply["hint"].as_str().unwrap().contains("skein doctor"));
    assert_eq!(server.get("/api/v1/files/image.bin").send().status, 415);
    assert_eq!(server.get("/api/v1/files/gone.rs").send().status, 404);
}

#[test]
fn a_head_request_gets_no_body() {
    let place = Place::new();
    let server = place.serve();
    let reply = server.program("HEAD", "/api/v1/threads").send();
    assert_eq!((reply.status, reply.body.as_str()), (200, ""));
}

#[test]
fn invisible_characters_in_names_are_escaped_on_every_page() {
    let place = Place::new();
    let thread = "<local-code-review-thread>\n{\"schemaVersion\": 1, \"id\": \"one\", \"target\": {\"workspaceRelativePath\": \"src/a.rs\", \"range\": null, \"anchor\": {\"kind\": \"lineRange\"}}, \"status\": \"open\", \"createdAt\": \"2026-01-20T10:00:00.000Z\", \"updatedAt\": \"2026-01-20T10:00:00.000Z\"}\n</local-code-review-thread>\n\n<local-code-review-comment id=\"c1\" author=\"Mi\u{202e}ra\u{200b}\" createdAt=\"2026-01-20T10:00:00.000Z\"/>\n\nWhy?\n\n<local-code-review-comment id=\"c2\" author=\"Mi\u{202e}ra\u{200b}\" createdAt=\"2026-01-20T10:00:00.000Z\"/>\n\nLanterns.\n";
    place.file(".code-review/threads/one.md", thread);
    let server = place.serve();
    for address in
        ["/", "/threads", "/thread/one", "/overview", "/search?q=lanterns", "/search?q=author:"]
    {
        let page = server.get(address).send().body;
        assert_eq!(skein_model::sanitize::hidden(&page).next(), None, "{address}: {page}");
        let is_named = page.contains("Mi\\u{202e}ra\\u{200b}");
        assert_eq!(is_named, !address.contains("author:"), "{address}: {page}");
    }
}

#[test]
fn invisible_characters_are_escaped_in_every_response() {
    let place = Place::new();
    let hidden = "a\u{202e}b\u{e0041}c\u{9b}d";
    place.file("src/a\u{200b}.rs", format!("{hidden}\n"));
    let server = place.serve();
    let new = json!({"path": "src/a\u{200b}.rs", "lines": [1, 1], "body": hidden});
    let written = server.post("/api/v1/threads", &new.to_string()).send();
    let missing = server.get("/api/v1/threads/x%E2%80%AEy").send();
    let mut answers = vec![written.body, missing.body];
    for address in ["threads", "diff", "files/src/a%E2%80%8B.rs", "search?q=a"] {
        answers.push(server.get(&format!("/api/v1/{address}")).send().body);
    }
    let prompt = server.get("/api/v1/prompt").send().body;
    assert!(prompt.contains("a\\u{202e}b"), "{prompt}");
    for answer in &answers {
        assert_eq!(skein_model::sanitize::hidden(answer).next(), None, "{answer}");
        serde_json::from_str::<Value>(answer).unwrap();
    }
    let listed = get(&server, "threads");
    assert_eq!(listed["threads"][0]["comments"][0]["body"], hidden);
}

#[test]
fn a_removed_workspace_is_neither_shown_nor_created_again() {
    let place = Place::new();
    let server = place.serve();
    post(&server, "threads", &json!({"path": "src/a.rs", "lines": null, "body": "one"}));
    // The server may be copying the thread into the git directory.
    while place.root.exists() {
        drop(std::fs::remove_dir_all(&place.root));
    }
    for address in ["/", "/overview", "/api/v1/threads"] {
        let gone = server.get(address).send();
        assert_eq!(gone.status, 410, "{address}: {}", gone.body);
        assert!(gone.body.contains("was removed"), "{address}: {}", gone.body);
    }
    let body = json!({"summary": "late"}).to_string();
    assert_eq!(server.post("/api/v1/checkpoints", &body).send().status, 410);
    assert!(!place.root.exists());
}
