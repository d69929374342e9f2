//! How a browser logs in, and the port of the server.

use std::net::TcpListener;

use sha2::{Digest as _, Sha256};
use skein_review::ChangesQuery;
use skein_web::{BindError, ServeOptions, bind};
use skein_workspace::{Endpoint, Env, discover, endpoint};

use crate::client::Reply;
use crate::place::{Place, Server, options};

/// Returns the endpoint of a workspace, without listening on it.
fn endpoint_of(place: &Place, who: &str) -> Endpoint {
    let env = place.env(who);
    endpoint(&discover(&env)).unwrap()
}

/// Returns where a one-time address leads to, without the keys of the page.
fn address_of(reply: &Reply) -> &str {
    reply.header("location").unwrap().split_once("#keys=").unwrap().0
}

#[test]
fn the_secret_of_an_address_becomes_a_cookie_and_is_removed_from_the_address() {
    let place = Place::new();
    let bound = bind(place.env("server"), &options()).unwrap();
    let secret = bound.opening().split_once("/?").unwrap().1.to_owned();
    let server = Server::run(bound);
    let reply = server.ask("GET", &format!("/?base=main&{secret}&path=src")).send();
    assert_eq!((reply.status, address_of(&reply)), (303, "/?base=main&path=src"));
    let cookie = reply.header("set-cookie").unwrap();
    let name = format!("skein-{}=", server.port);
    assert!(cookie.starts_with(&name), "{cookie}");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=259200"] {
        assert!(cookie.split("; ").any(|one| one == part), "{cookie}");
    }
    assert!(!cookie.contains(&server.token));
    let page = server.ask("GET", "/").header("Cookie", &format!("a=b; {}", server.cookie()));
    assert_eq!(page.send().status, 200);
    let old = server.get("/?pass=old").send();
    assert_eq!((old.status, old.header("location")), (303, Some("/")));
}

#[test]
fn a_one_time_address_works_once() {
    let place = Place::new();
    let bound = bind(place.env("server"), &options()).unwrap();
    let address = bound.opening().split_once("/?").unwrap().1.to_owned();
    assert!(!address.contains(bound.token()));
    let server = Server::run(bound);
    let open = || server.ask("GET", &format!("/?base=main&{address}"));
    let first = open().send();
    assert_eq!((first.status, address_of(&first)), (303, "/?base=main"));
    assert!(first.header("set-cookie").is_some());
    let second = open().send();
    assert_eq!((second.status, second.header("set-cookie")), (403, None));
    let known = open().header("Cookie", &server.cookie()).send();
    assert_eq!((known.status, known.header("location")), (303, Some("/?base=main")));
    assert_eq!(server.ask("GET", &format!("/api/v1/diff?{address}")).send().status, 403);
}

#[test]
fn a_link_on_another_site_makes_the_page_reload_itself_once() {
    let place = Place::new();
    let server = place.serve();
    let click = |address: &str| {
        let request = server.ask("GET", address).header("Sec-Fetch-Site", "cross-site");
        request.header("Sec-Fetch-Mode", "navigate").header("Sec-Fetch-Dest", "document")
    };
    let page = click("/thread/x?y=1").send();
    assert_eq!(page.status, 200);
    assert!(page.body.contains("0; url=/thread/x?y=1&#38;again=1"), "{}", page.body);
    let again = server.ask("GET", "/thread/x?y=1&again=1").header("Cookie", &server.cookie());
    let again = again.header("Sec-Fetch-Site", "same-origin").send();
    assert_eq!((again.status, again.header("location")), (303, Some("/thread/x?y=1")));
}

#[test]
fn the_port_stays_the_same_and_each_address_works_once() {
    let place = Place::new();
    let Endpoint { port, token, .. } = endpoint_of(&place, "one");
    let bound = bind(place.env("two"), &options()).unwrap();
    let (address, other) = (bound.address(), bound.address());
    assert!(address.starts_with(&format!("http://127.0.0.1:{port}/?pass=")), "{address}");
    assert!(!address.contains(&token) && address != other);
    let server = Server::run(bound);
    // Another start finds the server, and creates one more address for it.
    let third = bind(place.env("three"), &options()).unwrap().address();
    for address in [&address, &other, &third] {
        let path = address.split_once(&port.to_string()).unwrap().1;
        let open = || server.ask("GET", path).send().status;
        assert_eq!((open(), open()), (303, 403), "{address}");
    }
}

