//! Transitions between states.

use skein_format::session::SessionStatus;

#[test]
fn ended_is_final_and_no_state_becomes_an_unknown_one() {
    let words = ["active", "ended", "disconnected", "orphaned", "paused", "lost"];
    let mut refused = Vec::new();
    for (one, next) in words.iter().flat_map(|one| words.map(|next| (*one, next))) {
        if !SessionStatus::parse(one).may_become(&SessionStatus::parse(next)) {
            refused.push(format!("{one} {next}"));
        }
    }
    let expected = [
        "active paused",
        "active lost",
        "ended active",
        "ended disconnected",
        "ended orphaned",
        "ended paused",
        "ended lost",
        "disconnected paused",
        "disconnected lost",
        "orphaned paused",
        "orphaned lost",
        "paused lost",
        "lost paused",
    ];
    assert_eq!(refused, expected);
}
