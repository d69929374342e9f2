use skein_fixtures::Fixture;

use super::*;
use crate::core::ids::Time as CoreTime;

#[test]
fn a_session_that_is_opened_again_is_active_again() {
    let fixture = Fixture::new();
    let path = fixture.path("home/.config/opencode/mattermost-threads.json");
    let mapping = Mapping {
        session: "ses_one".into(),
        root: "root".into(),
        short_id: "ses_abcdef".to_owned(),
        user: "ada".into(),
        channel: "direct".into(),
        project: "lantern".to_owned(),
        directory: "/src/lantern".to_owned(),
        title: "One".to_owned(),
        created: CoreTime(1_700_000_000_000),
        active: CoreTime(1_700_000_000_000),
    };
    let status = || {
        let map = SessionMap::load(&MapPath::named(path.clone()), Mode::Lenient).unwrap();
        map.mappings()[0].status.as_str().to_owned()
    };
    let mut map = BridgeMap::open(&fixture.env(""), MapPath::named(path.clone()), &[]).unwrap();
    map.set(&mapping).unwrap();
    map.set_status("ses_one", MappingStatus::Disconnected).unwrap();
    assert_eq!(status(), "disconnected");
    map.set(&mapping).unwrap();
    assert_eq!(status(), "active");
    map.set_status("ses_one", MappingStatus::Ended).unwrap();
    map.set(&mapping).unwrap();
    assert_eq!(status(), "ended");
}