#[test]
fn a_cookie_is_invalid_after_a_restart_of_the_server() {
    let place = Place::new();
    let first = Server::run(bind(place.env("one"), &options()).unwrap());
    let (cookie, page_token, port) = (first.cookie(), first.page_token(), first.port);
    let status = |server: &Server| server.ask("GET", "/").header("Cookie", &cookie).send().status;
    assert_eq!(status(&first), 200);
    first.stop();
    let second = Server::run(bind(place.env("two"), &options()).unwrap());
    assert_eq!((second.port, status(&second)), (port, 403));
    assert_ne!(second.page_token(), page_token);
    let write = second.ask("POST", "/api/v1/submit").header("Cookie", &second.cookie());
    let origin = format!("http://127.0.0.1:{port}");
    let write = write.header("Origin", &origin).header("X-Skein-Page", &page_token).json("{}");
    assert_eq!(write.send().status, 403);
}

#[test]
fn a_page_cannot_resume_without_a_valid_proof() {
    let place = Place::new();
    let server = place.serve();
    let origin = format!("http://127.0.0.1:{}", server.port);
    let ask = |proof: &str| {
        let body = format!(r#"{{"proof":"{proof}"}}"#);
        server.ask("POST", "/session").header("Origin", &origin).json(&body)
    };
    for proof in ["", "1-2", &server.resume_key(), &server.token] {
        let reply = ask(proof).send();
        assert_eq!((reply.status, reply.header("set-cookie")), (403, None), "{proof}");
    }
    assert_eq!(ask("x").header("Origin", "http://evil.example").send().status, 403);
    assert_eq!(ask("x").without("Origin").send().status, 403);
}

#[test]
fn a_redirection_stays_on_this_server() {
    let place = Place::new();
    let server = place.serve();
    for (path, expected) in [
        ("/\\evil.example", "/%5Cevil.example"),
        ("/\\/evil.example", "/%5C/evil.example"),
        ("/a\\b", "/a%5Cb"),
    ] {
        let reply = server.get(&format!("{path}?again=1")).send();
        assert_eq!((reply.status, reply.header("location")), (303, Some(expected)), "{path}");
    }
    assert_eq!(server.get("//evil?again=1").send().status, 404);
}

#[test]
fn the_comparison_is_in_the_address() {
    let place = Place::new();
    let query = ChangesQuery {
        base: Some("a&b".to_owned()),
        paths: vec!["a.rs".to_owned()],
        ..ChangesQuery::default()
    };
    let mut env = place.env("one");
    env.dir = place.root.join("src");
    let bound = bind(env, &ServeOptions { query, ..options() }).unwrap();
    let (start, _) =
        bound.address().split_once("&pass=").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(start, format!("http://127.0.0.1:{}/?base=a%26b&path=src/a.rs", bound.port()));
    let query = ChangesQuery { paths: vec!["../..".to_owned()], ..ChangesQuery::default() };
    let outside = bind(place.env("two"), &ServeOptions { query, ..options() });
    assert!(matches!(outside, Err(BindError::Outside { .. })));
}

#[test]
fn a_second_start_finds_the_running_server() {
    let place = Place::new();
    let server = place.serve();
    let second = bind(place.env("second"), &options()).unwrap();
    assert!(second.is_served_already());
    assert_eq!((second.port(), second.token()), (server.port, server.token.as_str()));
    second.run().unwrap();
    // A read-only server is a separate one.
    let read_only_server =
        bind(place.env("third"), &ServeOptions { read_only: true, ..options() }).unwrap();
    assert!(!read_only_server.is_served_already() && read_only_server.port() != server.port);
    let read_only_server = Server::run(read_only_server);
    let same = bind(place.env("fourth"), &ServeOptions { read_only: true, ..options() }).unwrap();
    assert!(same.is_served_already() && same.port() == read_only_server.port);
}

#[test]
fn another_program_on_the_port_does_not_receive_the_token() {
    let place = Place::new();
    let port = endpoint_of(&place, "one").port;
    let other_program = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let listener_thread = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = other_program.accept().unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).unwrap();
        let message = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        stream.write_all(message.as_bytes()).unwrap();
        request.truncate(length);
        (String::from_utf8(request).unwrap(), other_program)
    });
    let bound = bind(place.env("two"), &options()).unwrap();
    assert!(!bound.is_served_already() && bound.port() != port);
    let (request, other_program) = listener_thread.join().unwrap();
    assert!(
        request.starts_with("GET /hello?nonce=") && !request.contains(bound.token()),
        "{request}"
    );
    let taken = bind(place.env("three"), &ServeOptions { port: Some(port), ..options() });
    assert!(matches!(taken, Err(BindError::Port { .. })));
    drop(other_program);
}

