//! Asks the process at a port whether it is a server of the same workspace.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::credentials::{ServerMode, prove};

/// Long enough for a server that has just begun to listen.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);

/// The maximum length of a response that is read, in bytes.
const MAX_RESPONSE_LEN: u64 = 16 * 1024;

/// Returns the id of the start of a server at a port that has the token and the same mode.
///
/// The token is not sent, because another program may listen there: only a process that has it can answer the nonce.
pub(super) fn server_start(
    token: &str,
    port: u16,
    mode: ServerMode,
    nonce: &str,
) -> Option<String> {
    let response = request(port, nonce).ok()?;
    let (_, body) = response.split_once("\r\n\r\n")?;
    let hello: Hello = serde_json::from_str(body).ok()?;
    let expected = prove(token, port, nonce, (&hello.start, mode));
    (hello.proof == expected).then_some(hello.start)
}

#[derive(serde::Deserialize)]
struct Hello {
    start: String,
    proof: String,
}

fn request(port: u16, nonce: &str) -> io::Result<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT)?;
    stream.set_read_timeout(Some(CONNECT_TIMEOUT))?;
    stream.set_write_timeout(Some(CONNECT_TIMEOUT))?;
    let request = format!(
        "GET /hello?nonce={nonce} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    stream.take(MAX_RESPONSE_LEN).read_to_end(&mut response)?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}
