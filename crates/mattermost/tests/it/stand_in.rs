//! A client of the stand-in.

use std::time::Duration;

use skein_mattermost::{MattermostClient, Secret, Timing};
use skein_standin::StandIn;

pub(crate) const TOKEN: &str = "s3cret-token";

/// Short times, so that tests do not wait.
pub(crate) const FAST: Timing = Timing {
    request_timeout: Duration::from_secs(20),
    transfer_timeout: Duration::from_secs(20),
    retry_delay: Duration::from_millis(1),
    ping_interval: Duration::from_secs(20),
    min_backoff: Duration::from_millis(1),
    max_backoff: Duration::from_millis(20),
};

pub(crate) fn client(server: &StandIn, timing: Timing) -> MattermostClient {
    MattermostClient::with_timing(server.address(), &Secret::new(TOKEN), timing).unwrap()
}