#[test]
fn assets_are_cached_by_the_browser() {
    let place = Place::new();
    let server = place.serve();
    let first = server.ask("GET", "/assets/skein.css").send();
    assert_eq!((first.status, first.header("cache-control")), (200, Some("no-cache")));
    assert_eq!(first.header("content-type"), Some("text/css; charset=utf-8"));
    let tag = first.header("etag").unwrap();
    let again = server.ask("GET", "/assets/skein.css").header("If-None-Match", tag).send();
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let page = server.get("/").send().body;
    let (_, rest) = page.split_once("<link rel=\"stylesheet\" href=\"").unwrap();
    let current = server.ask("GET", rest.split_once('"').unwrap().0).send();
    assert!(current.header("cache-control").unwrap().ends_with("immutable"), "{rest}");
    let old = server.ask("GET", "/assets/0123456789abcdef/skein.css").send();
    assert_eq!((old.status, old.header("cache-control")), (200, Some("no-cache")));
}

#[test]
fn an_agent_gets_no_address_for_the_server_of_the_user() {
    let place = Place::new();
    let server = place.serve();
    let bound = bind(agent_env(&place, "agent"), &options()).unwrap();
    assert!(bound.is_served_already());
    let expected = format!("http://127.0.0.1:{}/?", server.port);
    assert_eq!((bound.address(), bound.opening()), (expected.clone(), expected));
}

fn agent_env(place: &Place, who: &str) -> Env {
    let mut env = place.env(who);
    env.variables.insert("CLAUDECODE".to_owned(), "1".to_owned());
    env
}

/// Returns the hash by which a page proves that it has a resume key (`digest` in `session.js`).
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Asks for new keys as a page does that was open before the restart of a server.
fn resume(server: &Server, key: &str) -> u16 {
    let hello: serde_json::Value =
        serde_json::from_str(&server.ask("GET", "/hello").send().body).unwrap();
    let until = key.split_once('-').unwrap().0;
    let proof = digest(&["again", key, hello["start"].as_str().unwrap()]);
    let body = format!(r#"{{"proof":"{until}-{proof}"}}"#);
    let origin = format!("http://127.0.0.1:{}", server.port);
    server.ask("POST", "/session").header("Origin", &origin).json(&body).send().status
}

#[test]
fn the_keys_of_a_server_that_an_agent_started_do_not_open_that_of_the_user() {
    let place = Place::new();
    let first = Server::run(bind(agent_env(&place, "one"), &options()).unwrap());
    let (port, key) = (first.port, first.resume_key());
    first.stop();
    let second = Server::run(bind(agent_env(&place, "two"), &options()).unwrap());
    assert_eq!((second.port, resume(&second, &key)), (port, 200));
    second.stop();
    let own = place.serve();
    assert_eq!((own.port, resume(&own, &key)), (port, 403));
    assert_eq!(resume(&own, &own.resume_key()), 200);
}

#[test]
fn a_user_does_not_get_the_server_that_an_agent_started() {
    let place = Place::new();
    let agents = Server::run(bind(agent_env(&place, "one"), &options()).unwrap());
    let own = bind(place.env("user"), &options()).unwrap();
    assert!(!own.is_served_already() && own.port() != agents.port);
    // Another start by the agent finds it, and admits a browser to it.
    let again = bind(agent_env(&place, "two"), &options()).unwrap();
    assert!(again.is_served_already());
    let path = again.opening().split_once(&agents.port.to_string()).unwrap().1.to_owned();
    assert_eq!(agents.ask("GET", &path).send().status, 303);
}
