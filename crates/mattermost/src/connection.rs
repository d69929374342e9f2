//! Opens the WebSocket, through the same HTTP client as all requests: same TLS, same proxy.

use reqwest::Method;
use reqwest::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::client::{encode, exchange};
use crate::{MattermostClient, MattermostError};

pub(crate) type Socket = WebSocketStream<reqwest::Upgraded>;

/// Maximum size of the answer about the own user.
const MAX_USER: u64 = 1 << 20;

/// Connects once. With the id of an earlier connection the server sends its events from the number `next` on, if it
/// still has them.
pub(crate) async fn open(
    client: &MattermostClient,
    resume: Option<(&str, u64)>,
) -> Result<Socket, MattermostError> {
    // The server opens a WebSocket for any token and stays silent if it is wrong. It refuses a request.
    client.send_once(client.request(Method::GET, "/users/me"), MAX_USER).await?;
    let query = resume.map_or_else(String::new, |(id, next)| {
        format!("?connection_id={}&sequence_number={next}", encode(id))
    });
    let key = generate_key();
    let request = client
        .request(Method::GET, &format!("/websocket{query}"))
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, &key);
    let response = exchange(request).await?;
    let accept = response.headers().get(SEC_WEBSOCKET_ACCEPT).map(|value| value.as_bytes());
    if accept != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
        return Err(MattermostError::protocol("it does not open a WebSocket"));
    }
    let stream = response.upgrade().await.map_err(MattermostError::unreachable)?;
    Ok(WebSocketStream::from_raw_socket(stream, Role::Client, None).await)
}
