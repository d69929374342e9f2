//! `skein session …`.

mod bad;
mod json;
mod list;
mod merge;
mod repair;
mod send;
mod set;
mod untrusted;

use std::fs;
use std::path::PathBuf;

use crate::place::Place;

/// Two sessions that share a short id, one that has ended, and one that breaks the contract.
const MAP: &str = r#"{
  "version": 1,
  "mappings": [
    {
      "sessionId": "ses_4f1c9a7be2",
      "threadRootPostId": "post_8d2k",
      "shortId": "ses_4f1c",
      "mattermostUserId": "user_mira",
      "dmChannelId": "chan_mira",
      "projectName": "kiln",
      "directory": "ROOT/here",
      "sessionTitle": "Glaze batches",
      "status": "active",
      "createdAt": "2026-01-23T13:00:00.000Z",
      "lastActivityAt": "2026-01-23T14:26:00.000Z"
    },
    {
      "sessionId": "ses_4f1caa03c7",
      "threadRootPostId": "post_2n7c",
      "shortId": "ses_4f1c",
      "mattermostUserId": "user_tom",
      "dmChannelId": "chan_tom",
      "projectName": "loom",
      "directory": "/nowhere/loom",
      "status": "disconnected",
      "createdAt": "2026-01-23T13:10:00.000Z",
      "lastActivityAt": "2026-01-23T13:30:00.000Z"
    },
    {
      "sessionId": "ses_91d07f32b6",
      "threadRootPostId": "post_5t1v",
      "shortId": "ses_91d0",
      "mattermostUserId": "user_mira",
      "dmChannelId": "chan_mira",
      "projectName": "kiln",
      "directory": "ROOT/here",
      "status": "ended",
      "createdAt": "2026-01-20T08:00:00.000Z",
      "lastActivityAt": "2026-01-21T09:30:00.000Z",
      "endedAt": "2026-01-21T09:30:00.000Z"
    },
    {
      "sessionId": "ses_b7e25c90d8",
      "threadRootPostId": "post_6y4u",
      "shortId": "merry-otter-lake",
      "mattermostUserId": "user_mira",
      "dmChannelId": "",
      "projectName": "kiln",
      "directory": "ROOT/here",
      "status": "active",
      "createdAt": "2026-01-23T12:00:00.000Z",
      "lastActivityAt": "2026-01-23T14:20:00.000Z",
      "model": { "name": "echo" }
    }
  ],
  "lastModified": "2026-01-23T14:26:00.000Z"
}"#;

/// Returns an environment with an empty current directory and a session map in the home directory.
fn place() -> Place {
    let place = Place::empty();
    write_map(&place, MAP);
    place
}

/// Writes the session map in the home directory; `ROOT` is replaced by the directory of the test.
fn write_map(place: &Place, text: &str) {
    fs::create_dir_all(map(place).parent().unwrap()).unwrap();
    let root = place.path("here").parent().unwrap().display().to_string();
    fs::write(map(place), text.replace("ROOT", &root)).unwrap();
}

fn map(place: &Place) -> PathBuf {
    place.path("home/.config/opencode/mattermost-threads.json")
}

/// Returns the content of the session map in the home directory.
fn read_map(place: &Place) -> String {
    place.shorten(&fs::read_to_string(map(place)).unwrap())
}
