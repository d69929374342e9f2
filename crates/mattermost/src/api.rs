//! The requests of the REST API.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Repeat, encode};
use crate::types::PostList;
use crate::{
    Channel, ClientConfig, FileInfo, MattermostClient, MattermostError, MattermostPost,
    MattermostReaction, NewPost, Preference, User,
};

/// The largest page that the server allows.
const PAGE_SIZE: usize = 200;
/// The server returns at most so many changed posts, and does not say which ones it left out.
const MAX_CHANGED_POSTS: usize = 1000;
/// Maximum number of posts in one request.
const MAX_IDS: usize = 1000;
/// A post becomes visible some time after the time that it has.
const OVERLAP: Duration = Duration::from_secs(5);
/// The server remembers a `pending_post_id` for 30 s.
const PENDING_WINDOW: Duration = Duration::from_secs(15);

/// What changed in a channel.
#[derive(Debug)]
pub struct PostChanges {
    /// Oldest first by the time of creation. A deleted post has a `delete_at` and no text.
    pub posts: Vec<MattermostPost>,
    /// Whether edits and deletions are complete. New posts always are.
    pub complete: bool,
}

impl MattermostClient {
    /// Returns the user of the token.
    pub async fn me(&self) -> Result<User, MattermostError> {
        self.get("/users/me").await
    }

    pub async fn user(&self, user_id: &str) -> Result<User, MattermostError> {
        self.get(&format!("/users/{}", encode(user_id))).await
    }

    /// Returns users by their ids, in any order. Those that the user of the token may not see are left out.
    pub async fn users(&self, user_ids: &[&str]) -> Result<Vec<User>, MattermostError> {
        self.json(self.request(Method::POST, "/users/ids").json(user_ids), Repeat::Always).await
    }

    /// Finds a user by name, without the `@`.
    pub async fn user_by_name(&self, name: &str) -> Result<User, MattermostError> {
        self.get(&format!("/users/username/{}", encode(name))).await
    }

    /// Sets a preference of the user of the token.
    pub async fn set_preference(&self, preference: &Preference) -> Result<(), MattermostError> {
        let request = self.request(Method::PUT, "/users/me/preferences").json(&[preference]);
        self.json::<Value>(request, Repeat::Always).await.map(drop)
    }

    pub async fn channel(&self, channel_id: &str) -> Result<Channel, MattermostError> {
        self.get(&format!("/channels/{}", encode(channel_id))).await
    }

    /// Finds a channel by the name of its team and its own, as in its address.
    pub async fn channel_by_name(
        &self,
        team: &str,
        name: &str,
    ) -> Result<Channel, MattermostError> {
        self.get(&format!("/teams/name/{}/channels/name/{}", encode(team), encode(name))).await
    }

    /// Returns the channels that the user of the token is in, of all teams and with direct ones.
    pub async fn my_channels(&self) -> Result<Vec<Channel>, MattermostError> {
        self.get("/users/me/channels").await
    }

    /// Returns the direct channel of two users, one of whom is the user of the token. It is created if necessary.
    pub async fn direct_channel(
        &self,
        my_id: &str,
        user_id: &str,
    ) -> Result<Channel, MattermostError> {
        let request = self.request(Method::POST, "/channels/direct").json(&[my_id, user_id]);
        self.json(request, Repeat::Always).await
    }

    /// Creates a post. Without a `pending_post_id`, the request is not repeated if its answer is lost.
    ///
    /// After an error that [`MattermostError::is_retryable`], the post may exist: look for it before creating it again.
    pub async fn create_post(&self, post: &NewPost) -> Result<MattermostPost, MattermostError> {
        let is_marked = !post.pending_post_id.is_empty();
        let repeat = if is_marked { Repeat::Within(PENDING_WINDOW) } else { Repeat::Never };
        self.json(self.request(Method::POST, "/posts").json(post), repeat).await
    }

