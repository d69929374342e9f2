//! The server's data, as far as it is needed. Unknown fields are ignored, missing ones are empty.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// A post. Times are in milliseconds since 1970 by the clock of the server; 0 means never.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct MattermostPost {
    pub id: String,
    pub create_at: i64,
    /// Also changes with a reaction and with a reply.
    pub update_at: i64,
    pub edit_at: i64,
    pub delete_at: i64,
    pub user_id: String,
    pub channel_id: String,
    /// The first post of the thread; empty if this is the first one.
    pub root_id: String,
    /// Set in earlier versions of an edited post.
    pub original_id: String,
    pub message: String,
    /// Empty for what users write, `system_…` for notices of the server.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(deserialize_with = "or_default")]
    pub props: Map<String, Value>,
    #[serde(deserialize_with = "or_default")]
    pub file_ids: Vec<String>,
    /// Only in the answer to its creation and in its `posted` event.
    pub pending_post_id: String,
    #[serde(deserialize_with = "or_default")]
    pub metadata: PostMetadata,
}

/// What is attached to a post.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PostMetadata {
    #[serde(deserialize_with = "or_default")]
    pub files: Vec<FileInfo>,
    #[serde(deserialize_with = "or_default")]
    pub reactions: Vec<MattermostReaction>,
}

impl MattermostPost {
    /// Says whether the server wrote it, for example that a user joined.
    pub fn is_system(&self) -> bool {
        self.kind.starts_with("system_")
    }

    /// Says whether a bot or a webhook wrote it. Only the user id proves who wrote a post.
    pub fn is_automatic(&self) -> bool {
        let is_set = |name| self.props.get(name).and_then(Value::as_str) == Some("true");
        is_set("from_bot") || is_set("from_webhook")
    }
}

/// A post to create.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NewPost {
    pub channel_id: String,
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root_id: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_ids: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub props: Map<String, Value>,
    /// For half a minute the server answers a second request with the same value with the first post. Without it, a
    /// request whose answer was lost is not repeated. By convention `<user id>:<any text>`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pending_post_id: String,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct User {
    pub id: String,
    pub username: String,
    pub nickname: String,
    pub first_name: String,
    pub last_name: String,
    pub is_bot: bool,
    /// Not 0 if the user is deactivated.
    pub delete_at: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Channel {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ChannelKind,
    pub team_id: String,
    /// In a direct channel the ids of the two users with `__` in between.
    pub name: String,
    pub display_name: String,
    pub last_post_at: i64,
    pub delete_at: i64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum ChannelKind {
    #[serde(rename = "D")]
    Direct,
    #[serde(rename = "G")]
    Group,
    #[serde(rename = "O")]
    Public,
    #[serde(rename = "P")]
    Private,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MattermostReaction {
    pub user_id: String,
    pub post_id: String,
    /// The name, not the character: `+1`, `white_check_mark`, `+1_medium_skin_tone`.
    pub emoji_name: String,
    /// When the user first reacted so.
    pub create_at: i64,
    /// When the user last did: after a removal, the server keeps the first time in `create_at`.
    pub update_at: i64,
}

/// A setting that the server keeps for a user, and passes on to all connections of that user when it changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preference {
    pub user_id: String,
    /// At most 32 characters, as is the name.
    pub category: String,
    pub name: String,
    pub value: String,
}

/// Facts of an uploaded file. The name is chosen by the user: it is not safe as a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FileInfo {
    pub id: String,
    pub user_id: String,
    pub post_id: String,
    pub name: String,
    pub size: u64,
    pub mime_type: String,
}

/// Limits and version of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientConfig {
    pub version: String,
    /// In characters.
    pub max_post_size: usize,
    /// In bytes.
    pub max_file_size: u64,
}

/// Posts by id, with the ids of those that were asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PostList {
    #[serde(deserialize_with = "or_default")]
    pub(crate) order: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    posts: std::collections::HashMap<String, MattermostPost>,
    pub(crate) has_next: bool,
}

impl PostList {
    /// Returns the posts that were asked for, without the earlier versions of edited posts.
    pub(crate) fn into_posts(mut self) -> Vec<MattermostPost> {
        let posts = self.order.iter().filter_map(|id| self.posts.remove(id));
        posts.filter(|post| post.original_id.is_empty()).collect()
    }
}

/// Accepts `null`, which the server sends for some empty lists.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_null_fields_are_empty() {
        let text =
            r#"{"id": "p1", "file_ids": null, "props": null, "metadata": null, "new_field": [1]}"#;
        let post: MattermostPost = serde_json::from_str(text).unwrap();
        assert_eq!(post, MattermostPost { id: "p1".into(), ..MattermostPost::default() });
        let channel: Channel = serde_json::from_str(r#"{"id": "c1", "type": "Z"}"#).unwrap();
        assert_eq!(channel.kind, ChannelKind::Other);
    }

    #[test]
    fn a_post_with_files_and_reactions_is_read() {
        let text = r#"{"id": "p1", "type": "", "props": {"from_bot": "true", "key": {"a": 1}}, "file_ids": ["f1"],
            "metadata": {"files": [{"id": "f1", "name": "x y.txt", "size": 5, "mime_type": "text/plain"}],
            "reactions": [{"user_id": "u1", "post_id": "p1", "emoji_name": "+1"}]}}"#;
        let post: MattermostPost = serde_json::from_str(text).unwrap();
        assert!(post.is_automatic() && !post.is_system());
        assert_eq!(post.metadata.files[0].name, "x y.txt");
        assert_eq!(post.metadata.reactions[0].emoji_name, "+1");
    }

    #[test]
    fn earlier_versions_of_a_post_are_left_out_of_a_list() {
        let text = r#"{"order": ["p2", "p3", "gone"], "posts": {"p1": {"id": "p1"}, "p2": {"id": "p2"},
            "p3": {"id": "p3", "original_id": "p2", "delete_at": 7}}, "has_next": false}"#;
        let list: PostList = serde_json::from_str(text).unwrap();
        let ids: Vec<_> = list.into_posts().into_iter().map(|post| post.id).collect();
        assert_eq!(ids, ["p2"]);
    }

    #[test]
    fn a_new_post_names_only_what_is_set() {
        let post = NewPost { channel_id: "c1".into(), message: "hi".into(), ..NewPost::default() };
        let text = serde_json::to_string(&post).unwrap();
        assert_eq!(text, r#"{"channel_id":"c1","message":"hi"}"#);
    }
}
