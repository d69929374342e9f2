//! A chat server in memory.

use skein_bridge::core::BridgeAction;
use skein_bridge::core::action::OutFile;
use skein_bridge::core::ids::{ChannelId, Key, Millis, PostId, UserId};
use skein_bridge::core::input::{
    ChannelSeen, ChatError, FileSeen, Outcome, OwnPost, Post, Reaction,
};

use super::{BOT, CHANNEL, HOME};

/// Maximum length of a post.
pub(crate) const MAX_POST_CHARS: usize = 16_383;

#[derive(Default)]
pub(crate) struct ChatServer {
    pub(crate) posts: Vec<ChatPost>,
    pub(crate) reactions: Vec<Reaction>,
    pub(crate) is_down: bool,
    /// How far its clock is behind that of the bridge.
    pub(crate) behind: u64,
    /// The bot may not write here.
    pub(crate) forbidden: Option<ChannelId>,
    /// Posts whose key starts with this are not created, or not edited, for this reason.
    pub(crate) rejected: Option<(&'static str, &'static str)>,
    pub(crate) rejected_edits: Option<(&'static str, &'static str)>,
    /// Why files are not taken.
    pub(crate) rejected_files: Option<&'static str>,
    /// Posts whose key starts with this are not created, although all other requests are answered.
    pub(crate) failing: Option<(&'static str, ChatError)>,
    /// The same for edits.
    pub(crate) failing_edits: Option<(&'static str, ChatError)>,
    /// Requests that write.
    pub(crate) requests: usize,
    pub(crate) edits: Vec<u64>,
    /// When posts were searched that the bridge missed.
    pub(crate) catch_ups: Vec<u64>,
    /// So much has changed that the answer has new posts only.
    pub(crate) hides_changes: bool,
    pub(crate) deactivated: Vec<UserId>,
    pub(crate) user_requests: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct ChatPost {
    pub(crate) id: PostId,
    pub(crate) channel: ChannelId,
    pub(crate) root: Option<PostId>,
    pub(crate) user: UserId,
    pub(crate) text: String,
    pub(crate) key: Option<Key>,
    pub(crate) files: Vec<FileSeen>,
    pub(crate) file: Option<OutFile>,
    pub(crate) created: u64,
    changed: u64,
    pub(crate) is_deleted: bool,
}

impl ChatPost {
    pub(crate) fn shown(&self) -> String {
        match &self.key {
            Some(_) => self.text.clone(),
            None => format!("{}: {}", self.user, self.text),
        }
    }

    pub(crate) fn seen(&self) -> Post {
        Post {
            id: self.id.clone(),
            channel: self.channel.clone(),
            is_direct: self.channel.as_str().starts_with("direct"),
            root: self.root.clone(),
            user: self.user.clone(),
            is_automatic: self.user.as_str().starts_with("bot"),
            text: self.text.clone(),
            files: self.files.clone(),
            created: Millis(self.created),
            is_deleted: self.is_deleted,
        }
    }
}

impl ChatServer {
    pub(crate) fn write(
        &mut self,
        channel: &str,
        user: &str,
        root: Option<&PostId>,
        text: &str,
        now: u64,
    ) -> Post {
        let post = ChatPost {
            id: PostId::from(format!("post{:03}", self.posts.len())),
            channel: channel.into(),
            root: root.cloned(),
            user: user.into(),
            text: text.into(),
            key: None,
            files: Vec::new(),
            file: None,
            created: now,
            changed: now,
            is_deleted: false,
        };
        self.posts.push(post.clone());
        post.seen()
    }

    pub(crate) fn channels(&self) -> Vec<ChannelSeen> {
        let mut names = vec![HOME, CHANNEL, "direct-friend", "direct-stranger"];
        names.retain(|name| self.forbidden.as_ref().is_none_or(|one| one.as_str() != *name));
        let seen = |name: &&str| {
            let posts = self.posts.iter().filter(|post| post.channel.as_str() == *name);
            let last = posts.map(|post| post.changed).max().unwrap_or(0);
            ChannelSeen { channel: ChannelId::from(*name), last_post_at: Millis(last) }
        };
        names.iter().map(seen).collect()
    }

    pub(crate) fn post(&self, id: &PostId) -> &ChatPost {
        self.posts.iter().find(|post| post.id == *id).unwrap()
    }

    pub(crate) fn post_mut(&mut self, id: &PostId) -> &mut ChatPost {
        self.posts.iter_mut().find(|post| post.id == *id).unwrap()
    }

    pub(crate) fn edit(&mut self, id: &PostId, text: &str, now: u64) -> Post {
        let post = self.post_mut(id);
        post.text = text.into();
        post.changed = now;
        post.seen()
    }

    /// Deletes a post and, if it is a root, its thread.
    pub(crate) fn delete(&mut self, id: &PostId, now: u64) -> Post {
        for post in &mut self.posts {
            if post.id == *id || post.root.as_ref() == Some(id) {
                post.is_deleted = true;
                post.changed = now;
            }
        }
        self.post(id).seen()
    }

    pub(crate) fn thread(&self, root: &PostId) -> Vec<&ChatPost> {
        let in_thread = |post: &&ChatPost| post.id == *root || post.root.as_ref() == Some(root);
        self.posts.iter().filter(in_thread).filter(|post| !post.is_deleted).collect()
    }

    pub(crate) fn by_key(&self, key: &str) -> Option<&ChatPost> {
        self.posts.iter().find(|post| post.key.as_ref().is_some_and(|one| one.as_str() == key))
    }

    pub(crate) fn perform(&mut self, action: &BridgeAction, now: u64) -> Option<Outcome> {
        match action {
            BridgeAction::CreatePost { key, channel, root, text, file } => {
                self.requests += 1 + usize::from(file.is_some());
                let key = key.clone();
                let rejected = self.rejected_files.filter(|_| file.is_some());
                let rejected = rejected.map(|reason| ChatError::Rejected(reason.to_owned()));
                let failing = self.failing.as_ref();
                let failing = failing.filter(|(start, _)| key.as_str().starts_with(start));
                let error = self.refusal(channel, root.as_ref()).or(rejected);
                let error = error.or(failing.map(|(_, error)| error.clone()));
                if let Some(error) = error.or(rejection(self.rejected, &key, text)) {
                    return Some(Outcome::PostFailed { key, error });
                }
                let id = self.write(channel.as_str(), BOT, root.as_ref(), text, now).id;
                let post = self.post_mut(&id);
                post.key = Some(key.clone());
                post.file.clone_from(file);
                Some(Outcome::PostCreated { key, post: id, created: Millis(now - self.behind) })
            }
            BridgeAction::EditPost { key, post, text, .. } => {
                self.requests += 1;
                self.edits.push(now);
                let key = key.clone();
                if self.is_down {
                    return Some(Outcome::EditFailed { key, error: ChatError::Unreachable });
                }
                if self.post(post).is_deleted {
                    return Some(Outcome::EditFailed { key, error: ChatError::Gone });
                }
                let failing = self.failing_edits.as_ref();
                let failing = failing.filter(|(start, _)| key.as_str().starts_with(start));
                if let Some((_, error)) = failing {
                    return Some(Outcome::EditFailed { key, error: error.clone() });
                }
                if let Some(error) = rejection(self.rejected_edits, &key, text) {
                    return Some(Outcome::EditFailed { key, error });
                }
                self.post_mut(post).text.clone_from(text);
                Some(Outcome::PostEdited { key })
            }
            BridgeAction::FindPosts { lane, channel, root, since } => {
                let lane = lane.clone();
                if let Some(error) = self.refusal(channel, root.as_ref()) {
                    return Some(Outcome::FindFailed { lane, error });
                }
                let posts = self.posts.iter().filter(|post| match root {
                    Some(root) => post.id == *root || post.root.as_ref() == Some(root),
                    None => post.channel == *channel && post.created >= since.0,
                });
                let posts = posts.filter(|post| !post.is_deleted).filter_map(|post| {
                    let key = post.key.clone()?;
                    let (created, text) = (Millis(post.created), post.text.clone());
                    Some(OwnPost { key, post: post.id.clone(), created, text })
                });
                Some(Outcome::PostsFound { lane, posts: posts.collect() })
            }
            BridgeAction::CatchUp { channel, since } => Some(self.catch_up(channel, *since, now)),
            BridgeAction::FetchUsers { users } => {
                self.user_requests += 1;
                if self.is_down {
                    return Some(Outcome::UsersFailed);
                }
                let deactivated = self.deactivated.iter().filter(|one| users.contains(one));
                Some(Outcome::UsersFetched { deactivated: deactivated.cloned().collect() })
            }
            BridgeAction::FetchPosts { channel, posts } => {
                let channel = channel.clone();
                let is_there = |id: &&PostId| !self.post(id).is_deleted;
                let (found, gone): (Vec<_>, Vec<_>) = posts.iter().partition(is_there);
                let posts = found.into_iter().map(|id| self.post(id).seen()).collect();
                Some(Outcome::PostsFetched {
                    channel,
                    posts,
                    gone: gone.into_iter().cloned().collect(),
                })
            }
            action => self.react(action),
        }
    }

    fn catch_up(&mut self, channel: &ChannelId, since: Millis, now: u64) -> Outcome {
        self.catch_ups.push(now);
        let channel = channel.clone();
        if let Some(error) = self.refusal(&channel, None) {
            return Outcome::CatchUpFailed { channel, error };
        }
        let posts = self.posts.iter().filter(|post| post.channel == channel);
        let posts = posts.filter(|post| match self.hides_changes {
            true => post.created >= since.0,
            false => post.changed >= since.0,
        });
        let posts = posts.map(ChatPost::seen).collect();
        Outcome::CaughtUp { channel, posts, complete: !self.hides_changes }
    }

    fn react(&mut self, action: &BridgeAction) -> Option<Outcome> {
        match action {
            BridgeAction::AddReaction { post, emoji } => {
                self.requests += 1;
                let (post, user) = (post.clone(), BOT.into());
                let at = Millis::default();
                self.reactions.push(Reaction { post, user, emoji: (*emoji).into(), at });
                None
            }
            BridgeAction::RemoveReaction { post, emoji } => {
                self.requests += 1;
                self.reactions.retain(|one| {
                    one.post != *post || one.emoji != *emoji || one.user.as_str() != BOT
                });
                None
            }
            BridgeAction::FetchReactions { post } => {
                let all = self.reactions.iter();
                let reactions = all.filter(|one| one.post == *post).cloned().collect();
                Some(Outcome::Reactions { reactions })
            }
            _ => None,
        }
    }

    fn refusal(&self, channel: &ChannelId, root: Option<&PostId>) -> Option<ChatError> {
        if self.is_down {
            return Some(ChatError::Unreachable);
        }
        if self.forbidden.as_ref() == Some(channel) {
            return Some(ChatError::Forbidden);
        }
        root.filter(|root| self.post(root).is_deleted).map(|_| ChatError::Gone)
    }

    /// Returns the bot's reactions on a post.
    pub(crate) fn marks(&self, post: &PostId) -> Vec<&str> {
        let all = self.reactions.iter().filter(|one| one.post == *post);
        all.filter(|one| one.user.as_str() == BOT).map(|one| one.emoji.as_str()).collect()
    }
}

/// Returns why a text is not taken.
fn rejection(rejected: Option<(&str, &str)>, key: &Key, text: &str) -> Option<ChatError> {
    let is_long = text.chars().count() > MAX_POST_CHARS;
    let too_long = is_long.then_some("the text is too long");
    let rejected = rejected.filter(|(start, _)| key.as_str().starts_with(start));
    let reason = rejected.map(|(_, reason)| reason).or(too_long)?;
    Some(ChatError::Rejected(reason.to_owned()))
}
