//! Generates session maps.

use fastrand::Rng;
use serde::Deserialize;
use serde_json::{Value, json};

use super::prose::{later, pick, seeded, sentence, time, token};

/// A map whose texts are borrowed from the parsed bytes.
///
/// This works because no text of the corpus contains an escape.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "everything is parsed and only counted")]
pub(crate) struct BorrowedMap<'a> {
    version: u32,
    #[serde(borrow)]
    pub(crate) mappings: Vec<BorrowedEntry<'a>>,
    last_modified: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "everything is parsed and only counted")]
pub(crate) struct BorrowedEntry<'a> {
    session_id: &'a str,
    thread_root_post_id: &'a str,
    short_id: &'a str,
    mattermost_user_id: &'a str,
    dm_channel_id: &'a str,
    project_name: &'a str,
    directory: &'a str,
    session_title: Option<&'a str>,
    status: &'a str,
    created_at: &'a str,
    last_activity_at: &'a str,
    ended_at: Option<&'a str>,
}

/// Generates a session map.
pub(crate) fn file(entries: usize) -> Vec<u8> {
    let map = json!({
        "version": 1,
        "mappings": (0..entries).map(|number| entry(&mut seeded(3, number))).collect::<Vec<_>>(),
        "lastModified": "2026-06-30T12:00:00.000Z",
    });
    serde_json::to_vec_pretty(&map).unwrap_or_default()
}

fn entry(random: &mut Rng) -> Value {
    let project = pick(random, &["business-automation", "opencode-plugin", "ledger", "site"]);
    let status = pick(random, &["active", "ended", "ended", "disconnected", "orphaned"]);
    let session = format!("ses_{}", token(random, 32));
    let created = time(random);
    let active = later(created, random);
    let is_titled = random.u32(..10) < 7;
    // In the order in which the programs write them, and without those that are absent.
    let mut entry = json!({
        "sessionId": session,
        "threadRootPostId": format!("post_{}", token(random, 16)),
        "shortId": session.get(..8),
        "mattermostUserId": format!("user_{:012}", random.u32(1..=40)),
        "dmChannelId": format!("channel_{}", token(random, 12)),
        "projectName": project,
        "directory": format!("/srv/repos/{project}"),
        "sessionTitle": is_titled.then(|| sentence(random, 6)),
        "status": status,
        "createdAt": created,
        "lastActivityAt": active,
        "endedAt": (status == "ended").then_some(active),
    });
    if let Some(fields) = entry.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
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
