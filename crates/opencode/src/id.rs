//! Identifiers of OpenCode.
//!
//! They are a prefix, 48 bits of time in hexadecimal and 14 other characters. OpenCode accepts ids of its clients
//! for messages and parts.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps an id that OpenCode gave.
            #[must_use]
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// Returns the text of the id.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids!(
    /// Names a session (`ses_…`).
    SessionId,
    /// Names a message in all sessions (`msg_…`).
    MessageId,
    /// Names a part of a message (`prt_…`).
    PartId,
    /// Names an open permission request (`per_…`).
    PermissionId,
    /// Names an open request with questions (`que_…`).
    QuestionId
);

/// Bits of the counter below the milliseconds.
const COUNTER_BITS: u32 = 12;
const MAX_TIME: u64 = (1 << 48) - 1;
const SUFFIX_LENGTH: usize = 14;
/// Number of digits of the index of a part.
const INDEX_LENGTH: usize = 4;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns the id of a message that is written now, after the message `last` of the same session.
///
/// Equal arguments give the same id. The seed has to be unique in all sessions: a prompt whose id exists changes
/// that message.
#[must_use]
pub fn message_id(now_ms: u64, last: Option<&MessageId>, seed: &str) -> MessageId {
    let now = now_ms.wrapping_shl(COUNTER_BITS) & MAX_TIME;
    let after_last = last.and_then(time_bits).map_or(0, |time| time + 1);
    // The bits start from zero every two years; then ids are only ordered by the times of the messages.
    let time = if after_last > MAX_TIME { now } else { now.max(after_last) };
    MessageId(format!("msg_{time:012x}{}", suffix(seed, SUFFIX_LENGTH)))
}

/// Returns the id of the part with this index of a prompt, so that sending the prompt again replaces the part.
#[must_use]
pub fn part_id(message: &MessageId, index: usize) -> PartId {
    let time = time_bits(message).unwrap_or_default();
    let suffix = suffix(message.as_str(), SUFFIX_LENGTH - INDEX_LENGTH);
    PartId(format!("prt_{time:012x}{index:0INDEX_LENGTH$}{suffix}"))
}

fn time_bits(id: &MessageId) -> Option<u64> {
    let digits = id.as_str().strip_prefix("msg_")?.get(..12)?;
    u64::from_str_radix(digits, 16).ok()
}

fn suffix(seed: &str, length: usize) -> String {
    let hash = Sha256::digest(seed.as_bytes());
    let characters = hash.iter().map(|byte| BASE62.get(usize::from(*byte) % BASE62.len()));
    characters.flatten().take(length).map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_794_919_695_749;

    #[test]
    fn ids_have_the_shape_of_opencode() {
        let id = message_id(NOW, None, "post");
        assert_eq!(id.as_str().len(), "msg_1e98d0585001isONQgWeokxkO7".len());
        assert!(id.as_str().starts_with("msg_1e98d0585000"), "{id}");
        assert!(id.as_str().bytes().skip(4).all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(id, message_id(NOW, None, "post"));
        assert_ne!(id, message_id(NOW, None, "other post"));
    }

    #[test]
    fn an_id_is_greater_than_the_last_one_also_when_the_clock_went_back() {
        let last = MessageId::new("msg_1e98d0585fffzzzzzzzzzzzzzz");
        for now in [NOW - 5000, NOW, NOW + 5000] {
            assert!(message_id(now, Some(&last), "post") > last);
        }
    }

    #[test]
    fn ids_of_other_shapes_are_ignored() {
        let id = message_id(NOW, None, "post");
        for last in ["msg_x", "msg_zzzzzzzzzzzzzz", "", "msg_ffffffffffff", "mög_1e98d0585fff"] {
            assert_eq!(message_id(NOW, Some(&MessageId::new(last)), "post"), id, "{last}");
        }
    }

    #[test]
    fn parts_are_in_the_order_of_the_prompt() {
        let message = message_id(NOW, None, "post");
        let ids: Vec<_> = (0..12).map(|index| part_id(&message, index)).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids[0].as_str().len(), message.as_str().len());
        assert_eq!(ids[0], part_id(&message, 0));
    }
}
