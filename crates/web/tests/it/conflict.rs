//! Writes that conflict with changes since the page was loaded.

use serde_json::{Value, json};

use crate::place::{Place, Server};

fn add(server: &Server, body: &Value) -> Value {
    server.post("/api/v1/threads", &body.to_string()).send().expect(200)
}

#[test]
fn a_comment_on_lines_that_have_changed_is_refused() {
    let place = Place::new();
    let server = place.serve();
    let new = json!({"path": "src/a.rs", "lines": [2, 3], "body": "Why?", "expect": "fn second() {}\nfn three() {}"});
    add(&server, &new);
    place.file("src/a.rs", "fn one() {}\nfn second() {}\nfn third() {}\n");
    let before = place.everything();
    let error = server.post("/api/v1/threads", &new.to_string()).send().expect(409);
    assert_eq!(error["conflict"]["was"], "fn second() {}\nfn three() {}");
    assert_eq!(error["conflict"]["now"], "fn second() {}\nfn third() {}");
    assert!(error["error"].as_str().unwrap().contains("not added"));
    assert!(error["hint"].is_string());
    assert!(place.everything() == before);
    place.file("src/a.rs", "fn one() {}\n");
    let error = server.post("/api/v1/threads", &new.to_string()).send().expect(409);
    assert_eq!(error["conflict"]["now"], "");
}

#[test]
fn an_edit_of_a_comment_that_changed_shows_both_texts() {
    let place = Place::new();
    let server = place.serve();
    let written = add(&server, &json!({"path": "src/a.rs", "lines": [1, 1], "body": "first"}));
    let (id, comment) = (written["id"].as_str().unwrap(), written["comment"].as_str().unwrap());
    let edit = |was: &str, body: &str| {
        let address = format!("/api/v1/threads/{id}/comments/{comment}");
        server.post(&address, &json!({"was": was, "body": body}).to_string()).send()
    };
    assert_eq!(edit("first", "second").expect(200)["action"], "edited");
    let before = place.everything();
    let error = edit("first", "mine").expect(409);
    let conflict = json!({"yours": "mine", "theirs": "second", "was": "first"});
    assert_eq!(error["conflict"], conflict);
    assert!(place.everything() == before);
    // Sending the same edit twice is not a conflict.
    assert_eq!(edit("first", "second").status, 200);
    assert_eq!(edit("second", " \n").status, 400);
    let address = format!("/api/v1/threads/{id}/comments/none");
    let body = json!({"was": "a", "body": "b"}).to_string();
    assert_eq!(server.post(&address, &body).send().status, 404);
}

#[test]
fn a_suggestion_is_applied_only_as_it_was_shown() {
    let place = Place::new();
    let server = place.serve();
    let new =
        json!({"path": "src/a.rs", "lines": [2, 2], "body": "", "suggestion": "fn deux() {}"});
    let written = add(&server, &new);
    let address = format!("/api/v1/threads/{}/apply", written["id"].as_str().unwrap());
    let before = place.everything();
    let shown = server.get(&address).send().expect(200);
    assert_eq!(shown["added"], json!(["fn deux() {}"]));
    let apply = |token: &Value| {
        server.post(&address, &json!({"token": token, "resolve": true}).to_string()).send()
    };
    let error = apply(&"wrong".into()).expect(409);
    assert_eq!(error["conflict"]["now"]["token"], shown["token"]);
    assert!(place.everything() == before);
    place.file("src/a.rs", "// more\nfn one() {}\nfn second() {}\nfn three() {}\n");
    assert_eq!(apply(&shown["token"]).status, 409);
    let shown = server.get(&address).send().expect(200);
    assert_eq!(apply(&shown["token"]).expect(200)["outcome"], "applied");
    let text = std::fs::read_to_string(place.root.join("src/a.rs")).unwrap();
    assert_eq!(text, "// more\nfn one() {}\nfn deux() {}\nfn three() {}\n");
}

#[test]
fn a_comment_can_be_on_a_blank_line() {
    let place = Place::new();
    place.file("src/b.rs", "fn one() {}\n\nfn two() {}\n");
    let server = place.serve();
    for (lines, expect) in [([2, 2], ""), ([1, 2], "fn one() {}\n"), ([1, 1], "fn one() {}\n")] {
        add(
            &server,
            &json!({"path": "src/b.rs", "lines": lines, "body": "Why?", "expect": expect}),
        );
    }
}
