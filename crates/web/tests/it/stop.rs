//! The end.

use std::io::Read as _;
use std::net::TcpStream;
use std::time::Duration;

use crate::client::connect;
use crate::place::{Place, Server};

/// Opens a stream, and reads until it has said something.
fn listening(server: &Server) -> TcpStream {
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
fn open_streams_do_not_delay_the_end() {
    let place = Place::new();
    let server = place.serve();
    let streams: Vec<TcpStream> = (0..5).map(|_| listening(&server)).collect();
    // Somebody has connected and says nothing, and somebody else keeps a connection for later.
    let silent = connect(server.port).unwrap();
    let kept = server.get("/").open();
    assert_eq!(server.get("/").send().status, 200);
    let took = server.stop();
    // A stream says something every fifteen seconds: nobody waits for that.
    assert!(took < Duration::from_secs(10), "{took:?}");
    for mut stream in streams {
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
    }
    drop((silent, kept));
}