    /// Replaces the text of a post.
    pub async fn patch_post(
        &self,
        post_id: &str,
        message: &str,
    ) -> Result<MattermostPost, MattermostError> {
        let request = self.request(Method::PUT, &format!("/posts/{}/patch", encode(post_id)));
        self.json(request.json(&json!({ "message": message })), Repeat::Always).await
    }

    /// Returns a post. A deleted one is not found.
    pub async fn post(&self, post_id: &str) -> Result<MattermostPost, MattermostError> {
        self.get(&format!("/posts/{}", encode(post_id))).await
    }

    /// Returns posts by their ids, in any order. A deleted one has a `delete_at`; one that never existed is left out.
    pub async fn posts(&self, post_ids: &[&str]) -> Result<Vec<MattermostPost>, MattermostError> {
        let mut posts = Vec::new();
        for ids in post_ids.chunks(MAX_IDS) {
            let request = self.request(Method::POST, "/posts/ids").json(&ids);
            match self.json::<Vec<MattermostPost>>(request, Repeat::Always).await {
                Ok(found) => posts.extend(found),
                // None of them exists.
                Err(MattermostError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(posts)
    }

    /// Deletes a post, with its replies if it is the first one of a thread.
    pub async fn delete_post(&self, post_id: &str) -> Result<(), MattermostError> {
        self.done(Method::DELETE, &format!("/posts/{}", encode(post_id))).await
    }

    /// Returns the posts of a thread, oldest first. A thread whose first post is deleted is not found.
    pub async fn thread(&self, root_id: &str) -> Result<Vec<MattermostPost>, MattermostError> {
        let path = format!("/posts/{}/thread?perPage={PAGE_SIZE}&direction=down", encode(root_id));
        let mut from = String::new();
        let mut posts = BTreeMap::new();
        loop {
            let list: PostList = self.get(&format!("{path}{from}")).await?;
            let has_next = list.has_next;
            let known = posts.len();
            posts.extend(list.into_posts().into_iter().map(in_order));
            match posts.last_key_value() {
                // A server that repeats itself does not get asked forever.
                Some(((create_at, id), _)) if has_next && posts.len() > known => {
                    from = format!("&fromCreateAt={create_at}&fromPost={}", encode(id));
                }
                _ => return Ok(posts.into_values().collect()),
            }
        }
    }

    /// Returns the posts of a channel that were created, edited or deleted since a time of the server's clock.
    ///
    /// Some earlier ones are returned too, because posts do not become visible in the order of their times.
    pub async fn posts_since(
        &self,
        channel_id: &str,
        since: i64,
    ) -> Result<PostChanges, MattermostError> {
        let overlap = i64::try_from(OVERLAP.as_millis()).unwrap_or_default();
        // For the server, 0 is as if it were not given.
        let since = since.saturating_sub(overlap).max(1);
        let path = format!("/channels/{}/posts?since={since}", encode(channel_id));
        let list: PostList = self.get(&path).await?;
        let complete = list.order.len() < MAX_CHANGED_POSTS;
        let mut posts: BTreeMap<_, _> = list.into_posts().into_iter().map(in_order).collect();
        if !complete {
            self.add_posts_created_since(channel_id, since, &mut posts).await?;
        }
        Ok(PostChanges { posts: posts.into_values().collect(), complete })
    }

    /// Reads the pages of a channel from the newest post back to a time.
    async fn add_posts_created_since(
        &self,
        channel_id: &str,
        since: i64,
        posts: &mut BTreeMap<(i64, String), MattermostPost>,
    ) -> Result<(), MattermostError> {
        let path = format!("/channels/{}/posts?per_page={PAGE_SIZE}", encode(channel_id));
        let mut before = String::new();
        loop {
            let list: PostList = self.get(&format!("{path}&skipFetchThreads=true{before}")).await?;
            let page: BTreeMap<_, _> = list.into_posts().into_iter().map(in_order).collect();
            let Some(oldest) = page.keys().map(|(create_at, _)| *create_at).next() else {
                return Ok(());
            };
            // The next page starts before a time. Posts of the same time as the oldest one are read again with it.
            let boundary = page.keys().find(|(create_at, _)| *create_at > oldest);
            let Some((_, id)) = boundary.or(page.keys().next()) else { return Ok(()) };
            let next = format!("&before={}", encode(id));
            posts.extend(page.into_iter().filter(|((create_at, _), _)| *create_at > since));
            if oldest <= since || next == before {
                return Ok(());
            }
            before = next;
        }
    }

    /// Reacts to a post as the user of the token. Doing it twice is no error.
    pub async fn add_reaction(
        &self,
        my_id: &str,
        post_id: &str,
        emoji_name: &str,
    ) -> Result<MattermostReaction, MattermostError> {
        let body = json!({ "user_id": my_id, "post_id": post_id, "emoji_name": emoji_name });
        self.json(self.request(Method::POST, "/reactions").json(&body), Repeat::Always).await
    }

    /// Removes a reaction of the user of the token. Doing it twice is no error.
    pub async fn remove_reaction(
        &self,
        my_id: &str,
        post_id: &str,
        emoji_name: &str,
    ) -> Result<(), MattermostError> {
        let (user, post, emoji) = (encode(my_id), encode(post_id), encode(emoji_name));
        self.done(Method::DELETE, &format!("/users/{user}/posts/{post}/reactions/{emoji}")).await
    }

    pub async fn reactions(
        &self,
        post_id: &str,
    ) -> Result<Vec<MattermostReaction>, MattermostError> {
        let path = format!("/posts/{}/reactions", encode(post_id));
        // The server answers `null` if there are none.
        Ok(self.get::<Option<_>>(&path).await?.unwrap_or_default())
    }

    /// Uploads a file for a post in a channel. An empty file is refused by the server.
    pub async fn upload(
        &self,
        channel_id: &str,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<FileInfo, MattermostError> {
        #[derive(Deserialize)]
        struct Uploaded {
            file_infos: [FileInfo; 1],
        }
        let path = format!("/files?channel_id={}&filename={}", encode(channel_id), encode(name));
        let request = self.request(Method::POST, &path).timeout(self.timing.transfer_timeout);
        // A file that is uploaded twice is in no post the second time.
        let uploaded: Uploaded = self.json(request.body(bytes), Repeat::Always).await?;
        let [info] = uploaded.file_infos;
        Ok(info)
    }

    pub async fn file_info(&self, file_id: &str) -> Result<FileInfo, MattermostError> {
        self.get(&format!("/files/{}/info", encode(file_id))).await
    }

    /// Returns the bytes of a file, or [`MattermostError::TooLarge`] as soon as there are more than `max_bytes`.
    pub async fn download(
        &self,
        file_id: &str,
        max_bytes: u64,
    ) -> Result<Vec<u8>, MattermostError> {
        let request = self.request(Method::GET, &format!("/files/{}", encode(file_id)));
        self.send(request.timeout(self.timing.transfer_timeout), Repeat::Always, max_bytes).await
    }

    /// Returns limits and version of the server.
    pub async fn client_config(&self) -> Result<ClientConfig, MattermostError> {
        let config: Value = self.get("/config/client?format=old").await?;
        let text = |name| config.get(name).and_then(Value::as_str).unwrap_or_default();
        // Defaults of the server, for versions that do not send them.
        Ok(ClientConfig {
            version: text("Version").to_owned(),
            max_post_size: text("MaxPostSize").parse().unwrap_or(16_383),
            max_file_size: text("MaxFileSize").parse().unwrap_or(100 << 20),
        })
    }

    /// Sends a request whose answer says only that it is done.
    async fn done(&self, method: Method, path: &str) -> Result<(), MattermostError> {
        self.json::<Value>(self.request(method, path), Repeat::Always).await.map(drop)
    }
}

/// Returns a post with the key that sorts posts by their creation.
fn in_order(post: MattermostPost) -> ((i64, String), MattermostPost) {
    ((post.create_at, post.id.clone()), post)
}
