//! Access to the real server that `.ci/servers/mattermost` has started.

use std::collections::HashMap;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use skein_mattermost::{MattermostClient, NewPost, Secret, Timing};

/// What the script has written about the server.
#[derive(Deserialize)]
pub(crate) struct RealServer {
    pub(crate) address: String,
    pub(crate) team: String,
    pub(crate) channel: String,
    pub(crate) ids: HashMap<String, String>,
    pub(crate) tokens: HashMap<String, String>,
}

impl RealServer {
    #[expect(clippy::disallowed_methods, reason = "the script names the server in the environment")]
    pub(crate) fn find() -> Self {
        // An error means that another test has installed it.
        drop(rustls::crypto::ring::default_provider().install_default());
        let path = std::env::var("SKEIN_TEST_MATTERMOST").expect("SKEIN_TEST_MATTERMOST is a path");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    pub(crate) fn id(&self, name: &str) -> &str {
        &self.ids[name]
    }

    pub(crate) fn client(&self, name: &str) -> MattermostClient {
        self.client_with_token(&self.tokens[name])
    }

    pub(crate) fn client_with_token(&self, token: &str) -> MattermostClient {
        let timing =
            Timing { ping_interval: std::time::Duration::from_millis(300), ..Timing::default() };
        MattermostClient::with_timing(&self.address, &Secret::new(token), timing).unwrap()
    }

    /// Sends a request as the administrator.
    pub(crate) async fn admin(&self, method: Method, path: &str, body: Value) -> Value {
        let request = reqwest::Client::new()
            .request(method, format!("{}/api/v4{path}", self.address))
            .bearer_auth(&self.tokens["admin"]);
        let response = request.json(&body).send().await.unwrap().error_for_status().unwrap();
        response.json().await.unwrap()
    }

    /// Creates a channel with ada and the bot in it.
    pub(crate) async fn new_channel(&self) -> String {
        let name = format!("c{:016x}", fastrand::u64(..));
        let body = json!({"team_id": self.team, "name": name, "display_name": name, "type": "O"});
        let channel = self.admin(Method::POST, "/channels", body).await;
        let id = channel["id"].as_str().unwrap().to_owned();
        for user in ["ada", "bot"] {
            let path = format!("/channels/{id}/members");
            self.admin(Method::POST, &path, json!({"user_id": self.id(user)})).await;
        }
        id
    }
}

pub(crate) fn new_post(channel_id: &str, message: &str) -> NewPost {
    NewPost { channel_id: channel_id.into(), message: message.into(), ..NewPost::default() }
}

pub(crate) fn reply(channel_id: &str, root_id: &str, message: &str) -> NewPost {
    NewPost { root_id: root_id.into(), ..new_post(channel_id, message) }
}
