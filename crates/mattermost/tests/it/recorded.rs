//! Compares what a real server sends with the recording against which the stand-in is checked.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::{Method, header};
use serde_json::{Value, json};
use skein_standin::{MATTERMOST, Recorder};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};

use crate::real_server::RealServer;

/// Only ends a test that would wait forever.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Sends requests and listens with the rights of a token, and records what the server sends.
struct Session<'a> {
    server: &'a RealServer,
    token: String,
    socket: WebSocketStream<reqwest::Upgraded>,
}

impl<'a> Session<'a> {
    async fn open(server: &'a RealServer, token: &str) -> Self {
        let response = request(server, token, Method::GET, "/websocket")
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ==")
            .send();
        let stream = response.await.unwrap().upgrade().await.unwrap();
        let socket = WebSocketStream::from_raw_socket(stream, Role::Client, None).await;
        Self { server, token: token.to_owned(), socket }
    }

    /// Records the response to a request. The path has `{}` for each of the ids.
    async fn call(
        &self,
        recorder: &mut Recorder,
        line: &str,
        ids: &[&str],
        body: impl Into<reqwest::Body>,
    ) -> Value {
        let (method, path) = line.split_once(' ').unwrap();
        let path = ids.iter().fold(path.to_owned(), |path, id| path.replacen("{}", id, 1));
        let method = method.parse().unwrap();
        let response = request(self.server, &self.token, method, &path).body(body).send();
        let response = response.await.unwrap();
        let status = response.status().as_u16();
        let body = response.json().await.unwrap();
        if status < 400 {
            let line = line.split('?').next().unwrap();
            recorder.response(line, status, &body);
        } else {
            recorder.add("error".to_owned(), &body);
        }
        body
    }

    async fn send(&mut self, request: &Value) {
        self.socket.send(Message::text(request.to_string())).await.unwrap();
    }

    /// Waits for a message that contains all texts, and records it. The server also sends what other tests do.
    async fn hear(&mut self, recorder: &mut Recorder, texts: &[&str]) -> Value {
        loop {
            let message = tokio::time::timeout(TIMEOUT, self.socket.next()).await;
            let message = message.unwrap_or_else(|_| panic!("a message with {texts:?}"));
            let Message::Text(text) = message.unwrap().unwrap() else { continue };
            if texts.iter().all(|part| text.contains(part)) {
                let frame = serde_json::from_str(&text).unwrap();
                recorder.event(&frame);
                return frame;
            }
        }
    }
}

