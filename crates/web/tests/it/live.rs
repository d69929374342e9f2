//! The events that a browser receives while other processes write.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use skein_review::{AddOptions, CodeLocation, NewThread};
use skein_workspace::{Actor, discover};

use crate::place::{Place, Server};

/// A stream of events.
pub(crate) struct Stream(BufReader<TcpStream>);

/// One event: its name, its id and its data.
#[derive(Debug)]
pub(crate) struct ServerEvent {
    name: String,
    id: String,
    pub(crate) data: serde_json::Value,
}

impl Stream {
    pub(crate) fn open(server: &Server, address: &str, last: Option<&str>) -> Self {
        let request = server.get(address);
        let request = match last {
            Some(last) => request.header("Last-Event-ID", last),
            None => request,
        };
        let mut reader = BufReader::new(request.open());
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0);
        }
        Self(reader)
    }

    /// Waits for the next event; returns `None` when the stream has ended.
    fn next(&mut self) -> Option<ServerEvent> {
        let (mut name, mut id, mut data) = (String::new(), String::new(), None);
        let start = Instant::now();
        loop {
            // Keep-alive lines reset the read timeout, so the whole wait has its own limit.
            assert!(start.elapsed() < Duration::from_secs(30), "no event came");
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("id", value)) => value.clone_into(&mut id),
                Some(("data", value)) => data = serde_json::from_str(value).unwrap(),
                _ => {}
            }
            if let Some(data) = data.take_if(|_| line.trim_end().is_empty()) {
                return Some(ServerEvent { name, id, data });
            }
        }
    }

    pub(crate) fn next_event(&mut self) -> ServerEvent {
        self.next().expect("an event")
    }

    /// Waits for an event about a thread.
    fn thread(&mut self, id: &str) -> ServerEvent {
        loop {
            let event = self.next_event();
            if event.data["threads"].as_array().unwrap().iter().any(|one| one == id) {
                return event;
            }
        }
    }
}

/// Adds a comment as another process would.
fn comment(place: &Place, who: &str) -> String {
    let workspace = discover(&place.env(who));
    let actor = Actor { name: "Ben".to_owned(), agent: false };
    let at = CodeLocation::new(&workspace, "src/a.rs", Some((2, 2))).unwrap();
    let new = NewThread { place: at, body: who.to_owned(), suggestion: None, expect: None };
    let options = AddOptions { draft: false, changed_only: false };
    let added = skein_review::add(&workspace, &actor, &[new], options).unwrap();
    added.threads[0].id.clone()
}

#[test]
fn a_comment_of_another_process_is_reported() {
    let place = Place::new();
    // A new store is reported as a change of everything, so it must exist before the server starts.
    comment(&place, "before");
    let server = place.serve();
    let mut stream = Stream::open(&server, "/events", None);
    assert_eq!(stream.next_event().name, "ready");
    let id = comment(&place, "first");
    let event = stream.thread(&id);
    assert_eq!(event.name, "");
    assert_eq!(event.data["everything"], false);
}

#[test]
fn a_file_that_is_changed_back_while_the_page_loads_it_is_empty() {
    let place = Place::new();
    let server = place.serve();
    let section = || server.get("/fragment/section?name=src/a.rs").send();
    assert!(section().body.contains("class=\"file"));
    place.git(&["checkout", "--quiet", "--", "."]);
    let mut stream = Stream::open(&server, "/events", None);
    while !section().body.is_empty() {
        stream.next_event();
    }
    assert_eq!(section().status, 200);
}

