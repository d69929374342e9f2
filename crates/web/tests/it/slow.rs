//! Clients that send too much, too slowly or without an end.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use crate::client::{Reply, connect};
use crate::place::{Place, Server};

/// Returns the head of a write request; `how` is the header that announces the body.
fn head(server: &Server, how: &str) -> String {
    let (port, token) = (server.port, &server.token);
    format!(
        "POST /api/v1/threads HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\n{how}\r\n\r\n"
    )
}

#[test]
fn a_body_of_100_mb_is_refused_unread() {
    let place = Place::new();
    let server = place.serve();
    let before = place.everything();
    let mut stream = connect(server.port).unwrap();
    stream.write_all(head(&server, "Content-Length: 104857600").as_bytes()).unwrap();
    // It is refused before a byte of it is sent.
    let start = Instant::now();
    assert_eq!(Reply::read(stream).unwrap().status, 413);
    assert!(start.elapsed() < Duration::from_secs(20));
    // A client that sends part of the body before it reads still gets the status.
    let mut stream = connect(server.port).unwrap();
    stream.write_all(head(&server, "Content-Length: 2097152").as_bytes()).unwrap();
    stream.write_all(&vec![b' '; 2_097_152]).unwrap();
    assert_eq!(Reply::read(stream).unwrap().status, 413);
    let mut stream = connect(server.port).unwrap();
    stream.write_all(head(&server, "Content-Length: 104857600").as_bytes()).unwrap();
    let piece = vec![b' '; 1024 * 1024];
    let sent = (0..100).take_while(|_| stream.write_all(&piece).is_ok()).count();
    assert!(sent < 100, "the whole body was accepted");
    assert!(place.everything() == before);
    assert_eq!(server.get("/").send().status, 200);
}

#[test]
fn an_endless_body_is_cut_off() {
    let place = Place::new();
    let server = place.serve();
    let before = place.everything();
    let mut stream = connect(server.port).unwrap();
    stream.write_all(head(&server, "Transfer-Encoding: chunked").as_bytes()).unwrap();
    let mut piece = b"10000\r\n".to_vec();
    piece.extend([b' '; 0x10000]);
    piece.extend(b"\r\n");
    let sent = (0..1000).take_while(|_| stream.write_all(&piece).is_ok()).count();
    assert!(sent < 1000, "the whole body was accepted");
    assert!(place.everything() == before);
    assert_eq!(server.get("/").send().status, 200);
}

#[test]
fn an_invalid_length_is_refused() {
    let place = Place::new();
    let server = place.serve();
    let before = place.everything();
    for how in [
        "Content-Length: -1",
        "Content-Length: 99999999999999999999999",
        "Content-Length: 2\r\nContent-Length: 3",
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
    ] {
        let mut stream = connect(server.port).unwrap();
        stream.write_all(head(&server, how).as_bytes()).unwrap();
        drop(stream.write_all(b"{}\r\n0\r\n\r\n"));
        let status = Reply::read(stream).map_or(400, |reply| reply.status);
        assert!((400..500).contains(&status), "{how}: {status}");
    }
    assert!(place.everything() == before);
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let place = Place::new();
    let server = place.serve();
    let long = "x".repeat(200 * 1024);
    let status = |request: crate::client::Request| {
        // The connection may be closed before the response can be read.
        Reply::read(request.open()).map_or(431, |reply| reply.status)
    };
    assert!((400..500).contains(&status(server.get("/").header("X-Long", &long))));
    assert!((400..500).contains(&status(server.get(&format!("/{long}")))));
    let mut many = server.get("/");
    for number in 0..2000 {
        many = many.header(&format!("X-Many-{number}"), "1");
    }
    assert!((400..500).contains(&status(many)));
    assert_eq!(server.get("/").send().status, 200);
}

#[test]
fn silent_clients_do_not_block_others() {
    let place = Place::new();
    let server = place.serve();
    let silent: Vec<_> = (0..200).map(|_| connect(server.port).unwrap()).collect();
    let slow: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = connect(server.port).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    let start = Instant::now();
    assert_eq!(server.get("/").send().status, 200);
    assert!(start.elapsed() < Duration::from_secs(20));
    // After ten seconds the server closes their connections.
    for mut stream in silent.into_iter().take(3).chain(slow) {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn more_silent_clients_than_the_connection_limit_do_not_delay_a_page() {
    let place = Place::new();
    let server = place.serve();
    assert_eq!(server.get("/").send().status, 200);
    let silent: Vec<_> = (0..600).map(|_| connect(server.port).unwrap()).collect();
    let start = Instant::now();
    assert_eq!(server.get("/").send().status, 200);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(silent);
}

#[test]
fn large_answers_that_are_not_read_are_bounded() {
    let place = Place::new();
    place.file("large.txt", "some words on a line of a large file\n".repeat(150_000));
    let server = place.serve();
    // Only the first line of each response is read.
    let all = "/fragment/section?whole=1&name=large.txt&open=1-150000";
    let unread: Vec<_> = (0..30).map(|_| server.get(all).open()).collect();
    let status = |mut stream: &std::net::TcpStream| {
        let mut line = [0; 12];
        stream.read_exact(&mut line).unwrap();
        String::from_utf8_lossy(&line).split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    };
    let statuses: Vec<u16> = unread.iter().map(status).collect();
    let sent = statuses.iter().filter(|status| **status == 200).count();
    assert!((1..16).contains(&sent), "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    // A small page is still served.
    assert_eq!(server.get("/").send().status, 200);
    drop(unread);
}

#[test]
fn bytes_that_are_not_http_are_refused() {
    let place = Place::new();
    let server = place.serve();
    for bytes in
        [&b"\x16\x03\x01\x02\x00\x01\x00\x01"[..], b"\r\n\r\nHELLO\r\n\r\n", b"GET\0/\r\n\r\n"]
    {
        let mut stream = connect(server.port).unwrap();
        stream.write_all(bytes).unwrap();
        let status = Reply::read(stream).map_or(400, |reply| reply.status);
        assert_eq!(status, 400);
    }
    assert_eq!(server.get("/").send().status, 200);
}
