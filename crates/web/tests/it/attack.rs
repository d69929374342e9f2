//! Malicious requests: each is refused, and nothing is written.

use crate::client::Request;
use crate::place::{Place, Server};

const NEW: &str = r#"{"path":"src/a.rs","lines":[2,2],"body":"evil","draft":false}"#;
const EVIL: &str = "http://evil.example";

/// Returns a write request as a page of the server sends it.
fn from_page(server: &Server) -> Request {
    page_writes(server, "/api/v1/threads", NEW)
}

/// Returns a write request to this address as a page of the server sends it.
pub(crate) fn page_writes(server: &Server, address: &str, body: &str) -> Request {
    server.post(address, body)
}

/// Checks that a request is refused with this status and changes nothing.
#[track_caller]
pub(crate) fn check(place: &Place, request: Request, status: u16) -> String {
    let before = place.everything();
    let reply = request.send();
    assert_eq!(reply.status, status, "{}", reply.body);
    assert!(place.everything() == before, "something was written");
    reply.body
}

#[test]
fn a_write_of_the_page_is_accepted() {
    let place = Place::new();
    let server = place.serve();
    let written = from_page(&server).send().expect(200);
    assert_eq!(written["action"], "added");
    let named = from_page(&server).header("Host", &format!("localhost:{}", server.port));
    let named = named.header("Origin", &format!("http://localhost:{}", server.port));
    assert_eq!(named.send().status, 200);
}

#[test]
fn a_foreign_host_is_refused() {
    let place = Place::new();
    let server = place.serve();
    let port = server.port;
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost:1".to_owned(),
        format!("0.0.0.0:{port}"),
        format!("localhost:{port}.evil.example"),
        format!("user@localhost:{port}"),
        String::new(),
    ];
    for host in &hosts {
        for request in [server.get("/"), server.get("/assets/skein.css"), from_page(&server)] {
            let message = check(&place, request.header("Host", host), 421);
            assert!(message.contains("nvalid Host header"), "{message}");
        }
    }
    check(&place, server.get("/").without("Host"), 421);
    check(&place, server.get("/").and("Host", "evil.example"), 421);
    let absolute = server.ask("GET", "http://evil.example/").header("Authorization", "Bearer x");
    check(&place, absolute, 421);
}

#[test]
fn without_the_token_nothing_is_shown() {
    let place = Place::new();
    let server = place.serve();
    let pages = ["/", "/file/src/a.rs", "/threads", "/thread/x", "/fragment/section", "/events"];
    let programs = ["/api/v1/threads", "/api/v1/diff", "/api/v1/files/src/a.rs", "/api/v1/prompt"];
    for address in pages.into_iter().chain(programs) {
        let message = check(&place, server.ask("GET", address), 403);
        assert!(message.contains("skein serve") && !message.contains("second"), "{message}");
        let wrong = server.ask("GET", address).header("Authorization", "Bearer wrong");
        check(&place, wrong, 403);
        let cookie = format!("skein-{}={}", server.port, server.token);
        check(&place, server.ask("GET", address).header("Cookie", &cookie), 403);
        let other = server.cookie().replacen("skein-", "skein-1", 1);
        check(&place, server.ask("GET", address).header("Cookie", &other), 403);
    }
    for address in ["/", "/api/v1/diff"] {
        let address = format!("{address}?token={}", server.token);
        check(&place, server.ask("GET", &address), 403);
        check(&place, server.ask("HEAD", &address), 403);
    }
    check(&place, from_page(&server).without("Cookie"), 403);
    let basic = server.ask("GET", "/").header("Authorization", &format!("Basic {}", server.token));
    check(&place, basic, 403);
}

