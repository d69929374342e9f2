//! A thread on a page names the branch that its code is on.

use crate::live::Stream;
use crate::place::Place;

#[test]
fn a_thread_names_the_branch_that_its_code_is_on() {
    let place = Place::new();
    place.git(&["checkout", "--quiet", "--", "."]);
    place.git(&["switch", "--quiet", "-c", "feature"]);
    place.file("src/new.rs", "fn only_here() {}\n");
    place.git(&["add", "src/new.rs"]);
    place.git(&["commit", "--quiet", "-m", "second"]);
    let server = place.serve();
    let body = r#"{"path":"src/new.rs","lines":[1,1],"body":"Why here?","draft":false}"#;
    let written = server.post("/api/v1/threads", body).send().expect(200);
    let id = written["id"].as_str().unwrap();
    let get = |address: &str| server.get(address).send().body;
    assert!(!get("/threads").contains("on feature"));

    let mut stream = Stream::open(&server, "/events", None);
    place.git(&["switch", "--quiet", "main"]);
    while !get(&format!("/thread/{id}")).contains("on feature") {
        stream.next_event();
    }
    let sentence = "The code is not in the checked-out branch; the thread was started on the branch <code>feature</code>.";
    for address in [format!("/thread/{id}"), "/".to_owned()] {
        let page = get(&address);
        assert!(page.contains(sentence), "{address}: {page}");
    }
    for address in ["/", "/threads", "/overview", "/search?q=why", &format!("/thread/{id}")] {
        let page = get(address);
        assert!(page.contains(">on feature</span>"), "{address}: {page}");
        assert!(!page.contains("code is gone"), "{address}: {page}");
    }

    place.git(&["branch", "--quiet", "-D", "feature"]);
    while get("/threads").contains("on feature") {
        stream.next_event();
    }
    assert!(get("/threads").contains(">code is gone</span>"));
}

#[test]
fn a_thread_is_on_its_line_also_between_two_commits() {
    let place = Place::new();
    place.git(&["commit", "--quiet", "--all", "-m", "second"]);
    let server = place.serve();
    let body = r#"{"path":"src/a.rs","lines":[2,2],"body":"Why here?","draft":false}"#;
    server.post("/api/v1/threads", body).send().expect(200);
    // The worktree has a line more above it.
    place.file("src/a.rs", "// a\nfn one() {}\nfn second() {}\nfn three() {}\n");
    for base in ["HEAD~1..HEAD", "HEAD~1"] {
        let page = server.get(&format!("/?base={base}")).send().body;
        assert!(page.contains("class=\"thread-row\""), "{base}: {page}");
        assert!(!page.contains("outside of these lines"), "{base}: {page}");
    }
}

#[test]
fn what_the_text_of_a_line_does_not_show_is_marked() {
    let place = Place::new();
    place.file("src/a.rs", "fn one() {}\r\nfn second() {}");
    place.file(".gitattributes", "*.lock -diff\n");
    place.file("a.lock", "one\n");
    let server = place.serve();
    let page = server.get("/").send().body;
    assert!(page.contains("{}<u data-mark=\"CRLF\"></u>"), "{page}");
    assert!(page.contains("{}<u data-mark=\"no line break\"></u>"), "{page}");
    assert!(page.contains("disable the diff of this file"), "{page}");
}

#[test]
fn a_change_of_the_mode_is_shown() {
    let place = Place::new();
    place.git(&["checkout", "--quiet", "--", "."]);
    let file = place.root.join("src/a.rs");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let page = place.serve().get("/").send().body;
    assert!(page.contains("<span class=\"tag\">100644 → 100755</span>"), "{page}");
    assert!(page.contains("Only the mode has changed."), "{page}");
}

#[test]
fn text_whose_diff_is_disabled_can_be_commented() {
    let place = Place::new();
    place.file(".gitattributes", "*.lock -diff\n");
    place.file("a.lock", "one\n");
    let server = place.serve();
    let body = r#"{"path":"a.lock","lines":[1,1],"body":"Why this one?","draft":false}"#;
    server.post("/api/v1/threads", body).send().expect(200);
    assert!(server.get("/").send().body.contains("Why this one?"));
}
