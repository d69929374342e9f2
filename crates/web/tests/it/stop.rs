//! The shutdown of the server.

use std::io::Read as _;
use std::net::TcpStream;
use std::time::Duration;

use crate::client::connect;
use crate::place::{Place, Server};

/// Opens an event stream, and reads its first event.
fn open_events(server: &Server) -> TcpStream {
    let mut stream = server.get("/events").open();
    let mut received = Vec::new();
    while !received.ends_with(b"\n\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        received.extend(byte);
    }
    stream
}

#[test]
fn open_streams_do_not_delay_the_shutdown() {
    let place = Place::new();
    let server = place.serve();
    let streams: Vec<TcpStream> = (0..5).map(|_| open_events(&server)).collect();
    // One client has connected and sends nothing, and another one keeps its connection open.
    let silent = connect(server.port).unwrap();
    let kept = server.get("/").open();
    assert_eq!(server.get("/").send().status, 200);
    let took = server.stop();
    // A stream sends a keep-alive every fifteen seconds; the shutdown does not wait for it.
    assert!(took < Duration::from_secs(10), "{took:?}");
    for mut stream in streams {
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
    }
    drop((silent, kept));
}