#[test]
fn a_foreign_page_cannot_write() {
    let place = Place::new();
    let server = place.serve();
    let page = || from_page(&server);
    let bearer = || server.program("POST", "/api/v1/threads").json(NEW);
    let origins = [
        EVIL.to_owned(),
        "null".to_owned(),
        String::new(),
        format!("https://127.0.0.1:{}", server.port),
        format!("http://localhost:{}", server.port),
        "http://127.0.0.1:1".to_owned(),
        format!("http://127.0.0.1:{}/", server.port),
    ];
    for origin in &origins {
        check(&place, page().header("Origin", origin), 403);
        check(&place, bearer().header("Origin", origin), 403);
    }
    check(&place, page().without("Origin"), 403);
    let own = format!("http://127.0.0.1:{}", server.port);
    check(&place, page().and("Origin", &own), 403);
    for site in ["cross-site", "same-site", "none", ""] {
        check(&place, page().header("Sec-Fetch-Site", site), 403);
    }
    check(&place, bearer().header("Sec-Fetch-Site", "cross-site"), 403);
}

#[test]
fn a_write_needs_the_page_token() {
    let place = Place::new();
    let server = place.serve();
    check(&place, from_page(&server).without("X-Skein-Page"), 403);
    check(&place, from_page(&server).header("X-Skein-Page", &server.token), 403);
    let cookie = server.cookie();
    let (_, value) = cookie.split_once('=').unwrap();
    check(&place, from_page(&server).header("X-Skein-Page", value), 403);
}

#[test]
fn a_write_with_the_content_type_of_a_form_is_refused() {
    let place = Place::new();
    let server = place.serve();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        check(&place, from_page(&server).header("Content-Type", kind), 415);
    }
    check(&place, from_page(&server).without("Content-Type"), 415);
}

#[test]
fn another_site_cannot_read_with_the_cookie() {
    let place = Place::new();
    let server = place.serve();
    let cookie = server.cookie();
    let ask = |address: &str, site: &str, mode: &str| {
        let request = server.ask("GET", address).header("Cookie", &cookie);
        request.header("Sec-Fetch-Site", site).header("Sec-Fetch-Mode", mode)
    };
    for site in ["cross-site", "same-site"] {
        check(&place, ask("/", site, "no-cors"), 403);
        check(&place, ask("/api/v1/threads", site, "cors"), 403);
        check(&place, ask("/events", site, "navigate"), 403);
        let framed = ask("/", site, "navigate").header("Sec-Fetch-Dest", "iframe");
        check(&place, framed, 403);
        assert_eq!(ask("/", site, "navigate").send().status, 200);
    }
}

#[test]
fn other_methods_are_refused() {
    let place = Place::new();
    let server = place.serve();
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"] {
        let other = server.ask(method, "/api/v1/threads").header("Cookie", &server.cookie());
        check(&place, other, 405);
    }
    let wrong = server.post("/api/v1/diff", "{}");
    check(&place, wrong, 405);
    check(&place, server.get("/api/v1/submit"), 405);
}

