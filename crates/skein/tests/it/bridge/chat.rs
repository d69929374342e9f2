//! The Mattermost server, its users, and what they read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Access, Response};
use super::world::wait_for;

/// The server that the script has started.
#[derive(Deserialize)]
pub(super) struct Mattermost {
    pub(super) address: String,
    team: String,
    ids: HashMap<String, String>,
    tokens: HashMap<String, String>,
    #[serde(skip)]
    facts: PathBuf,
}

impl Mattermost {
    pub(super) fn find() -> Self {
        let path = std::env::var_os("SKEIN_TEST_MATTERMOST").expect("the path of the facts is set");
        let facts = PathBuf::from(path);
        let found: Self = serde_json::from_slice(&std::fs::read(&facts).unwrap()).unwrap();
        Self { facts, ..found }
    }

    /// Returns one of the users that the script has created.
    pub(super) fn user(&self, name: &str) -> User {
        User::new(self, name, &self.ids[name], &self.tokens[name])
    }

    /// Creates a bot account.
    pub(super) fn create_bot(&self) -> User {
        let name = format!("bot-{}", unique_word());
        let admin = self.user("admin");
        let bot = admin.post_json("/bots", &json!({"username": name, "display_name": name}));
        let id = text(&bot, "user_id");
        let path = format!("/users/{id}/tokens");
        let token = admin.post_json(&path, &json!({"description": "test"}));
        User { token_id: text(&token, "id"), ..User::new(self, &name, &id, &text(&token, "token")) }
    }

    /// Creates a user whom no other test uses.
    pub(super) fn create_user(&self) -> User {
        let name = format!("user-{}", unique_word());
        let admin = self.user("admin");
        let email = format!("{name}@example.com");
        let user = json!({"username": name, "email": email, "password": "A-long-passw0rd"});
        let id = text(&admin.post_json("/users", &user), "id");
        let path = format!("/users/{id}/tokens");
        let token = admin.post_json(&path, &json!({"description": "test"}));
        User::new(self, &name, &id, &text(&token, "token"))
    }

    /// Creates a channel with these users and returns its id and its name with the team.
    pub(super) fn create_channel(&self, users: &[&User]) -> (String, String) {
        let (admin, name) = (self.user("admin"), format!("c{}", unique_word()));
        let body = json!({"team_id": self.team, "name": name, "display_name": name, "type": "O"});
        let id = text(&admin.post_json("/channels", &body), "id");
        for user in users {
            let member = json!({"team_id": self.team, "user_id": user.id});
            admin.post_json(&format!("/teams/{}/members", self.team), &member);
            admin.post_json(&format!("/channels/{id}/members"), &json!({"user_id": user.id}));
        }
        (id, format!("team/{name}"))
    }

    /// Calls the script that has started the server: `kill` or `resume`.
    pub(super) fn control(&self, command: &str) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/servers/mattermost");
        let mut call = Command::new(script);
        call.arg(command).arg(self.facts.parent().unwrap());
        assert!(call.status().unwrap().success());
    }
}

/// A user with a token.
pub(super) struct User {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) token: String,
    token_id: String,
    access: Access,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Post {
    pub(super) id: String,
    pub(super) user_id: String,
    pub(super) message: String,
    pub(super) create_at: u64,
    pub(super) update_at: u64,
    #[serde(default)]
    pub(super) file_ids: Vec<String>,
    #[serde(default)]
    props: Value,
}

impl Post {
    /// Returns the key of a post of a bridge, or nothing.
    pub(super) fn key(&self) -> &str {
        self.props["skein"]["key"].as_str().unwrap_or_default()
    }
}

impl User {
    fn new(server: &Mattermost, name: &str, id: &str, token: &str) -> Self {
        Self {
            name: name.to_owned(),
            id: id.to_owned(),
            token: token.to_owned(),
            token_id: String::new(),
            access: Access::new(&server.address, Some(token)),
        }
    }

    pub(super) fn post_json(&self, path: &str, body: &Value) -> Value {
        self.access.post(&format!("/api/v4{path}"), body)
    }

