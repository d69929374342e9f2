//! The posts of the bridge: where they belong and what they show.

use serde::{Deserialize, Serialize};

use super::ids::{AskId, ChannelId, Key, MessageId, Millis, PartId, PostId, SessionId};

/// Where a post belongs. The root is `None` for the first post of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostLocation {
    pub channel: ChannelId,
    pub root: Option<PostId>,
    pub at: Millis,
}

/// What a post of the bridge shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// The description of a session: the root of its thread, or the first reply to the post that
    /// started it.
    Session(SessionId),
    /// A piece of an answer, from `start` to the start of the next piece.
    Answer {
        session: SessionId,
        turn: MessageId,
        index: usize,
        start: Cut,
    },
    /// The whole output of a tool, as a file.
    Output {
        session: SessionId,
        turn: MessageId,
        part: PartId,
    },
    /// An image that an answer embeds.
    Image {
        session: SessionId,
        turn: MessageId,
        path: String,
    },
    /// A file below the session's directory that a user asked for.
    File {
        id: String,
        session: SessionId,
        path: String,
    },
    /// A text that is too long for a post, as a file.
    Text {
        id: String,
        name: String,
        text: String,
    },
    Ask(AskId),
    Note {
        id: String,
        text: String,
    },
}

/// A place in an answer: a byte offset in the text of a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cut {
    pub message: MessageId,
    pub part: PartId,
    pub offset: usize,
}

impl Slot {
    /// Returns the key by which the post is found again.
    pub fn key(&self) -> Key {
        let text = match self {
            Self::Session(session) => format!("session:{session}"),
            Self::Answer { turn, index, .. } => return Self::answer_key(turn, *index),
            Self::Output { part, .. } => format!("output:{part}"),
            Self::Image { turn, path, .. } => format!("image:{turn}:{path}"),
            Self::File { id, .. } => format!("file:{id}"),
            Self::Text { id, .. } => format!("text:{id}"),
            Self::Ask(id) => format!("ask:{id}"),
            Self::Note { id, .. } => format!("note:{id}"),
        };
        Key::from(text)
    }

    /// Returns the key of a piece of an answer.
    pub fn answer_key(turn: &MessageId, index: usize) -> Key {
        Key::from(format!("answer:{turn}:{index}"))
    }

    /// Returns the turn that the post belongs to.
    pub fn turn(&self) -> Option<(&SessionId, &MessageId)> {
        match self {
            Self::Answer { session, turn, .. }
            | Self::Output { session, turn, .. }
            | Self::Image { session, turn, .. } => Some((session, turn)),
            Self::Session(_)
            | Self::File { .. }
            | Self::Text { .. }
            | Self::Ask(_)
            | Self::Note { .. } => None,
        }
    }
}
