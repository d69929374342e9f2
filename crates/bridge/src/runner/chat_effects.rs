//! Carries out the actions that concern Mattermost.

use std::path::Path;

use skein_mattermost::{self as mattermost, NewPost};
use skein_store::{SafeOpenError, read_inside};

use super::Effects;
use super::from_chat::{chat_error, chat_post, chat_reaction, chat_time, own_post, props};
use crate::core::action::OutFile;
use crate::core::ids::{ChannelId, Key, Millis, PostId, UserId};
use crate::core::input::{Answer, ChatError, Outcome};

/// A post that is to be created.
pub(super) struct Draft {
    pub(super) key: Key,
    pub(super) channel: ChannelId,
    pub(super) root: Option<PostId>,
    pub(super) text: String,
    pub(super) file: Option<OutFile>,
}

impl Effects {
    pub(super) async fn create_post(&self, draft: Draft) -> Outcome {
        let key = draft.key.clone();
        match self.try_create_post(draft).await {
            Ok((post, created)) => Outcome::PostCreated { key, post, created },
            Err(error) => Outcome::PostFailed { key, error },
        }
    }

    async fn try_create_post(&self, draft: Draft) -> Result<(PostId, Millis), ChatError> {
        let Draft { key, channel, root, text, file } = draft;
        let mut file_ids = Vec::new();
        if let Some(file) = file {
            let (name, bytes) = self.read_file(file).map_err(ChatError::Rejected)?;
            file_ids.push(self.upload(&channel, &name, bytes).await?);
        }
        let post = NewPost {
            channel_id: channel.to_string(),
            message: text,
            root_id: root.as_ref().map(PostId::to_string).unwrap_or_default(),
            file_ids,
            props: props(&key),
            pending_post_id: format!("{}:{key}", self.bot),
        };
        let created = self.chat.create_post(&post).await;
        match self.note(created) {
            Ok(post) => Ok((PostId::from(post.id), chat_time(post.create_at))),
            Err(error) => Err(self.explain(error, &channel, root.as_ref()).await),
        }
    }