    pub(super) fn get(&self, path: &str) -> Value {
        self.access.get(&format!("/api/v4{path}"))
    }

    pub(super) fn send(&self, method: &str, path: &str, body: &[u8]) -> Response {
        self.access.send(method, &format!("/api/v4{path}"), body)
    }

    /// Returns the direct channel with another user.
    pub(super) fn direct_channel(&self, other: &Self) -> String {
        text(&self.post_json("/channels/direct", &json!([self.id, other.id])), "id")
    }

    pub(super) fn post(&self, channel: &str, message: &str) -> Post {
        self.reply(channel, "", message)
    }

    pub(super) fn reply(&self, channel: &str, root: &str, message: &str) -> Post {
        self.post_with_files(channel, root, message, &[])
    }

    pub(super) fn post_with_files(
        &self,
        channel: &str,
        root: &str,
        message: &str,
        files: &[String],
    ) -> Post {
        let body =
            json!({"channel_id": channel, "root_id": root, "message": message, "file_ids": files});
        // Of two first replies to a post at the same moment, Mattermost may reject one with this error.
        let response = wait_for("the post is saved", || {
            let response = self.send("POST", "/posts", body.to_string().as_bytes());
            let is_rejected =
                String::from_utf8_lossy(&response.body).contains("app.post.save.app_error");
            (!is_rejected).then_some(response)
        });
        serde_json::from_value(response.json()).unwrap()
    }

    pub(super) fn edit(&self, post: &Post, message: &str) {
        let body = json!({"message": message}).to_string();
        self.send("PUT", &format!("/posts/{}/patch", post.id), body.as_bytes()).json();
    }

    pub(super) fn delete(&self, post: &str) {
        self.send("DELETE", &format!("/posts/{post}"), &[]).json();
    }

    pub(super) fn react(&self, post: &Post, emoji: &str) {
        let body = json!({"user_id": self.id, "post_id": post.id, "emoji_name": emoji});
        self.post_json("/reactions", &body);
    }

    /// Returns the names of the reactions on a post.
    pub(super) fn reactions(&self, post: &Post) -> Vec<String> {
        let found = self.get(&format!("/posts/{}/reactions", post.id));
        let found = found.as_array().into_iter().flatten();
        found.map(|reaction| text(reaction, "emoji_name")).collect()
    }

    /// Uploads a file and returns its id.
    pub(super) fn upload(&self, channel: &str, name: &str, bytes: &[u8]) -> String {
        let path = format!("/files?channel_id={channel}&filename={name}");
        text(&self.send("POST", &path, bytes).json()["file_infos"][0], "id")
    }

    /// Returns the posts of a thread, the oldest first.
    pub(super) fn thread(&self, root: &str) -> Vec<Post> {
        let found = self.get(&format!("/posts/{root}/thread?perPage=200&direction=down"));
        assert_eq!(found["has_next"], false, "more posts than fit in a page");
        sorted(&found)
    }

    /// Returns the newest posts of a channel, the oldest first.
    pub(super) fn channel_posts(&self, channel: &str) -> Vec<Post> {
        sorted(&self.get(&format!("/channels/{channel}/posts?per_page=200")))
    }

    /// Makes the token of a bot invalid.
    pub(super) fn revoke_token_of(&self, bot: &Self) {
        self.post_json("/users/tokens/revoke", &json!({"token_id": bot.token_id}));
    }
}

fn sorted(list: &Value) -> Vec<Post> {
    let posts = list["posts"].as_object().unwrap().values();
    let mut posts: Vec<Post> =
        posts.map(|post| serde_json::from_value(post.clone()).unwrap()).collect();
    posts.sort_by(|a, b| (a.create_at, &a.id).cmp(&(b.create_at, &b.id)));
    posts
}

pub(super) fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// Returns a word that no other test uses.
pub(super) fn unique_word() -> String {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    format!("{:x}", now & 0xffff_ffff_ffff)
}
