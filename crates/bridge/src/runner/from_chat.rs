//! Translates what Mattermost sends for the core.

use std::collections::BTreeMap;

use serde_json::Value;
use skein_mattermost::{self as mattermost, ChannelKind};

use crate::core::ids::{ChannelId, Key, Millis, PostId, UserId};
use crate::core::input::{ChatError, ChatEvent, FileSeen, OwnPost, Post, Reaction};

/// The name of the bridge's own entry in the props of a post.
pub(super) const PROPS_NAME: &str = "skein";
const KEY_NAME: &str = "key";

/// The kinds of the channels that were seen; events about edits and deletions do not have them.
#[derive(Debug, Default)]
pub(super) struct ChannelKinds(BTreeMap<String, ChannelKind>);

impl ChannelKinds {
    pub(super) fn set(&mut self, channel: &str, kind: ChannelKind) {
        self.0.insert(channel.to_owned(), kind);
    }

    pub(super) fn is_direct(&self, channel: &str) -> bool {
        self.0.get(channel) == Some(&ChannelKind::Direct)
    }
}

/// Returns the event for the core; connections are the runner's concern.
pub(super) fn chat_event(
    event: mattermost::MattermostEvent,
    bot: &UserId,
    kinds: &mut ChannelKinds,
) -> Option<ChatEvent> {
    use mattermost::MattermostEvent;
    Some(match event {
        MattermostEvent::Posted { post, channel_kind, .. } => {
            kinds.set(&post.channel_id, channel_kind);
            ChatEvent::Posted(chat_post(post, kinds))
        }
        MattermostEvent::Edited(post) => ChatEvent::Edited(chat_post(post, kinds)),
        MattermostEvent::Deleted(post) => {
            let deleted = Post { is_deleted: true, ..chat_post(post, kinds) };
            ChatEvent::Deleted(deleted)
        }
        MattermostEvent::ReactionAdded(reaction) => ChatEvent::Reacted(chat_reaction(reaction)),
        MattermostEvent::RemovedFromChannel { channel_id, user_id } => {
            if user_id != bot.as_str() {
                return None;
            }
            ChatEvent::Removed(ChannelId::from(channel_id))
        }
        MattermostEvent::UserUpdated(user) => {
            if user.delete_at == 0 {
                return None;
            }
            ChatEvent::UserDeactivated(UserId::from(user.id))
        }
        MattermostEvent::Disconnected { .. } => ChatEvent::Disconnected,
        MattermostEvent::Connected { .. }
        | MattermostEvent::ReactionRemoved(_)
        | MattermostEvent::PreferencesChanged(_)
        | MattermostEvent::Unauthorized => return None,
    })
}

pub(super) fn chat_post(post: mattermost::MattermostPost, kinds: &ChannelKinds) -> Post {
    let is_automatic = post.is_automatic() || post.is_system();
    let files = post.metadata.files.into_iter().map(|file| FileSeen {
        id: file.id.into(),
        name: file.name,
        size: file.size,
        mime: file.mime_type,
    });
    Post {
        id: PostId::from(post.id),
        is_direct: kinds.is_direct(&post.channel_id),
        channel: ChannelId::from(post.channel_id),
        root: Some(post.root_id).filter(|root| !root.is_empty()).map(PostId::from),
        user: UserId::from(post.user_id),
        is_automatic,
        text: post.message,
        files: files.collect(),
        created: chat_time(post.create_at),
        is_deleted: post.delete_at != 0,
    }
}

pub(super) fn chat_reaction(reaction: mattermost::MattermostReaction) -> Reaction {
    Reaction {
        post: reaction.post_id.into(),
        user: reaction.user_id.into(),
        emoji: reaction.emoji_name,
        at: chat_time(reaction.update_at.max(reaction.create_at)),
    }
}

/// Returns the post as one of the bridge's own, if it has a key.
pub(super) fn own_post(post: mattermost::MattermostPost, bot: &UserId) -> Option<OwnPost> {
    if post.user_id != bot.as_str() || post.delete_at != 0 {
        return None;
    }
    let key = post.props.get(PROPS_NAME)?.get(KEY_NAME)?.as_str()?;
    let created = chat_time(post.create_at);
    Some(OwnPost { key: Key::from(key), post: post.id.into(), created, text: post.message })
}

/// Returns the props of a post with a key.
pub(super) fn props(key: &Key) -> serde_json::Map<String, Value> {
    let own = serde_json::json!({ KEY_NAME: key.as_str() });
    [(PROPS_NAME.to_owned(), own)].into_iter().collect()
}

/// Translates an error whose cause was not looked up.
pub(super) fn chat_error(error: mattermost::MattermostError) -> ChatError {
    use mattermost::MattermostError;
    match error {
        error if error.is_refusal() => ChatError::Refused(error.to_string()),
        MattermostError::Rejected { message, .. } => ChatError::Rejected(message),
        error if error.is_retryable() => ChatError::Unreachable,
        error => ChatError::Rejected(error.to_string()),
    }
}

pub(super) fn chat_time(milliseconds: i64) -> Millis {
    Millis(u64::try_from(milliseconds).unwrap_or_default())
}
