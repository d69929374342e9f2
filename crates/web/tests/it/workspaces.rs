//! Switching from one workspace to another.

use std::path::{Path, PathBuf};

use serde_json::json;
use skein_workspace::{discover_in, registry};

use crate::client::{Reply, Request};
use crate::place::{Place, Server};

/// Returns a workspace, and two more that are registered, of which the second was deleted.
fn registered_workspaces() -> (Place, PathBuf, PathBuf) {
    let place = Place::new();
    let beside = |name: &str| {
        let root = place.root.parent().unwrap().join(name);
        std::fs::create_dir_all(root.join(".code-review/threads")).unwrap();
        let env = place.env("other");
        registry::remember(&discover_in(&env, &root));
        root
    };
    let (there, gone) = (beside("there"), beside("gone"));
    std::fs::remove_dir_all(&gone).unwrap();
    (place, there, gone)
}

fn open(server: &Server, root: &Path, page: Option<&str>) -> Request {
    let body = match page {
        Some(page) => json!({"root": root, "page": page}),
        None => json!({"root": root}),
    };
    server.post("/api/v1/workspaces/open", &body.to_string())
}

/// Requests an address as a browser does.
fn follow(address: &str) -> (u16, Reply) {
    let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
    let (port, path) = rest.split_once('/').unwrap();
    let port = port.parse().unwrap();
    let path = path.split('#').next().unwrap();
    (port, Request::new(port, "GET", &format!("/{path}")).send())
}

#[test]
fn another_workspace_is_served_until_the_first_server_stops() {
    let (place, there, _) = registered_workspaces();
    let server = place.serve();
    let opened = open(&server, &there, None).send().expect(200);
    let address = opened["address"].as_str().unwrap();
    let (port, first) = follow(address);
    assert_ne!(port, server.port);
    assert_eq!(first.status, 303);
    assert!(first.header("location").unwrap().starts_with("/overview#keys="));
    let cookie = first.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let page_of_there = Request::new(port, "GET", "/overview").header("Cookie", &cookie);
    let page = page_of_there.clone().send();
    assert!(page.body.contains("<b>there</b>"), "{}", page.body);
    // The address works once, and does not contain the token.
    assert_eq!(follow(address).1.status, 403);
    assert!(!address.contains(&server.token));
    // The same server is used again, with the requested page.
    let again = open(&server, &there, Some("/thread/x#c-1")).send().expect(200);
    let again = again["address"].as_str().unwrap();
    let (same, reply) = follow(again);
    assert_eq!(same, port);
    let location = reply.header("location").unwrap();
    assert!(location.starts_with("/thread/x#keys=") && location.ends_with(",c-1"), "{location}");
    drop(server);
    // The server of another test may use the port now; it refuses the cookie.
    assert!(page_of_there.try_send().is_none_or(|reply| reply.status != 200));
}

#[test]
fn the_list_marks_the_current_and_the_missing_workspaces() {
    let (place, there, gone) = registered_workspaces();
    let server = place.serve();
    let page = server.get("/workspaces").send().body;
    for part in [
        format!("<code>{}</code>", place.root.display()),
        format!("data-root=\"{}\"", there.display()),
        "0 reviews".to_owned(),
        ">here</span>".to_owned(),
        ">gone</span>".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    assert!(!page.contains(&format!("data-root=\"{}\"", gone.display())));
    assert!(
        server.get("/fragment/workspaces").send().body.contains("class=\"list workspace-list\"")
    );
    let listed = server.get("/api/v1/workspaces").send().expect(200);
    let all = listed["workspaces"].as_array().unwrap();
    let of = |root: &Path| all.iter().find(|one| one["root"] == root.to_str().unwrap()).unwrap();
    assert_eq!(
        (&of(&place.root)["here"], &of(&place.root)["branch"]),
        (&true.into(), &"main".into())
    );
    assert_eq!((&of(&there)["exists"], &of(&gone)["exists"]), (&true.into(), &false.into()));
}

#[test]
fn a_worktree_of_the_same_repository_can_be_opened_without_being_registered() {
    let (place, ..) = registered_workspaces();
    let tree = place.root.parent().unwrap().join("tree");
    place.git(&["worktree", "add", "--quiet", "-b", "side", tree.to_str().unwrap()]);
    let server = place.serve();
    assert!(server.get("/workspaces").send().body.contains(">side</span>"));
    open(&server, &tree, None).send().expect(200);
}

#[test]
fn unknown_directories_are_not_served() {
    let (place, there, gone) = registered_workspaces();
    let stranger = place.root.parent().unwrap().join("stranger");
    std::fs::create_dir_all(stranger.join(".code-review/threads")).unwrap();
    let server = place.serve();
    let before = place.everything();
    let roots = [
        stranger,
        gone,
        PathBuf::from("/"),
        PathBuf::from("/etc"),
        PathBuf::from("there"),
        PathBuf::new(),
        there.join("."),
        there.join("../there"),
        there.join(".code-review"),
        place.root.join("../there"),
    ];
    for root in &roots {
        // Another spelling of a registered path is refused too.
        let reply = open(&server, root, None).send();
        let text = json!(root).to_string();
        assert_eq!(reply.status, 404, "{text}: {}", reply.body);
    }
    for page in ["//evil.example/", "http://evil.example/", "/?token=x", "/a\\b", ""] {
        assert_eq!(open(&server, &there, Some(page)).send().status, 400, "{page}");
    }
    let script = json!({"root": "<script>alert(1)</script>"}).to_string();
    let response = server.post("/api/v1/workspaces/open", &script).send();
    assert_eq!((response.status, response.header("content-type")), (404, Some("application/json")));
    assert!(place.everything() == before, "something was written");
}

#[test]
fn only_a_page_of_this_server_opens_another() {
    let (place, there, _) = registered_workspaces();
    let server = place.serve();
    let body = json!({"root": there}).to_string();
    let before = place.everything();
    let ask = || server.ask("POST", "/api/v1/workspaces/open").json(&body);
    let own = format!("http://127.0.0.1:{}", server.port);
    let known = || ask().header("Cookie", &server.cookie());
    let from_page = || known().header("Origin", &own).header("X-Skein-Page", &server.page_token());
    let refused = [
        ask(),
        known(),
        known().header("Origin", &own),
        known().header("Origin", &own).header("X-Skein-Page", "wrong"),
        from_page().header("Origin", "http://evil.example"),
        from_page().header("Origin", "http://127.0.0.1:1"),
        from_page().header("Sec-Fetch-Site", "cross-site"),
        from_page().header("Sec-Fetch-Site", "same-site"),
        ask().header("Authorization", "Bearer wrong"),
    ];
    for request in refused {
        assert_eq!(request.send().status, 403);
    }
    // A GET request starts no server.
    assert_eq!(server.get("/api/v1/workspaces/open").send().status, 405);
    assert_eq!(
        server.get(&format!("/api/v1/workspaces/open?root={}", there.display())).send().status,
        405
    );
    assert!(place.everything() == before, "something was written");
    assert_eq!(from_page().header("Sec-Fetch-Site", "same-origin").send().status, 200);
}

#[test]
fn a_read_only_server_starts_no_other_server() {
    let (place, there, _) = registered_workspaces();
    let options = skein_web::ServeOptions { read_only: true, ..crate::place::options() };
    let server = Server::run(skein_web::bind(place.env("server"), &options).unwrap());
    let before = place.everything();
    assert_eq!(open(&server, &there, None).send().status, 403);
    assert!(place.everything() == before);
    let page = server.get("/workspaces").send().body;
    assert!(!page.contains("data-act=\"switch\"") && page.contains("read-only"), "{page}");
}
