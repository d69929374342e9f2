//! The lists of threads, and their counts.

use crate::place::{Place, Server};

fn add(server: &Server, path: &str, body: &str, draft: bool) -> String {
    let body = format!(r#"{{"path":"{path}","lines":[2,2],"body":"{body}","draft":{draft}}}"#);
    let written = server.post("/api/v1/threads", &body).send().expect(200);
    written["id"].as_str().unwrap().to_owned()
}

fn page(server: &Server, address: &str) -> String {
    let page = server.get(address).send();
    assert_eq!(page.status, 200, "{address}: {}", page.body);
    page.body
}

/// Returns the text of the elements with a class, in order.
fn texts(page: &str, class: &str) -> Vec<String> {
    let start = format!("class=\"{class}\"");
    let text = |part: &str| {
        let inner = part.split_once('>').unwrap().1.split_once("</").unwrap().0;
        inner.to_owned()
    };
    page.split(&start).skip(1).map(text).collect()
}

/// Adds a reply of an agent, so that the thread waits on the reviewer.
fn answer(place: &Place, id: &str, text: &str) {
    let path = format!(".code-review/threads/{id}.md");
    let thread = std::fs::read_to_string(place.root.join(&path)).unwrap();
    let reply = format!(
        "\n<local-code-review-comment id=\"r1\" author=\"Claude Code\" createdAt=\"2026-01-23T14:31:00.000Z\">\n\n{text}\n\n</local-code-review-comment>\n"
    );
    place.file(&path, [thread, reply].concat());
}

#[test]
fn a_thread_is_found_by_the_prefix_of_its_id() {
    let place = Place::new();
    let server = place.serve();
    let id = add(&server, "src/a.rs", "Why?", false);
    let short = server.get(&format!("/thread/{}", &id[..6])).send();
    assert_eq!((short.status, short.header("location")), (303, Some(&*format!("/thread/{id}"))));
    assert!(page(&server, &format!("/thread/{id}")).contains("Why?"));
    assert_eq!(server.get("/thread/none").send().status, 404);
}

#[test]
fn a_thread_that_waits_on_the_reviewer_shows_the_answer() {
    let place = Place::new();
    let server = place.serve();
    let id = add(&server, "src/a.rs", "The question of the reviewer", false);
    server.stop();
    answer(&place, &id, "The answer of the agent");
    let server = place.serve();
    for address in ["/threads", "/overview"] {
        let page = page(&server, address);
        assert!(page.contains("The answer of the agent"), "{address}: {page}");
    }
    let list = page(&server, "/threads");
    assert!(list.contains("title=\"The question of the reviewer\">The answer"), "{list}");
}

#[test]
fn the_thread_counts_are_the_same_on_all_pages() {
    let place = Place::new();
    let server = place.serve();
    let first = add(&server, "src/a.rs", "one", false);
    add(&server, "src/a.rs", "two", false);
    add(&server, "src/a.rs", "three", true);
    add(&server, "src/a.rs", "four", true);
    server.post(&format!("/api/v1/threads/{first}/resolve"), "{}").send().expect(200);
    place.file(".code-review/threads/broken.md", "no thread at all\n");
    server.stop();
    let server = place.serve();
    let threads = page(&server, "/threads");
    // Open, waiting on the reviewer, waiting on an agent, drafts, resolved, all.
    let counts = texts(&threads, "count");
    let counts: Vec<&str> = counts.iter().rev().take(6).rev().map(String::as_str).collect();
    assert_eq!(counts, ["1", "0", "1", "2", "1", "4"]);
    let overview = page(&server, "/overview");
    assert!(overview.contains("1 open thread, 1 resolved"), "{overview}");
    let changes = page(&server, "/");
    assert!(changes.contains("aria-label=\"1 open thread\">1<"), "{changes}");
    assert!(changes.contains("aria-label=\"2 drafts\">2<"), "{changes}");
    assert!(changes.contains("Submit<span class=\"wide\"> review</span> <span class=\"count\">2<"));
}

#[test]
fn a_file_that_cannot_be_used_is_listed_with_its_reason() {
    let place = Place::new();
    place.file(".code-review/threads/broken.md", "no thread at all\n");
    let server = place.serve();
    for address in ["/", "/threads"] {
        let page = page(&server, address);
        let (_, damaged) = page.split_once("Files that cannot be used").unwrap();
        assert!(damaged.contains("<code>.code-review/threads/broken.md</code> "), "{damaged}");
        assert!(!damaged.contains("broken.md</code> </li>"), "{damaged}");
        assert!(!damaged.contains("data-act=\"resolve\""), "{damaged}");
    }
}

#[test]
fn without_scripts_a_page_says_what_works_and_leads_to_its_files() {
    let place = Place::new();
    for number in 0..8 {
        place.file(&format!("src/{number}.txt"), "a line\n".repeat(200));
    }
    let server = place.serve();
    let page = page(&server, "/");
    assert!(
        page.contains("<noscript><p class=\"note\">This page needs scripts to write"),
        "{page}"
    );
    let link = "<a href=\"/file/src/7.txt\"><span class=\"scripted\">Loading…</span><noscript>Show the file</noscript></a>";
    assert!(page.contains(link), "{page}");
}

#[test]
fn many_threads_are_on_several_pages() {
    let place = Place::new();
    let server = place.serve();
    let id = add(&server, "src/a.rs", "The text", false);
    let thread = std::fs::read_to_string(place.root.join(format!(".code-review/threads/{id}.md")));
    let thread = thread.unwrap();
    for number in 0..200 {
        let copy = format!("{:08x}{}", number, &id[8..]);
        place.file(&format!(".code-review/threads/{copy}.md"), thread.replace(&id, &copy));
    }
    server.stop();
    let server = place.serve();
    let first = page(&server, "/threads?file=src/a.rs");
    assert_eq!(first.matches("<li class=\"line ").count(), 200, "{first}");
    assert!(first.contains("1–200 of 201 threads"), "{first}");
    assert!(first.contains("href=\"/threads?file=src/a.rs&#38;page=2\""), "{first}");
    let last = page(&server, "/threads?file=src/a.rs&page=2");
    assert_eq!(last.matches("<li class=\"line ").count(), 1, "{last}");
    assert!(last.contains("201–201 of 201 threads"), "{last}");
}

#[test]
fn the_counts_of_one_file_link_to_the_threads_of_that_file() {
    let place = Place::new();
    place.file("src/b.rs", "one\ntwo\n");
    let server = place.serve();
    add(&server, "src/a.rs", "one", false);
    add(&server, "src/b.rs", "two", false);
    let list = page(&server, "/threads?file=src/b.rs");
    assert!(list.contains("href=\"/threads?status=all&#38;file=src/b.rs\""), "{list}");
    let all = page(&server, "/threads?status=all&file=src/b.rs");
    assert!(all.contains("two") && !all.contains(">one<"), "{all}");
}

#[test]
fn only_resolved_threads_have_the_settled_dot() {
    let place = Place::new();
    let server = place.serve();
    let first = add(&server, "src/a.rs", "one", false);
    let second = add(&server, "src/a.rs", "two", false);
    let own = page(&server, &format!("/thread/{first}"));
    let (_, others) = own.split_once("Other open threads on this file").unwrap();
    assert!(others.contains("class=\"dot agent\""), "{others}");
    server.post(&format!("/api/v1/threads/{second}/resolve"), "{}").send().expect(200);
    let all = page(&server, "/threads?status=all");
    assert_eq!(all.matches("class=\"dot settled\"").count(), 1, "{all}");
}

#[test]
fn a_missing_path_suggests_similar_files() {
    let place = Place::new();
    place.file("README.md", "# Here\n");
    let server = place.serve();
    let missing = server.get("/file/READ").send();
    assert_eq!(missing.status, 404);
    assert!(missing.body.contains("href=\"/file/README.md\""), "{}", missing.body);
    let offered = page(&server, "/fragment/paths?q=read");
    assert!(offered.contains("href=\"/file/README.md\""), "{offered}");
    assert!(!page(&server, "/fragment/paths?q=nothing-like-it").contains("href"));
}

#[test]
fn line_numbers_are_an_element_separate_from_the_path() {
    let place = Place::new();
    let server = place.serve();
    add(&server, "src/a.rs", "one", false);
    let parts = "<span class=\"dir\">src/</span><span class=\"base\">a.rs</span><span class=\"lines\">:2</span>";
    for address in ["/threads", "/overview", "/search?q=one"] {
        let page = page(&server, address);
        assert!(page.contains(parts), "{address}: {page}");
    }
}

#[test]
fn search_results_have_no_markdown_syntax() {
    let place = Place::new();
    let server = place.serve();
    add(&server, "src/a.rs", "The first line.\\n\\nCall `unwrap` on **nothing**.", false);
    let found = page(&server, "/search?q=unwrap");
    assert!(found.contains("Call <mark>unwrap</mark> on nothing."), "{found}");
}
