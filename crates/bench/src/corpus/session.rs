//! Session maps, valid by the contract.

use serde::{Deserialize, Serialize};

use super::prose::{later, sentence, time};
use super::random::Random;

/// A map whose texts stay in the bytes it was read from.
///
/// No text of the corpus has an escape, which such a text could not hold.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Map<'a> {
    version: u32,
    #[serde(borrow)]
    pub(crate) mappings: Vec<Mapping<'a>>,
    last_modified: &'a str,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mapping<'a> {
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

/// Makes a map of so many entries.
pub(crate) fn file(entries: usize) -> serde_json::Result<Vec<u8>> {
    let all: Vec<Texts> = (0..entries).map(|n| Texts::new(&mut Random::seeded(3, n))).collect();
    let map = Map {
        version: 1,
        mappings: all.iter().map(Texts::mapping).collect(),
        last_modified: "2026-06-30T12:00:00.000Z",
    };
    serde_json::to_vec_pretty(&map)
}

/// The texts of one entry.
struct Texts {
    session: String,
    post: String,
    user: String,
    channel: String,
    directory: String,
    title: Option<String>,
    project: &'static str,
    status: &'static str,
    created: String,
    active: String,
}

impl Texts {
    fn new(random: &mut Random) -> Self {
        let project = random.pick(&["business-automation", "opencode-plugin", "ledger", "site"]);
        let created = time(random);
        Self {
            session: format!("ses_{}", random.token(32)),
            post: format!("post_{}", random.token(16)),
            user: format!("user_{:012}", random.between(1, 40)),
            channel: format!("channel_{}", random.token(12)),
            directory: format!("/srv/repos/{project}"),
            title: random.chance(70).then(|| sentence(random, 6)),
            project,
            status: random.pick(&["active", "ended", "ended", "disconnected", "orphaned"]),
            created: created.to_string(),
            active: later(created, random).to_string(),
        }
    }

    fn mapping(&self) -> Mapping<'_> {
        Mapping {
            session_id: &self.session,
            thread_root_post_id: &self.post,
            short_id: self.session.get(..8).unwrap_or_default(),
            mattermost_user_id: &self.user,
            dm_channel_id: &self.channel,
            project_name: self.project,
            directory: &self.directory,
            session_title: self.title.as_deref(),
            status: self.status,
            created_at: &self.created,
            last_activity_at: &self.active,
            ended_at: (self.status == "ended").then_some(&self.active),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skein_format::session::{Mode, SessionMapDoc};

    #[test]
    fn maps_are_valid_and_have_the_size_that_was_met() {
        let bytes = file(2_000).unwrap();
        let average = bytes.len() / 2_000;
        assert!((510..=542).contains(&average), "{average}");
        let (doc, found) = SessionMapDoc::parse(bytes);
        let loaded = doc.load(Mode::Strict);
        assert!(found.is_empty() && loaded.diagnostics.is_empty());
        assert_eq!(loaded.mappings.len(), 2_000);
    }
}
