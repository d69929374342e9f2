//! What the server reports.

use crate::{ChannelKind, MattermostPost, MattermostReaction, Preference, User};

/// What happened on the server.
#[derive(Debug, Clone, PartialEq)]
pub enum MattermostEvent {
    /// Events arrive. If they are not `complete`, some were missed: the state has to be read by REST. Can come
    /// several times without a [`Self::Disconnected`].
    Connected {
        complete: bool,
    },
    /// A post was created, by any user, the own one included.
    Posted {
        post: MattermostPost,
        channel_kind: ChannelKind,
        /// Only for display.
        sender_name: String,
        /// The ids of the users that are mentioned, or who are in the direct channel.
        mentions: Vec<String>,
    },
    /// A post has another text, or was edited to the same one.
    Edited(MattermostPost),
    /// A post was deleted, with its replies if it is the first one of a thread. `delete_at` is not set.
    Deleted(MattermostPost),
    /// Also comes again for a reaction that exists.
    ReactionAdded(MattermostReaction),
    ReactionRemoved(MattermostReaction),
    RemovedFromChannel {
        channel_id: String,
        user_id: String,
    },
    /// A user was renamed, activated or deactivated.
    UserUpdated(User),
    /// Preferences of the user of the token were set, by this connection or another one, also to the same values.
    PreferencesChanged(Vec<Preference>),
    /// There is no connection. It is connected again after a while.
    Disconnected {
        reason: String,
    },
    /// The token is not accepted any more. This is the last event.
    Unauthorized,
}