#[test]
fn a_stream_resumes_after_the_last_received_event() {
    let place = Place::new();
    // A new store is reported as a change of everything, so it must exist before the server starts.
    comment(&place, "before");
    let server = place.serve();
    let mut stream = Stream::open(&server, "/events", None);
    let ready = stream.next_event();
    let first = comment(&place, "first");
    let event = stream.thread(&first);
    drop(stream);
    let second = comment(&place, "second");
    for (address, last) in [
        ("/events".to_owned(), Some(event.id.as_str())),
        (format!("/events?after={}", event.id), None),
        // The event id in the header takes precedence over the one in the address.
        (format!("/events?after={}", ready.id), Some(event.id.as_str())),
    ] {
        let mut stream = Stream::open(&server, &address, last);
        assert_eq!(stream.next_event().name, "ready");
        stream.thread(&second);
    }
    let mut stream = Stream::open(&server, "/events", Some(&ready.id));
    assert_eq!(stream.next_event().id, ready.id);
    stream.thread(&first);
}

#[test]
fn an_unknown_event_id_resets_the_stream() {
    let place = Place::new();
    let server = place.serve();
    let ready = Stream::open(&server, "/events", None).next_event();
    let (boot, _) = ready.id.split_once('-').unwrap();
    for last in ["0", "other-1", "x-y-z", &format!("{boot}-1"), &format!("{boot}-x"), "\u{e4}"] {
        let mut stream = Stream::open(&server, "/events", Some(last));
        let event = stream.next_event();
        assert_eq!(event.name, "reset", "{last}");
        assert_eq!(event.data["everything"], true);
        assert_eq!(event.id.split_once('-').unwrap().0, boot);
    }
}

#[test]
fn an_event_id_of_an_earlier_server_run_resets_the_stream() {
    let place = Place::new();
    let server = place.serve();
    let ready = Stream::open(&server, "/events", None).next_event();
    server.stop();
    let bound = skein_web::bind(place.env("again"), &crate::place::options()).unwrap();
    let server = Server::run(bound);
    let mut stream = Stream::open(&server, "/events", Some(&ready.id));
    assert_eq!(stream.next_event().name, "reset");
}

#[test]
fn two_servers_of_one_workspace_send_the_same_events() {
    let place = Place::new();
    comment(&place, "before");
    let one = place.serve();
    let options = skein_web::ServeOptions { port: Some(0), ..crate::place::options() };
    let other = Server::run(skein_web::bind(place.env("other"), &options).unwrap());
    assert_eq!(one.token, other.token);
    let mut streams = [&one, &other].map(|server| Stream::open(server, "/events", None));
    for stream in &mut streams {
        stream.next_event();
    }
    let body = r#"{"path":"src/a.rs","lines":[1,1],"body":"hello","draft":false}"#;
    let written = one.post("/api/v1/threads", body).send().expect(200);
    let id = written["id"].as_str().unwrap().to_owned();
    let id = id.as_str();
    for stream in &mut streams {
        stream.thread(id);
    }
    let body = r#"{"body":"answer","resolve":true}"#;
    let done = other.post(&format!("/api/v1/threads/{id}/reply"), body).send().expect(200);
    assert_eq!(done["status"], "resolved");
    // The new thread may have caused a second event, which comes before the one of the reply.
    let mut seen = written;
    while seen["status"] != "resolved" {
        streams[0].thread(id);
        seen = one.get(&format!("/api/v1/threads/{id}")).send().expect(200);
    }
    assert_eq!(seen["comment_count"], 2);
}

#[test]
fn a_client_that_does_not_read_does_not_delay_others() {
    let place = Arc::new(Place::new());
    comment(&place, "before");
    let server = place.serve();
    let unread = Stream::open(&server, "/events", None);
    let mut reading = Stream::open(&server, "/events", None);
    reading.next_event();
    for number in 0..20 {
        let id = comment(&place, &format!("number {number}"));
        reading.thread(&id);
    }
    drop(unread);
}

#[test]
fn the_stream_is_not_compressed() {
    let place = Place::new();
    let server = place.serve();
    let request = server.get("/events").header("Accept-Encoding", "gzip");
    let mut reader = BufReader::new(request.open());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).unwrap();
    }
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    assert!(!head.contains("gzip"), "{head}");
    let page = server.get("/api/v1/diff").header("Accept-Encoding", "gzip").send();
    assert_eq!(page.header("content-encoding"), Some("gzip"));
}
