//! Reads requests.

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::net::TcpStream;

/// A request as it came.
#[derive(Default)]
pub(crate) struct Head {
    /// The method, path and query.
    pub(crate) line: String,
    pub(crate) authorization: Option<String>,
    /// Of a WebSocket.
    pub(crate) key: String,
}

/// Returns nothing if the client goes away.
pub(crate) async fn read(stream: &mut BufReader<TcpStream>) -> Option<(Head, String)> {
    let (mut head, mut length) = (Head::default(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        match line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value)) {
            None if line.is_empty() => break,
            None => head.line = line.trim_end_matches(" HTTP/1.1").to_owned(),
            Some((name, value)) => match name.as_str() {
                "content-length" => length = value.parse().unwrap(),
                "authorization" => head.authorization = Some(value.to_owned()),
                "sec-websocket-key" => head.key = value.to_owned(),
                _ => {}
            },
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, String::from_utf8(body).unwrap()))
}
