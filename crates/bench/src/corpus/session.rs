//! Generates session maps.

#![expect(clippy::indexing_slicing, reason = "a missing key of a JSON object is added")]

use serde::{Deserialize, Serialize};

use super::prose::{later, sentence, time};
use super::random::Random;

/// A map whose texts are borrowed from the bytes that it was parsed from.
///
/// No text of the corpus has an escape, which such a text could not hold.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BorrowedMap<'a> {
    version: u32,
    #[serde(borrow)]
    pub(crate) mappings: Vec<BorrowedEntry<'a>>,
    last_modified: &'a str,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BorrowedEntry<'a> {
    session_id: &'a str,
    thread_root_post_id: &'a str,
    short_id: &'a str,
    mattermost_user_id: &'a str,
    dm_channel_id: &'a str,
    project_name: &'a str,
    directory: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_title: Option<&'a str>,
    status: &'a str,
    created_at: &'a str,
    last_activity_at: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<&'a str>,
}

/// Generates a map with a number of entries.
pub(crate) fn file(entries: usize) -> Vec<u8> {
    let entry = |number| entry(&mut Random::seeded(3, number));
    let map = serde_json::json!({
        "version": 1,
        "mappings": (0..entries).map(entry).collect::<Vec<_>>(),
        "lastModified": "2026-06-30T12:00:00.000Z",
    });
    serde_json::to_vec_pretty(&map).unwrap_or_default()
}

fn entry(random: &mut Random) -> serde_json::Value {
    let project = random.pick(&["business-automation", "opencode-plugin", "ledger", "site"]);
    let created = time(random);
    let session = format!("ses_{}", random.token(32));
    let mut entry = serde_json::json!({
        "sessionId": session,
        "threadRootPostId": format!("post_{}", random.token(16)),
        "shortId": session.get(..8),
        "mattermostUserId": format!("user_{:012}", random.between(1, 40)),
        "dmChannelId": format!("channel_{}", random.token(12)),
        "projectName": project,
        "directory": format!("/srv/repos/{project}"),
    });
    if random.chance(70) {
        entry["sessionTitle"] = sentence(random, 6).into();
    }
    let status = random.pick(&["active", "ended", "ended", "disconnected", "orphaned"]);
    let active = later(created, random).to_string();
    entry["status"] = status.into();
    entry["createdAt"] = created.to_string().into();
    entry["lastActivityAt"] = active.clone().into();
    if status == "ended" {
        entry["endedAt"] = active.into();
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use skein_format::session::{Mode, SessionMapDoc};

    #[test]
    fn maps_are_valid_and_have_the_usual_size() {
        let bytes = file(2_000);
        let average = bytes.len() / 2_000;
        assert!((510..=542).contains(&average), "{average}");
        let (doc, found) = SessionMapDoc::parse(bytes);
        let loaded = doc.load(Mode::Strict);
        assert!(found.is_empty() && loaded.diagnostics.is_empty());
        assert_eq!(loaded.mappings.len(), 2_000);
    }
}
