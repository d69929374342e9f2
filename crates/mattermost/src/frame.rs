//! Parses the messages of the WebSocket.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::MattermostEvent;
use crate::error::ErrorBody;

/// A message from the server.
#[derive(Debug, PartialEq)]
pub(crate) enum Frame {
    /// An event with its number.
    Event { seq: u64, content: Content },
    /// The answer to a ping, with the status if it failed.
    Answer { error: Option<u16> },
    /// Something else.
    Unknown,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Content {
    /// The first event of a connection.
    Hello {
        connection_id: String,
    },
    Known(Box<MattermostEvent>),
    /// An event that is of no interest.
    Other,
    /// An event of a known kind that cannot be read.
    Broken,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Envelope {
    event: String,
    data: Value,
    broadcast: Broadcast,
    seq: Option<u64>,
    seq_reply: Option<u64>,
    error: Option<ErrorBody>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Broadcast {
    user_id: String,
    channel_id: String,
}

impl Frame {
    pub(crate) fn parse(text: &str) -> Self {
        let Ok(envelope) = serde_json::from_str::<Envelope>(text) else {
            return Self::Unknown;
        };
        match (envelope.seq, envelope.seq_reply) {
            (Some(seq), None) if !envelope.event.is_empty() => {
                Self::Event { seq, content: envelope.content().unwrap_or(Content::Broken) }
            }
            (None, Some(_)) => {
                Self::Answer { error: envelope.error.map(|error| error.status_code) }
            }
            _ => Self::Unknown,
        }
    }
}

impl Envelope {
    /// Returns nothing if the event lacks what it needs.
    fn content(&self) -> Option<Content> {
        let event = match self.event.as_str() {
            "hello" => return Some(Content::Hello { connection_id: self.text("connection_id")? }),
            "posted" => MattermostEvent::Posted {
                post: self.nested("post")?,
                channel_kind: serde_json::from_value(self.data.get("channel_type")?.clone())
                    .ok()?,
                sender_name: self.text("sender_name").unwrap_or_default(),
                mentions: self.nested("mentions").unwrap_or_default(),
            },
            "post_edited" => MattermostEvent::Edited(self.nested("post")?),
            "post_deleted" => MattermostEvent::Deleted(self.nested("post")?),
            "reaction_added" => MattermostEvent::ReactionAdded(self.nested("reaction")?),
            "reaction_removed" => MattermostEvent::ReactionRemoved(self.nested("reaction")?),
            // The removed user gets the channel in the data, the others get the user there.
            "user_removed" => MattermostEvent::RemovedFromChannel {
                channel_id: self.text("channel_id").unwrap_or(self.broadcast.channel_id.clone()),
                user_id: self.text("user_id").unwrap_or(self.broadcast.user_id.clone()),
            },
            "user_updated" => MattermostEvent::UserUpdated(
                serde_json::from_value(self.data.get("user")?.clone()).ok()?,
            ),
            "preferences_changed" => {
                MattermostEvent::PreferencesChanged(self.nested("preferences")?)
            }
            _ => return Some(Content::Other),
        };
        Some(Content::Known(Box::new(event)))
    }

    fn text(&self, name: &str) -> Option<String> {
        self.data.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// Reads a value that is JSON in a string.
    fn nested<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.data.get(name)?.as_str()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ChannelKind, MattermostPost, MattermostReaction, Preference, User};

    #[track_caller]
    fn check(message: &Value, expected: Content) {
        if matches!(expected, Content::Hello { .. } | Content::Known(_)) {
            skein_standin::MATTERMOST.event(message).expect("the sample is like a real message");
        }
        let expected = Frame::Event { seq: 5, content: expected };
        assert_eq!(Frame::parse(&message.to_string()), expected);
    }

    fn event(name: &str, data: &Value) -> Value {
        let broadcast = json!({"user_id": "u9", "channel_id": "c9", "team_id": ""});
        json!({"event": name, "data": data, "broadcast": broadcast, "seq": 5})
    }

    fn known(event: MattermostEvent) -> Content {
        Content::Known(Box::new(event))
    }

    fn sample_post() -> (String, MattermostPost) {
        let text = r#"{"id":"p1","create_at":1794815361504,"update_at":1794815361504,"edit_at":0,"delete_at":0,
            "is_pinned":false,"user_id":"u1","channel_id":"c1","root_id":"r1","original_id":"","message":"do \"it\"",
            "type":"","props":{},"hashtags":"","file_ids":[],"participants":null}"#;
        let post = MattermostPost {
            id: "p1".into(),
            create_at: 1_794_815_361_504,
            update_at: 1_794_815_361_504,
            user_id: "u1".into(),
            channel_id: "c1".into(),
            root_id: "r1".into(),
            message: "do \"it\"".into(),
            ..MattermostPost::default()
        };
        (text.to_owned(), post)
    }

    #[test]
    fn a_hello_names_the_connection() {
        let data =
            json!({"connection_id": "x1", "server_hostname": "host", "server_version": "11.4.0"});
        check(&event("hello", &data), Content::Hello { connection_id: "x1".into() });
    }

    #[test]
    fn a_posted_event_has_the_post_and_who_is_mentioned() {
        let (text, post) = sample_post();
        let data = json!({"channel_type": "D", "sender_name": "@ada", "mentions": "[\"u2\"]", "post": text,
            "set_online": true, "team_id": ""});
        let mut expected = MattermostEvent::Posted {
            post,
            channel_kind: ChannelKind::Direct,
            sender_name: "@ada".into(),
            mentions: vec!["u2".into()],
        };
        check(&event("posted", &data), known(expected.clone()));
        let data = json!({"channel_type": "O", "sender_name": "@ada", "post": text});
        if let MattermostEvent::Posted { channel_kind, mentions, .. } = &mut expected {
            *channel_kind = ChannelKind::Public;
            mentions.clear();
        }
        check(&event("posted", &data), known(expected));
    }

    #[test]
    fn edits_deletions_and_reactions_are_read() {
        let (text, post) = sample_post();
        check(
            &event("post_edited", &json!({"post": text})),
            known(MattermostEvent::Edited(post.clone())),
        );
        check(
            &event("post_deleted", &json!({"post": text})),
            known(MattermostEvent::Deleted(post)),
        );
        let text =
            r#"{"user_id":"u1","post_id":"p1","emoji_name":"+1","create_at":7,"update_at":8}"#;
        let reaction = MattermostReaction {
            user_id: "u1".into(),
            post_id: "p1".into(),
            emoji_name: "+1".into(),
            create_at: 7,
            update_at: 8,
        };
        let data = json!({ "reaction": text });
        check(
            &event("reaction_added", &data),
            known(MattermostEvent::ReactionAdded(reaction.clone())),
        );
        check(&event("reaction_removed", &data), known(MattermostEvent::ReactionRemoved(reaction)));
    }

    #[test]
    fn a_removal_from_a_channel_has_two_forms() {
        let removed = |channel_id: &str, user_id: &str| {
            known(MattermostEvent::RemovedFromChannel {
                channel_id: channel_id.into(),
                user_id: user_id.into(),
            })
        };
        let data = json!({"channel_id": "c1", "remover_id": "u3"});
        check(&event("user_removed", &data), removed("c1", "u9"));
        let data = json!({"user_id": "u1", "remover_id": "u3"});
        check(&event("user_removed", &data), removed("c9", "u1"));
    }

    #[test]
    fn a_deactivated_user_is_read() {
        let data = json!({"user": {"id": "u1", "username": "ben", "delete_at": 7, "timezone": {}}});
        let user =
            User { id: "u1".into(), username: "ben".into(), delete_at: 7, ..User::default() };
        check(&event("user_updated", &data), known(MattermostEvent::UserUpdated(user)));
    }

    #[test]
    fn changed_preferences_are_read() {
        let text = r#"[{"user_id":"u1","category":"skein","name":"bridge","value":"{\"id\":1}"}]"#;
        let preference = Preference {
            user_id: "u1".into(),
            category: "skein".into(),
            name: "bridge".into(),
            value: r#"{"id":1}"#.into(),
        };
        let data = json!({ "preferences": text });
        let changed = MattermostEvent::PreferencesChanged(vec![preference]);
        check(&event("preferences_changed", &data), known(changed));
    }

    #[test]
    fn other_events_are_skipped_and_unreadable_ones_are_noticed() {
        check(&event("status_change", &json!({"status": "online"})), Content::Other);
        check(&event("posted", &json!({"post": {"id": "p1"}})), Content::Broken);
        check(&event("post_edited", &json!({"post": "{\"id\":"})), Content::Broken);
        check(&event("hello", &Value::Null), Content::Broken);
    }

    #[test]
    fn answers_to_pings_have_no_number_of_their_own() {
        let text = r#"{"status": "OK", "data": {"text": "pong"}, "seq_reply": 1}"#;
        assert_eq!(Frame::parse(text), Frame::Answer { error: None });
        let text =
            r#"{"status": "FAIL", "error": {"id": "x", "status_code": 401}, "seq_reply": 2}"#;
        assert_eq!(Frame::parse(text), Frame::Answer { error: Some(401) });
    }

    #[test]
    fn garbage_is_unknown() {
        for text in ["", "null", "[1]", "{}", "{\"event\": 5}", "<html>", "{\"seq\": 1}"] {
            assert_eq!(Frame::parse(text), Frame::Unknown, "{text}");
        }
    }
}
