//! Carries out the actions that concern Mattermost.

use std::collections::BTreeSet;

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
            let sent = self.chat.upload(channel.as_str(), &name, bytes).await;
            match self.note(sent) {
                Ok(file) => file_ids.push(file.id),
                Err(error) => {
                    let is_member = is_unreachable(&error) || self.is_member(&channel).await?;
                    return Err(upload_error(&error, is_member));
                }
            }
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

    async fn is_member(&self, channel: &ChannelId) -> Result<bool, ChatError> {
        let channels = self.note(self.chat.my_channels().await).map_err(chat_error)?;
        Ok(channels.iter().any(|one| one.id == channel.as_str()))
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
            Err(error) => Outcome::FindFailed { lane, error: chat_error(error) },
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
            Err(error) => Outcome::CatchUpFailed { channel, error: chat_error(error) },
        }
    }

    pub(super) async fn fetch_posts(&self, channel: ChannelId, mut gone: Vec<PostId>) -> Outcome {
        let ids: Vec<_> = gone.iter().map(PostId::as_str).collect();
        match self.note(self.chat.posts(&ids).await) {
            Ok(found) => {
                let shared = self.shared();
                let posts = found.into_iter().map(|post| chat_post(post, &shared.kinds));
                let posts: Vec<_> = posts.collect();
                let is_found: BTreeSet<_> = posts.iter().map(|post| &post.id).collect();
                gone.retain(|id| !is_found.contains(id));
                Outcome::PostsFetched { channel, posts, gone }
            }
            Err(error) => Outcome::CatchUpFailed { channel, error: chat_error(error) },
        }
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
                    read_inside(&directory, &path, max_bytes).map_err(|error| file_error(&error))
                });
                found.map(|bytes| (name, bytes))
            }
        }
    }
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
mod tests {
    use std::fs;

    use skein_fixtures::Fixture;
    use skein_standin::{CannedReply, StandIn};

    use super::super::stand_in::effects;
    use super::*;

    #[test]
    fn the_reason_for_a_file_that_is_not_sent_does_not_repeat_its_name() {
        let fixture = Fixture::new();
        let dir = fixture.path("work");
        fs::create_dir_all(dir.join("folder")).unwrap();
        fs::write(dir.join("large.txt"), "12345").unwrap();
        fs::write(fixture.path("secret.txt"), "1").unwrap();
        std::os::unix::fs::symlink(fixture.path("secret.txt"), dir.join("link.txt")).unwrap();
        let reason = |path: &str| file_error(&read_inside(&dir, path, 4).unwrap_err());
        assert_eq!(reason("missing.txt"), "no such file");
        assert_eq!(reason("folder"), "not a regular file");
        assert_eq!(reason("large.txt"), "larger than 4 bytes");
        assert_eq!(reason("link.txt"), "it is not in the session's directory");
    }

    #[tokio::test]
    async fn a_file_failed_only_if_the_server_answers_otherwise() {
        for is_down in [false, true] {
            let server = StandIn::start(move |request| match request.path() {
                "POST /files" => CannedReply::unrecorded(500, "", "{}"),
                "GET /users/me/channels" if is_down => CannedReply::drop(),
                "GET /users/me/channels" => {
                    CannedReply::ok(r#"[{"id": "direct", "type": "D", "last_post_at": 1}]"#)
                }
                line => panic!("{line}"),
            })
            .await;
            let (effects, _outcomes) = effects(&server, &Fixture::new());
            let (name, content) = ("a.txt".to_owned(), "text".to_owned());
            let file = Some(OutFile::Text { name, content });
            let (key, channel, text) = ("text:1".into(), "direct".into(), String::new());
            let draft = Draft { key, channel, root: Some("p1".into()), text, file };
            let Outcome::PostFailed { error, .. } = effects.create_post(draft).await else {
                panic!("the post was created");
            };
            let is_of_file = matches!(error, ChatError::FileFailed(_));
            assert_eq!((is_of_file, error == ChatError::Unreachable), (!is_down, is_down));
        }
    }

    #[test]
    fn a_server_that_refuses_a_file_is_still_written_to() {
        let refused = mattermost::MattermostError::Forbidden { message: "no files".to_owned() };
        assert!(matches!(upload_error(&refused, true), ChatError::Rejected(_)));
        let (id, message) = (String::new(), "no files".to_owned());
        let disabled = mattermost::MattermostError::Rejected { status: 501, id, message };
        assert!(matches!(upload_error(&disabled, true), ChatError::Rejected(_)));
        assert_eq!(upload_error(&disabled, false), ChatError::Forbidden);
        let (id, message) = (String::new(), String::new());
        let busy = mattermost::MattermostError::Rejected { status: 503, id, message };
        assert_eq!(upload_error(&busy, true), ChatError::Unreachable);
        let (id, message) = (String::new(), "cannot store it".to_owned());
        let failed = mattermost::MattermostError::Rejected { status: 500, id, message };
        assert_eq!(upload_error(&failed, true), ChatError::FileFailed(failed.to_string()));
        assert_eq!(upload_error(&failed, false), ChatError::Forbidden);
    }
}
