//! Identifiers of both servers, and the time.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// A post of Mattermost.
    PostId;
    /// A user of Mattermost. Rights depend on nothing else.
    UserId;
    /// A channel of Mattermost.
    ChannelId;
    /// An uploaded file of Mattermost.
    FileId;
    /// A session of OpenCode.
    SessionId;
    /// A message of a session. Later messages have greater ids.
    MessageId;
    /// A part of a message. Later parts have greater ids.
    PartId;
    /// A permission or a question of OpenCode that waits for an answer.
    AskId;
    /// The key of a post of the bridge, the same after a restart.
    Key;
}

/// Milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    #[must_use]
    pub const fn plus(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    #[must_use]
    pub const fn minus(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_sub(milliseconds))
    }
}
