//! Carries out actions in tests with a server that answers for OpenCode and for Mattermost.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use skein_fixtures::Fixture;
use skein_mattermost::{MattermostClient, Secret, Timing};
use skein_standin::StandIn;
use tokio::sync::{mpsc, watch};

use super::{ChannelKinds, Effects, SavedFiles, Shared, Signals, reactions};
use crate::core::Input;

/// Returns the requests: method, path without the query, and body.
pub(super) fn requests(server: &StandIn) -> Vec<String> {
    let requests = server.requests().into_iter();
    requests.map(|it| format!("{} {}", it.path(), it.body).trim_end().to_owned()).collect()
}

/// Returns what carries out actions with this server, and the results of the actions.
pub(super) fn effects(
    server: &StandIn,
    fixture: &Fixture,
) -> (Effects, mpsc::UnboundedReceiver<Input>) {
    let (results, outcomes) = mpsc::unbounded_channel();
    let client = skein_opencode::OpencodeClient::new(server.address(), None).unwrap();
    let timing = Timing { retry_delay: Duration::from_millis(1), ..Timing::default() };
    let token = Secret::new("token");
    let chat = MattermostClient::with_timing(server.address(), &token, timing).unwrap();
    let (env, signals) = (fixture.env(""), Signals::default());
    let effects = Effects {
        reactions: reactions::start(chat.clone(), "bot".into(), signals.clone()),
        files: SavedFiles::new(&env, fixture.path("files")),
        env,
        chat,
        agent: watch::channel(Some(client)).1,
        bot: "bot".into(),
        allowed: [fixture.dir("project")].into(),
        signals,
        results,
        shared: Arc::new(Mutex::new(Shared {
            kinds: ChannelKinds::default(),
            directories: [].into(),
        })),
    };
    (effects, outcomes)
}