fn request(
    server: &RealServer,
    token: &str,
    method: Method,
    path: &str,
) -> reqwest::RequestBuilder {
    let address = format!("{}/api/v4{path}", server.address);
    reqwest::Client::new().request(method, address).bearer_auth(token)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

/// What the messages are about: all of it is new, so that they do not depend on what other tests did.
struct World {
    name: String,
    channel: String,
    user: String,
    bot: String,
    user_token: String,
    bot_token: String,
}

async fn create_world(server: &RealServer) -> World {
    let name = format!("r{:016x}", fastrand::u64(..));
    let body = json!({"team_id": server.team, "name": name, "display_name": name, "type": "O"});
    let channel = server.admin(Method::POST, "/channels", body).await;
    let password = "A-long-passw0rd";
    let email = format!("{name}@example.com");
    let body = json!({"email": email, "username": name, "password": password});
    let user = server.admin(Method::POST, "/users", body).await;
    let body = json!({"username": format!("{name}-bot"), "display_name": "Bot"});
    let bot = server.admin(Method::POST, "/bots", body).await;
    let (channel, user) = (text(&channel, "id").to_owned(), text(&user, "id").to_owned());
    let bot = text(&bot, "user_id").to_owned();
    for id in [&user, &bot] {
        let path = format!("/teams/{}/members", server.team);
        let body = json!({"team_id": server.team, "user_id": id});
        server.admin(Method::POST, &path, body).await;
        let path = format!("/channels/{channel}/members");
        server.admin(Method::POST, &path, json!({"user_id": id})).await;
    }
    let path = format!("/users/{bot}/tokens");
    let token = server.admin(Method::POST, &path, json!({"description": "recorded"})).await;
    let bot_token = text(&token, "token").to_owned();
    let login = json!({"login_id": name, "password": password});
    let login = request(server, "", Method::POST, "/users/login").json(&login).send().await;
    let user_token = login.unwrap().headers()["token"].to_str().unwrap().to_owned();
    World { name, channel, user, bot, user_token, bot_token }
}

/// Posts, edits, deletes and reacts as the user, and records what the bot hears and reads of it.
async fn record_posts(r: &mut Recorder, world: &World, user: &Session<'_>, bot: &mut Session<'_>) {
    let (channel, me) = (world.channel.as_str(), world.user.as_str());
    let file = user.call(r, "POST /files?channel_id={}&filename=a.txt", &[channel], "abc").await;
    let file = text(&file["file_infos"][0], "id").to_owned();
    user.call(r, "GET /files/{}/info", &[&file], "").await;
    let body = json!({"channel_id": channel, "message": "one", "file_ids": [file]}).to_string();
    let root = user.call(r, "POST /posts", &[], body).await;
    let root = text(&root, "id");
    bot.hear(r, &["\"posted\"", root]).await;
    let mention = format!("for @{}-bot", world.name);
    let body = json!({"channel_id": channel, "message": mention, "root_id": root,
        "pending_post_id": format!("{me}:1"), "props": {"key": "value"}});
    let reply = user.call(r, "POST /posts", &[], body.to_string()).await;
    let reply = text(&reply, "id");
    bot.hear(r, &["\"posted\"", reply]).await;

    let body = json!({"message": "two"}).to_string();
    for id in [root, reply] {
        user.call(r, "PUT /posts/{}/patch", &[id], body.clone()).await;
        bot.hear(r, &["\"post_edited\"", id]).await;
    }
    record_reactions_and_lists(r, world, user, bot, root, reply).await;
}

async fn record_reactions_and_lists(
    r: &mut Recorder,
    world: &World,
    user: &Session<'_>,
    bot: &mut Session<'_>,
    root: &str,
    reply: &str,
) {
    let (channel, me) = (world.channel.as_str(), world.user.as_str());
    bot.call(r, "GET /posts/{}/reactions", &[reply], "").await;
    let body = json!({"user_id": me, "post_id": reply, "emoji_name": "+1"}).to_string();
    user.call(r, "POST /reactions", &[], body).await;
    bot.hear(r, &["\"reaction_added\"", reply]).await;
    for id in [root, reply] {
        bot.call(r, "GET /posts/{}", &[id], "").await;
    }
    bot.call(r, "GET /posts/{}/reactions", &[reply], "").await;
    bot.call(r, "GET /posts/{}/thread?perPage=200&direction=down", &[root], "").await;
    bot.call(r, "GET /channels/{}/posts?since=1", &[channel], "").await;
    bot.call(r, "GET /channels/{}/posts?per_page=200&skipFetchThreads=true", &[channel], "").await;
    user.call(r, "DELETE /users/{}/posts/{}/reactions/{}", &[me, reply, "%2B1"], "").await;
    bot.hear(r, &["\"reaction_removed\"", reply]).await;
    user.call(r, "DELETE /posts/{}", &[reply], "").await;
    bot.hear(r, &["\"post_deleted\"", reply]).await;
    bot.call(r, "GET /channels/{}/posts?since=1", &[channel], "").await;
    bot.call(r, "POST /posts/ids", &[], json!([root, reply]).to_string()).await;
}

/// Records the answers about users and channels.
async fn record_users(r: &mut Recorder, world: &World, user: &Session<'_>, bot: &mut Session<'_>) {
    user.call(r, "GET /users/me", &[], "").await;
    bot.call(r, "GET /users/me", &[], "").await;
    bot.call(r, "GET /users/{}", &[&world.user], "").await;
    bot.call(r, "GET /users/username/{}", &[&world.name], "").await;
    bot.call(r, "POST /users/ids", &[], json!([world.user, world.bot]).to_string()).await;
    let body = json!([world.bot, world.user]).to_string();
    let direct = bot.call(r, "POST /channels/direct", &[], body).await;
    let direct = text(&direct, "id");
    for channel in [&world.channel, direct] {
        bot.call(r, "GET /channels/{}", &[channel], "").await;
    }
    let body = json!({"channel_id": direct, "message": "direct"}).to_string();
    user.call(r, "POST /posts", &[], body).await;
    bot.hear(r, &["\"posted\"", direct]).await;
    bot.call(r, "GET /users/me/channels", &[], "").await;
    bot.call(r, "GET /teams/name/{}/channels/name/{}", &["team", &world.name], "").await;
    let preference = |user| {
        json!([{"user_id": user, "category": "skein", "name": "test", "value": "text"}]).to_string()
    };
    bot.call(r, "PUT /users/me/preferences", &[], preference(&world.bot)).await;
    bot.hear(r, &["\"preferences_changed\"", &world.bot]).await;
    bot.call(r, "GET /config/client?format=old", &[], "").await;
    bot.call(r, "GET /system/ping?get_server_status=true", &[], "").await;

    // Errors of several kinds.
    bot.call(r, "PUT /users/me/preferences", &[], preference(&world.user)).await;
    bot.call(r, "GET /posts/{}", &["x".repeat(26).as_str()], "").await;
    let body = json!({"channel_id": world.channel, "message": "x".repeat(16_384)}).to_string();
    bot.call(r, "POST /posts", &[], body).await;
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn the_server_sends_what_is_recorded() {
    let server = RealServer::find();
    let world = create_world(&server).await;
    let r = &mut Recorder::new(&MATTERMOST);
    let mut bot = Session::open(&server, &world.bot_token).await;
    bot.hear(r, &["\"hello\""]).await;
    bot.send(&json!({"action": "ping", "seq": 1})).await;
    bot.hear(r, &["\"seq_reply\""]).await;
    bot.send(&json!({"action": "no such action", "seq": 2})).await;
    bot.hear(r, &["\"seq_reply\""]).await;
    let (path, body) =
        (format!("/users/{}/status", world.bot), json!({"user_id": world.bot, "status": "away"}));
    server.admin(Method::PUT, &path, body).await;
    bot.hear(r, &["\"status_change\""]).await;
    let user = Session::open(&server, &world.user_token).await;
    record_posts(r, &world, &user, &mut bot).await;
    record_users(r, &world, &user, &mut bot).await;

    let member = |id: &str| format!("/channels/{}/members/{id}", world.channel);
    server.admin(Method::DELETE, &member(&world.user), Value::Null).await;
    bot.hear(r, &["\"user_removed\"", &world.user]).await;
    let path = format!("/channels/{}/members", world.channel);
    server.admin(Method::POST, &path, json!({"user_id": world.user})).await;
    bot.hear(r, &["\"user_added\"", &world.user]).await;
    server.admin(Method::DELETE, &member(&world.bot), Value::Null).await;
    // The removed user gets the channel, the others get the user.
    bot.hear(r, &["\"user_removed\"", &format!("{{\"channel_id\":\"{}\"", world.channel)]).await;
    let path = format!("/users/{}/patch", world.user);
    server.admin(Method::PUT, &path, json!({"nickname": "Nick"})).await;
    bot.hear(r, &["\"user_updated\"", &world.user]).await;
    server.admin(Method::DELETE, &format!("/users/{}", world.user), json!({})).await;
    bot.hear(r, &["\"user_updated\"", &world.user]).await;

    // A token that is no longer valid, on a connection that is open.
    server.admin(Method::POST, &format!("/bots/{}/disable", world.bot), json!({})).await;
    bot.call(r, "GET /users/me", &[], "").await;
    bot.send(&json!({"action": "ping", "seq": 3})).await;
    let refused = bot.hear(r, &["\"seq_reply\""]).await;
    assert_eq!(refused["error"]["status_code"], 401);
    std::mem::replace(r, Recorder::new(&MATTERMOST)).finish();
}
