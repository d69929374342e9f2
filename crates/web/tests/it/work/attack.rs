//! Malicious writes: each is refused, and nothing is written.

use super::{AUTO, FIRST, place, shown};
use crate::attack::{check, page_writes};
use crate::place::{Place, Server};

/// Returns the address and a valid body of every write of these pages.
fn writes(server: &Server) -> Vec<(String, String)> {
    let step = shown(server, FIRST, 1);
    let token = super::get(server, "cleanup")["token"].clone();
    let to = |address: &str, body: String| (format!("/api/v1/{address}"), body);
    vec![
        to("checkpoints", r#"{"summary":"evil"}"#.to_owned()),
        to("handoffs", r#"{"summary":"evil"}"#.to_owned()),
        to(
            &format!("checkpoints/{FIRST}/steps/1"),
            format!(r#"{{"change":"done","shown":{step}}}"#),
        ),
        to("cleanup", format!(r#"{{"token":{token}}}"#)),
        to("sessions/ses_one/status", r#"{"status":"ended"}"#.to_owned()),
        to("session-map", r#"{"shown":"x"}"#.to_owned()),
    ]
}

fn place_with_session() -> Place {
    let place = place();
    super::sessions::write(&place, &super::sessions::map(&["ses_one"]));
    place
}

#[test]
fn without_the_token_nothing_is_shown() {
    let place = place_with_session();
    let server = place.serve();
    let pages = ["/work", "/work/steps", "/work/new", "/work/cleanup", "/sessions"];
    let one = [format!("/work/{FIRST}"), format!("/work/{AUTO}")];
    let programs = ["checkpoints", "cleanup", "sessions", "session-map"];
    let programs = programs.map(|name| format!("/api/v1/{name}"));
    for address in pages.map(str::to_owned).into_iter().chain(one).chain(programs) {
        let message = check(&place, server.ask("GET", &address), 403);
        assert!(!message.contains("Parser") && !message.contains("ses_one"), "{message}");
        let wrong = server.ask("GET", &address).header("Authorization", "Bearer wrong");
        check(&place, wrong, 403);
        let foreign = server.ask("GET", &address).header("Cookie", &server.cookie());
        let foreign = foreign.header("Sec-Fetch-Site", "cross-site");
        check(&place, foreign.header("Sec-Fetch-Mode", "no-cors"), 403);
    }
}

#[test]
fn a_foreign_page_cannot_write() {
    let place = place_with_session();
    let server = place.serve();
    let map = super::sessions::read(&place);
    for (address, body) in writes(&server) {
        let page = || page_writes(&server, &address, &body);
        check(&place, page().header("Origin", "http://evil.example"), 403);
        check(&place, page().header("Origin", "null"), 403);
        check(&place, page().without("Origin"), 403);
        check(&place, page().header("Sec-Fetch-Site", "cross-site"), 403);
        check(&place, page().header("Sec-Fetch-Site", "same-site"), 403);
        check(&place, page().without("X-Skein-Page"), 403);
        check(&place, page().header("X-Skein-Page", "wrong"), 403);
        check(&place, page().header("X-Skein-Page", &server.token), 403);
        check(&place, page().without("Cookie"), 403);
        check(&place, page().header("Host", "evil.example"), 421);
        check(&place, page().header("Content-Type", "text/plain"), 415);
        check(&place, page().header("Content-Type", "application/x-www-form-urlencoded"), 415);
        let bearer = server.post(&address, &body).header("Origin", "http://evil.example");
        check(&place, bearer, 403);
    }
    assert_eq!(super::sessions::read(&place), map);
}

#[test]
fn a_read_only_server_refuses_every_write() {
    let place = place_with_session();
    let options = skein_web::ServeOptions { read_only: true, ..crate::place::options() };
    let server = Server::run(skein_web::bind(place.env("server"), &options).unwrap());
    let map = super::sessions::read(&place);
    for (address, body) in writes(&server) {
        let message = check(&place, server.post(&address, &body), 403);
        assert!(message.contains("read-only"), "{message}");
        check(&place, page_writes(&server, &address, &body), 403);
    }
    assert_eq!(super::sessions::read(&place), map);
    for address in ["/work", "/work/steps", "/work/cleanup", "/sessions"] {
        let page = server.get(address).send().body;
        for act in ["data-act=\"step\"", "data-act=\"cleanup\"", "data-act=\"session\""] {
            assert!(!page.contains(act), "{address} offers {act}");
        }
    }
}

#[test]
fn too_large_and_invalid_bodies_are_refused() {
    let place = place_with_session();
    let server = place.serve();
    let large = format!(r#"{{"summary":"{}"}}"#, "x".repeat(1_100_000));
    for address in ["checkpoints", "handoffs"] {
        check(&place, server.post(&format!("/api/v1/{address}"), &large), 413);
    }
    for (address, _) in writes(&server) {
        check(&place, server.post(&address, "[1]"), 400);
        check(&place, server.post(&address, "{"), 400);
        check(&place, server.post(&address, "").body(b"\xff\xfe"), 400);
        check(&place, server.post(&address, r#"{"extra":true}"#), 400);
    }
    check(&place, server.get("/api/v1/handoffs"), 405);
    check(&place, server.get("/api/v1/sessions/ses_one/status"), 405);
    check(&place, server.post("/work", "{}"), 405);
}