    /// Uploads a file for a post and returns its id.
    async fn upload(
        &self,
        channel: &ChannelId,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<String, ChatError> {
        let mut was_refused = false;
        loop {
            let sent = self.chat.upload(channel.as_str(), name, bytes.clone()).await;
            let error = match self.note(sent) {
                Ok(file) => return Ok(file.id),
                Err(error) => error,
            };
            let is_member = is_unreachable(&error) || self.is_member(channel).await?;
            if !error.is_refusal() || !is_member || was_refused {
                return Err(upload_error(&error, is_member));
            }
            // The server can have been without its database, which it has again.
            was_refused = true;
        }
    }

    async fn is_member(&self, channel: &ChannelId) -> Result<bool, ChatError> {
        let channels = self.note(self.chat.my_channels().await);
        // A server that does not answer this has no reason to refuse anything.
        let channels = channels.map_err(|_| ChatError::Unreachable)?;
        Ok(channels.iter().any(|one| one.id == channel.as_str()))
    }

    pub(super) async fn edit_post(
        &self,
        key: Key,
        channel: ChannelId,
        post: PostId,
        text: String,
    ) -> Outcome {
        let edited = self.chat.patch_post(post.as_str(), &text).await;
        match self.note(edited) {
            Ok(_) => Outcome::PostEdited { key },
            Err(error) => {
                let error = self.explain(error, &channel, Some(&post)).await;
                Outcome::EditFailed { key, error }
            }
        }
    }

    /// Finds out why the server refuses a request that concerns a channel, or a post of it.
    async fn explain(
        &self,
        error: mattermost::MattermostError,
        channel: &ChannelId,
        post: Option<&PostId>,
    ) -> ChatError {
        if !error.is_refusal() {
            return chat_error(error);
        }
        match self.look_up(channel, post).await {
            Ok(Some(cause)) => cause,
            Ok(None) => chat_error(error),
            // A server that does not answer this either has no reason to refuse.
            Err(_) => ChatError::Unreachable,
        }
    }

    /// Returns why a request for a channel, or for a post of it, has to fail; `None` if it does not have to.
    async fn look_up(
        &self,
        channel: &ChannelId,
        post: Option<&PostId>,
    ) -> Result<Option<ChatError>, mattermost::MattermostError> {
        let channels = self.note(self.chat.my_channels().await)?;
        if !channels.iter().any(|one| one.id == channel.as_str()) {
            return Ok(Some(ChatError::Forbidden));
        }
        let Some(post) = post else { return Ok(None) };
        let posts = self.note(self.chat.posts(&[post.as_str()]).await)?;
        Ok(match posts.first() {
            None => Some(ChatError::Missing),
            Some(post) if post.delete_at != 0 => Some(ChatError::Gone),
            Some(_) => None,
        })
    }

    pub(super) async fn find_posts(
        &self,
        lane: Key,
        channel: ChannelId,
        root: Option<PostId>,
        since: Millis,
    ) -> Outcome {
        let found = match &root {
            Some(root) => self.chat.thread(root.as_str()).await,
            None => {
                let changes = self.chat.posts_since(channel.as_str(), server_time(since)).await;
                changes.map(|changes| changes.posts)
            }
        };
        match self.note(found) {
            Ok(posts) => {
                let posts = posts.into_iter().filter_map(|post| own_post(post, &self.bot));
                Outcome::PostsFound { lane, posts: posts.collect() }
            }
            Err(error) => {
                let error = self.explain(error, &channel, root.as_ref()).await;
                Outcome::FindFailed { lane, error }
            }
        }
    }

    pub(super) async fn fetch_reactions(&self, post: PostId) -> Option<Outcome> {
        let found = self.chat.reactions(post.as_str()).await;
        let reactions = self.note(found).ok()?.into_iter().map(chat_reaction).collect();
        Some(Outcome::Reactions { reactions })
    }

    pub(super) async fn catch_up(&self, channel: ChannelId, since: Millis) -> Outcome {
        let found = self.chat.posts_since(channel.as_str(), server_time(since)).await;
        match self.note(found) {
            Ok(changes) => {
                let shared = self.shared();
                let complete = changes.complete;
                let posts = changes.posts.into_iter();
                let posts = posts.map(|post| chat_post(post, &shared.kinds)).collect();
                Outcome::CaughtUp { channel, posts, complete }
            }
            Err(error) => {
                let error = self.explain(error, &channel, None).await;
                Outcome::CatchUpFailed { channel, error }
            }
        }
    }

    pub(super) async fn fetch_posts(&self, channel: ChannelId, ids: Vec<PostId>) -> Outcome {
        match self.try_fetch_posts(&channel, ids).await {
            Ok((posts, gone)) => {
                let shared = self.shared();
                let posts = posts.into_iter().map(|post| chat_post(post, &shared.kinds)).collect();
                Outcome::PostsFetched { channel, posts, gone }
            }
            Err(error) => {
                let error = self.explain(error, &channel, None).await;
                Outcome::CatchUpFailed { channel, error }
            }
        }
    }

    /// Returns posts, and the ids of those that do not exist.
    async fn try_fetch_posts(
        &self,
        channel: &ChannelId,
        mut missing: Vec<PostId>,
    ) -> Result<(Vec<mattermost::MattermostPost>, Vec<PostId>), mattermost::MattermostError> {
        let mut posts = Vec::new();
        // The server leaves out what it may not show, which it cannot decide without its database. So those that are left out are
        // asked for again.
        for _ in 0..2 {
            let ids: Vec<_> = missing.iter().map(PostId::as_str).collect();
            let shown = self.note(self.chat.posts(&ids).await)?;
            missing.retain(|id| !shown.iter().any(|post| post.id == id.as_str()));
            posts.extend(shown);
            if missing.is_empty() {
                break;
            }
            if let Some(ChatError::Forbidden) = self.look_up(channel, None).await? {
                let message = "the bot is not in the channel".to_owned();
                return Err(mattermost::MattermostError::Forbidden { message });
            }
        }
        Ok((posts, missing))
    }

    pub(super) async fn fetch_users(&self, users: Vec<UserId>) -> Option<Outcome> {
        let ids: Vec<_> = users.iter().map(UserId::as_str).collect();
        match self.note(self.chat.users(&ids).await) {
            Ok(users) => {
                let deactivated = users.into_iter().filter(|user| user.delete_at != 0);
                let deactivated = deactivated.map(|user| UserId::from(user.id)).collect();
                Some(Outcome::UsersFetched { deactivated })
            }
            Err(error) if error.is_retryable() => Some(Outcome::UsersFailed),
            Err(error) => {
                tracing::warn!("the users cannot be read: {error}");
                None
            }
        }
    }

    pub(super) async fn find_user(&self, name: &str) -> Result<Answer, ChatError> {
        let found = self.chat.user_by_name(name.trim_start_matches('@')).await;
        match self.note(found) {
            Ok(user) if user.delete_at == 0 && !user.is_bot => {
                Ok(Answer::User(Some(user.id.into())))
            }
            Ok(_) | Err(mattermost::MattermostError::NotFound { .. }) => Ok(Answer::User(None)),
            Err(error) => Err(chat_error(error)),
        }
    }

    /// Returns whether a download failed for a reason that does not concern the file alone.
    pub(super) async fn may_download_later(&self, error: &mattermost::MattermostError) -> bool {
        match error {
            mattermost::MattermostError::Unauthorized => true,
            error if is_unreachable(error) => true,
            error if error.is_retryable() => self.note(self.chat.me().await).is_err(),
            _ => false,
        }
    }

    /// Reports a token that is not accepted any more: the event stream does not notice it.
    pub(super) fn note<T>(
        &self,
        result: Result<T, mattermost::MattermostError>,
    ) -> Result<T, mattermost::MattermostError> {
        if let Err(mattermost::MattermostError::Unauthorized) = &result {
            self.signals.revoked.notify_one();
        }
        result
    }

    /// Returns the name and the content of a file, or why it is not sent.
    fn read_file(&self, file: OutFile) -> Result<(String, Vec<u8>), String> {
        match file {
            OutFile::Text { name, content } => Ok((name, content.into_bytes())),
            OutFile::Disk { directory, path, max_bytes } => {
                let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
                let found = self.real_directory(&directory).map_err(str::to_owned);
                let found = found.and_then(|directory| {
                    if is_hidden(&directory, &path) {
                        return Err("it is a hidden file, or in a hidden directory".to_owned());
                    }
                    read_inside(&directory, &path, max_bytes).map_err(|error| file_error(&error))
                });
                found.map(|bytes| (name, bytes))
            }
        }
    }
}

/// Returns whether a path leads to something hidden below its directory, by its own parts or by those of links.
fn is_hidden(directory: &Path, path: &str) -> bool {
    let Ok(real) = directory.join(path).canonicalize() else { return false };
    let Ok(below) = real.strip_prefix(directory) else { return false };
    below.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// Returns why a file is not sent, for a text that has its name.
fn file_error(error: &SafeOpenError) -> String {
    match error {
        SafeOpenError::Outside { .. } => "it is not in the session's directory".to_owned(),
        SafeOpenError::NotFound { .. } => "no such file".to_owned(),
        SafeOpenError::NotAFile { .. } => "not a regular file".to_owned(),
        SafeOpenError::TooLarge { limit, .. } => format!("larger than {limit} bytes"),
        SafeOpenError::Io { source, .. } => source.to_string(),
    }
}

/// Returns why a file was not taken. A server that takes no files still takes posts, but not in a channel that the
/// bot is not in.
fn upload_error(error: &mattermost::MattermostError, is_member: bool) -> ChatError {
    match error {
        error if is_unreachable(error) => ChatError::Unreachable,
        _ if !is_member => ChatError::Forbidden,
        error if error.is_retryable() => ChatError::FileFailed(error.to_string()),
        error => ChatError::Rejected(error.to_string()),
    }
}

/// Returns whether the server could not be reached. Another error can be one of a single file, such as the status 500
/// of a server that cannot store it.
fn is_unreachable(error: &mattermost::MattermostError) -> bool {
    let is_of_file = matches!(error, mattermost::MattermostError::Rejected { status, .. }
        if !matches!(status, 502..=504));
    error.is_retryable() && !is_of_file
}

fn server_time(time: Millis) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "test setup needs no durability")]
mod tests;
