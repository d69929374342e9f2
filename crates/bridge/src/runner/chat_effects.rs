//! Carries out the actions that concern Mattermost.

use skein_mattermost::{self as mattermost, NewPost};
use skein_store::read_inside;

use super::Effects;
use super::from_chat::{chat_error, chat_post, chat_reaction, chat_time, own_post, props};
use crate::core::action::OutFile;
use crate::core::ids::{ChannelId, Key, PostId, Time};
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

    async fn try_create_post(&self, draft: Draft) -> Result<(PostId, Time), ChatError> {
        let Draft { key, channel, root, mut text, file } = draft;
        let mut file_ids = Vec::new();
        match file.map(|file| self.read_file(file)).transpose() {
            Ok(None) => {}
            Ok(Some((name, bytes))) => {
                let sent = self.chat.upload(channel.as_str(), &name, bytes).await;
                match self.note(sent).map_err(chat_error) {
                    Ok(file) => file_ids.push(file.id),
                    Err(ChatError::Unreachable) => return Err(ChatError::Unreachable),
                    // The server may not take files at all.
                    Err(_) => text += "\n\n_The server did not take the file._",
                }
            }
            Err(reason) => text = format!("{text}\n\n_{reason}_"),
        }
        let post = NewPost {
            channel_id: channel.to_string(),
            message: text,
            root_id: root.map(|root| root.to_string()).unwrap_or_default(),
            file_ids,
            props: props(&key),
            pending_post_id: format!("{}:{key}", self.bot),
        };
        let created = self.chat.create_post(&post).await;
        let post = self.note(created).map_err(chat_error)?;
        Ok((PostId::from(post.id), chat_time(post.create_at)))
    }

    pub(super) async fn edit_post(&self, key: Key, post: PostId, text: String) -> Outcome {
        let edited = self.chat.patch_post(post.as_str(), &text).await;
        match self.note(edited) {
            Ok(_) => Outcome::PostEdited { key },
            Err(error) => Outcome::EditFailed { key, error: chat_error(error) },
        }
    }

    pub(super) async fn find_posts(
        &self,
        lane: Key,
        channel: ChannelId,
        root: Option<PostId>,
        since: Time,
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
            Err(error) => Outcome::FindFailed { lane, error: chat_error(error) },
        }
    }

    pub(super) async fn fetch_reactions(&self, post: PostId) -> Option<Outcome> {
        let found = self.chat.reactions(post.as_str()).await;
        let reactions = self.note(found).ok()?.into_iter().map(chat_reaction).collect();
        Some(Outcome::Reactions { reactions })
    }

    pub(super) async fn catch_up(&self, channel: ChannelId, since: Time) -> Outcome {
        let found = self.chat.posts_since(channel.as_str(), server_time(since)).await;
        match self.note(found) {
            Ok(changes) => {
                let shared = self.shared();
                let posts = changes.posts.into_iter();
                let posts = posts.map(|post| chat_post(post, &shared.kinds)).collect();
                Outcome::CaughtUp { channel, posts }
            }
            Err(_) => Outcome::CatchUpFailed { channel },
        }
    }

    pub(super) async fn find_user(&self, name: &str) -> Result<Answer, ChatError> {
        let found = self.chat.user_by_name(name.trim_start_matches('@')).await;
        match self.note(found) {
            Ok(user) if user.delete_at == 0 && !user.is_bot => {
                Ok(Answer::User(Some(user.id.into())))
            }
            Ok(_) | Err(mattermost::Error::NotFound { .. }) => Ok(Answer::User(None)),
            Err(error) => Err(chat_error(error)),
        }
    }

    /// Reports a token that is not accepted any more: the event stream does not notice it.
    pub(super) fn note<T>(
        &self,
        result: Result<T, mattermost::Error>,
    ) -> Result<T, mattermost::Error> {
        if let Err(mattermost::Error::Unauthorized) = &result {
            self.revoked.notify_one();
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
                    read_inside(&directory, &path, max_bytes).map_err(|error| error.to_string())
                });
                match found {
                    Ok(bytes) => Ok((name, bytes)),
                    Err(reason) => Err(format!("The file was not sent: {reason}")),
                }
            }
        }
    }
}

fn server_time(time: Time) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}