#[test]
fn a_read_only_server_refuses_every_write() {
    let place = Place::new();
    let options = skein_web::ServeOptions { read_only: true, ..crate::place::options() };
    let server = Server::run(skein_web::bind(place.env("server"), &options).unwrap());
    let id = "00000000-0000-4000-8000-000000000000";
    let thread = |rest: &str| format!("/api/v1/threads/{id}/{rest}");
    let writes = [
        ("/api/v1/threads".to_owned(), NEW),
        (thread("reply"), r#"{"body":"x","resolve":false}"#),
        (thread("resolve"), "{}"),
        (thread("reopen"), "{}"),
        (thread("delete"), "{}"),
        (thread("restore"), "{}"),
        (thread("comments/1"), r#"{"was":"a","body":"b"}"#),
        (thread("apply"), r#"{"token":"t","resolve":false}"#),
        ("/api/v1/submit".to_owned(), "{}"),
        ("/api/v1/viewed".to_owned(), r#"{"path":"src/a.rs","viewed":true,"content":"c"}"#),
    ];
    for (address, body) in &writes {
        let message = check(&place, server.post(address, body), 403);
        assert!(message.contains("read-only"), "{message}");
    }
    check(&place, from_page(&server), 403);
    assert_eq!(server.get("/").send().status, 200);
}

#[test]
fn every_response_has_the_security_headers() {
    let place = Place::new();
    let server = place.serve();
    let answers = [
        server.get("/").send(),
        server.ask("GET", "/").send(),
        server.ask("GET", "/").header("Host", "evil.example").send(),
        server.ask("TRACE", "/").send(),
        server.get("/api/v1/threads").send(),
        server.get("/no/such/page").send(),
        server.ask("GET", "/assets/skein.css").send(),
        server.program("GET", "/").send(),
    ];
    for reply in &answers {
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(reply.header("cross-origin-opener-policy"), Some("same-origin"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
        assert!(reply.header("cache-control").is_some());
    }
}

#[test]
fn invalid_bytes_and_invalid_bodies_are_refused() {
    let place = Place::new();
    let server = place.serve();
    check(&place, server.get("/api/v1/files/%ff%fe"), 400);
    check(&place, server.get("/api/v1/threads/%c3%28"), 400);
    let post = |body: &[u8]| server.post("/api/v1/threads", "").body(body);
    check(&place, post(b"{\"path\":\"src/a.rs\",\"body\":\"\xff\"}"), 400);
    check(&place, post(b"\x00\x01\x02"), 400);
    check(&place, post(b"[1,2,3]"), 400);
    check(&place, post("[".repeat(500_000).as_bytes()), 400);
    let unknown = r#"{"path":"src/a.rs","lines":null,"body":"a","author":"Eve"}"#;
    let message = check(&place, post(unknown.as_bytes()), 400);
    assert!(message.contains("unknown field `author`"), "{message}");
    check(&place, post(br#"{"path":"src/a.rs","lines":[0,1],"body":"a"}"#), 400);
    check(&place, post(br#"{"path":"src/a.rs","lines":[3,2],"body":"a"}"#), 400);
    check(&place, post(br#"{"path":"src/a.rs","lines":[1,4294967296],"body":"a"}"#), 400);
    check(&place, post(br#"{"path":"src/a.rs","lines":[1,400],"body":"a"}"#), 409);
    check(&place, post(br#"{"path":"src/a.rs","lines":[1,1],"body":"  \n"}"#), 400);
}

/// Returns the last comment of a thread: its author, and whether that is an agent.
fn last_comment(server: &Server, id: &str) -> (String, bool) {
    let view = server.get(&format!("/api/v1/threads/{id}")).send().expect(200);
    let last = view["comments"].as_array().unwrap().last().unwrap().clone();
    (last["author"].as_str().unwrap().to_owned(), last["agent"] == true)
}

#[test]
fn a_program_signs_as_a_program() {
    let place = Place::new();
    let server = place.serve();
    let id = server.post("/api/v1/threads", NEW).send().expect(200)["id"].clone();
    let id = id.as_str().unwrap();
    assert_eq!(last_comment(&server, id), ("Ann".to_owned(), false));
    let program = |address: &str, body: &str| server.program("POST", address).json(body).send();
    let address = |rest: &str| format!("/api/v1/threads/{id}/{rest}");
    program(&address("reply"), r#"{"body":"Done."}"#).expect(200);
    assert_eq!(last_comment(&server, id), ("Program [agent]".to_owned(), true));
    // As with an agent, its resolve is a proposal.
    program(&address("resolve"), "{}").expect(200);
    let view = server.get(&format!("/api/v1/threads/{id}")).send().expect(200);
    assert_eq!((&view["status"], &view["proposed_resolved"]), (&"open".into(), &true.into()));
    let first = view["comments"][0]["id"].as_str().unwrap();
    let edit = r#"{"was":"evil","body":"forged"}"#;
    assert_eq!(program(&address(&format!("comments/{first}")), edit).status, 403);
}

#[test]
fn a_program_does_nothing_that_only_the_user_may_do() {
    let place = Place::new();
    let server = place.serve();
    let draft = r#"{"path":"src/a.rs","lines":[2,2],"body":"Why?","draft":true}"#;
    let draft = server.post("/api/v1/threads", draft).send().expect(200)["id"].clone();
    let draft = format!("/api/v1/threads/{}", draft.as_str().unwrap());
    let program = |address: &str, body: &str| server.program("POST", address).json(body);
    let viewed = r#"{"path":"src/a.rs","viewed":true,"content":"c"}"#;
    for (address, body) in [
        ("/api/v1/submit", "{}"),
        ("/api/v1/viewed", viewed),
        ("/api/v1/workspaces/open", r#"{"root":"/"}"#),
        ("/api/v1/doctor/repair", r#"{"repairs":[]}"#),
        ("/api/v1/cleanup", r#"{"token":"0"}"#),
        ("/api/v1/session-map", r#"{"shown":""}"#),
        ("/api/v1/checkpoints", r#"{"summary":"x"}"#),
        ("/api/v1/handoffs", r#"{"summary":"x"}"#),
        ("/api/v1/sessions/s/status", r#"{"status":"ended"}"#),
        (&format!("{draft}/delete"), "{}"),
        (&format!("{draft}/restore"), "{}"),
        (&format!("{draft}/apply"), r#"{"token":"0"}"#),
        ("/session", r#"{"proof":"1-2"}"#),
        ("/api/v1/threads/../submit", "{}"),
        ("/api/v1//submit", "{}"),
    ] {
        check(&place, program(address, body), 403);
    }
    check(&place, program(&format!("{draft}/reply"), r#"{"body":"x"}"#), 409);
    let new = r#"{"path":"src/a.rs","lines":null,"body":"x","draft":true}"#;
    check(&place, program("/api/v1/threads", new), 400);
    for page in ["/", "/threads", "/overview", "/fragment/workspaces"] {
        check(&place, server.program("GET", page), 403);
    }
}

#[test]
fn a_server_on_another_port_that_gets_the_cookie_cannot_write() {
    let place = Place::new();
    let server = place.serve();
    for address in ["/", "/threads", "/overview", "/file/src/a.rs", "/hello", "/api/v1/threads"] {
        let page = server.get(address).send();
        assert_eq!(page.status, 200, "{address}");
        let head = format!("{:?}", page.header("location"));
        for key in [server.page_token(), server.resume_key()] {
            assert!(!page.body.contains(&key) && !head.contains(&key), "{address}");
        }
    }
    // It also cannot get the keys by another login, because that needs a one-time address.
    assert_eq!(server.get("/?pass=1-2-3").send().header("location"), Some("/"));
    check(&place, from_page(&server).without("X-Skein-Page"), 403);
}

#[test]
fn a_name_or_comment_with_invisible_characters_cannot_look_like_another() {
    let place = Place::new();
    place.file("src/gnp.\u{202e}exe.py", "x = 1\n");
    place.file("src/two\n\tlines.txt", "x\n");
    let server = place.serve();
    let new = r#"{"path":"src/a.rs","lines":null,"body":"run gnp.\u202eexe `a\u202eb`\n\n```\nc\u202ed\n```"}"#;
    let id = server.post("/api/v1/threads", new).send().expect(200)["id"].clone();
    let page = server.get("/").send().body;
    for shown in [
        ">src/gnp.\\u{202e}exe.py</a>",
        ">gnp.\\u{202e}exe.py</span>",
        ">src/two\\n\\tlines.txt</a>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let thread = server.get(&format!("/thread/{}", id.as_str().unwrap())).send().body;
    assert!(thread.contains("gnp.<u>\\u{202e}</u>exe <code>a<u>\\u{202e}</u>b</code>"), "{thread}");
    assert!(thread.contains("<pre><code>c<u>\\u{202e}</u>d"), "{thread}");
    // The only element with the raw text is the field to edit it.
    let (shown, field) = thread.split_once("<textarea hidden").unwrap();
    assert!(!shown.contains('\u{202e}') && field.contains('\u{202e}'), "{thread}");
    let new = r#"{"path":"src/gnp.\u202eexe.py","lines":[1,1],"body":"x\u202ey"}"#;
    let odd = server.post("/api/v1/threads", new).send().expect(200)["id"].clone();
    let odd = format!("/thread/{}", odd.as_str().unwrap());
    for address in ["/threads", "/overview", "/search?q=gnp", "/fragment/paths?q=gnp", &odd] {
        let page = server.get(address).send().body;
        let shown = page.split("<textarea hidden").next().unwrap();
        assert!(shown.contains("gnp.\\u{202e}exe.py"), "{address}: {page}");
        // An address and the raw path in an attribute for scripts are not shown.
        assert!(!shown.contains("gnp.\u{202e}exe.py<"), "{address}: {page}");
    }
}
