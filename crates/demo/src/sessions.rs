//! The session map of the demo.

use skein_format::session::{FILE_NAME, NewMapping, SessionMapDoc};

use super::{Demo, DemoError};

/// A session: its number, title and status, and how many minutes ago it was started and last active.
type Script = (u32, Option<&'static str>, &'static str, i64, i64);

const SESSIONS: &[Script] = &[
    (1, Some("Answer Mira's review of the cache"), "active", 130, 3),
    (2, Some("Show the hit rate on the board"), "ended", 1700, 1610),
    (3, None, "disconnected", 1300, 1190),
    (4, Some("Spike: ring buffer"), "orphaned", 7300, 7210),
];

/// Writes the session map.
pub(super) fn write(demo: &Demo) -> Result<(), DemoError> {
    let mut doc = SessionMapDoc::create(demo.now);
    for script in SESSIONS {
        // A new map accepts every session that it does not contain yet.
        let inserted = doc.insert(&mapping(demo, script), demo.now);
        debug_assert!(inserted.is_ok());
    }
    demo.put(&format!("sessions/{FILE_NAME}"), doc.to_bytes())
}

fn mapping(demo: &Demo, (number, title, status, started, heard): &Script) -> NewMapping {
    let heard = demo.ago(0, *heard).to_string();
    NewMapping {
        session_id: format!("ses_{number}f0c8d72e4b6a91350{number}"),
        thread_root_post_id: format!("post{number}q7w8e9r0t1y2u3i4"),
        short_id: format!("ses_{number}f0c"),
        mattermost_user_id: "mira4k5j6h7g8f9d0s".to_owned(),
        dm_channel_id: "dm1a2s3d4f5g6h7j8k".to_owned(),
        project_name: "lantern".to_owned(),
        directory: demo.root.display().to_string(),
        session_title: title.map(str::to_owned),
        status: (*status).to_owned(),
        created_at: demo.ago(0, *started).to_string(),
        last_activity_at: heard.clone(),
        ended_at: (*status == "ended").then_some(heard),
    }
}
