//! Text that would be a script without escaping.

use crate::place::Place;

const SCRIPT: &str = "</textarea></script><script>alert(1)</script><img src=x onerror=alert(2)>";
const NAME: &str = "<img src=x onerror=alert(3)>'\".rs";

#[test]
fn a_script_is_shown_as_text() {
    let place = Place::new();
    place.file(NAME, format!("{SCRIPT}\n"));
    let server = place.serve();
    let text = serde_json::to_string(&format!("{SCRIPT}\n\n[a](javascript:alert(4))\n")).unwrap();
    let name = serde_json::to_string(NAME).unwrap();
    let mut ids = Vec::new();
    for draft in [true, false] {
        let body = format!(
            r#"{{"path":{name},"lines":[1,1],"body":{text},"suggestion":{text},"draft":{draft}}}"#
        );
        let written = server.post("/api/v1/threads", &body).send().expect(200);
        ids.push(written["id"].as_str().unwrap().to_owned());
    }
    let file: String = NAME.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let script: String = SCRIPT.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let mut pages = vec![
        "/".to_owned(),
        format!("/?base={script}"),
        format!("/?path={script}"),
        format!("/{script}"),
        format!("/file/{file}"),
        format!("/file/{script}"),
        "/threads".to_owned(),
        format!("/threads?status={script}&file={script}&waiting={script}"),
        format!("/thread/{script}"),
    ];
    pages.extend(ids.iter().map(|id| format!("/thread/{id}")));
    for address in &pages {
        let page = server.get(address).send();
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{address}");
        for bad in ["<script>alert", "<img src=x", "href=\"javascript:"] {
            assert!(!page.body.contains(bad), "{address}: {}", page.body);
        }
    }
    for address in ["/api/v1/threads", "/api/v1/diff", &format!("/api/v1/threads/{script}")] {
        let reply = server.get(address).send();
        assert_eq!(reply.header("content-type"), Some("application/json"), "{address}");
    }
}

#[test]
fn the_page_that_reloads_itself_does_not_redirect_elsewhere() {
    let place = Place::new();
    let server = place.serve();
    let ask = |address: &str| {
        let request = server.ask("GET", address).header("Sec-Fetch-Site", "cross-site");
        request.header("Sec-Fetch-Mode", "navigate").send()
    };
    let page = ask("/thread/a?x=';url=http://evil.example/'");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("0; url=/thread/a?x=&#39;;url=http"), "{}", page.body);
    // Characters that are invalid in an address make the request invalid.
    assert_eq!(ask("/thread/a?x=\"><script>alert(1)</script>").status, 400);
    // The page reloads itself only once: without a cookie the second request is refused.
    assert_eq!(ask("/thread/a?again=1").status, 403);
    assert_eq!(ask("//evil.example/").status, 404);
}
