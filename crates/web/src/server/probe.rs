//! Asks whoever has a port whether it is a server of the same workspace.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::auth::prove;

/// A server that has just begun to listen may need a moment.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);

/// What is read of an answer at most, in bytes.
const MAX_ANSWER_LEN: u64 = 16 * 1024;

/// Returns the name of the start of a server at a port that knows the token and writes as much.
///
/// The token is not sent, because a stranger may be listening: only the one who has it can answer the nonce.
pub(super) fn answers(token: &str, port: u16, read_only: bool, nonce: &str) -> Option<String> {
    let answer = ask(port, nonce).ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    let said: Said = serde_json::from_str(body).ok()?;
    let expected = prove(token, port, nonce, (&said.start, read_only));
    (said.proof == expected).then_some(said.start)
}

#[derive(serde::Deserialize)]
struct Said {
    start: String,
    proof: String,
}

fn ask(port: u16, nonce: &str) -> io::Result<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT)?;
    stream.set_read_timeout(Some(CONNECT_TIMEOUT))?;
    stream.set_write_timeout(Some(CONNECT_TIMEOUT))?;
    let request = format!(
        "GET /hello?nonce={nonce} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER_LEN).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
