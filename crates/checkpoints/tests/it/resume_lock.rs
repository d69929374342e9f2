use std::thread;
use std::time::Duration;

use skein_checkpoints::{ResumeLockError, ResumeLockRequest, acquire, release};
use skein_summary::brief;
use skein_workspace::FileError;

use skein_fixtures::Fixture;

const ID: &str = "T-20260122-100000-parser";
const LOCK: &str = "r/workspace/threads/resume-locks/T-20260122-100000-parser.lock/current.json";

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.checkpoint("r", ID, "  \"type\": \"checkpoint\"");
    fixture
}

fn owner(name: &str, session: Option<&str>) -> ResumeLockRequest {
    ResumeLockRequest {
        name: name.to_owned(),
        agent: session.is_some(),
        session: session.map(str::to_owned),
        lasts: Duration::from_secs(3600),
    }
}

#[track_caller]
fn check(fixture: &Fixture, owner: &ResumeLockRequest, force: bool, expected: &str) {
    let workspace = fixture.open("r");
    let outcome = match acquire(&workspace, "parser", owner, force) {
        Ok(taken) => format!("{} {}", taken.action, taken.generation),
        Err(error) => error.to_string(),
    };
    assert_eq!(outcome, expected);
}

#[test]
fn the_holder_renews_its_lock_and_others_get_its_name() {
    let fixture = fixture();
    let (mira, claude) = (owner("Mira", None), owner("Claude Code", Some("s1")));
    check(&fixture, &mira, false, "taken 1");
    check(&fixture, &mira, false, "renewed 2");
    let held = "the work is taken by Mira: T-20260122-100000-parser";
    check(&fixture, &claude, false, held);
    check(&fixture, &claude, true, "taken-over 3");
    check(&fixture, &claude, false, "renewed 4");
    let other = "the work is taken by Claude Code, session s1: T-20260122-100000-parser";
    check(&fixture, &owner("Claude Code", Some("s2")), false, other);
    let workspace = fixture.open("r");
    let taken = brief(&workspace, None).unwrap().taken.unwrap();
    assert_eq!(taken.session_id.as_deref(), Some("s1"));
    assert!(matches!(
        release(&workspace, "parser", &mira, false),
        Err(ResumeLockError::Held { .. })
    ));
    assert_eq!(release(&workspace, "parser", &claude, false).unwrap().action.as_str(), "released");
    assert!(matches!(
        release(&workspace, "parser", &claude, false),
        Err(ResumeLockError::Free { .. })
    ));
    assert!(brief(&workspace, None).unwrap().taken.is_none());
}

#[test]
fn two_agents_of_one_name_are_not_the_same() {
    let fixture = fixture();
    let agent = ResumeLockRequest { agent: true, ..owner("Codex", None) };
    check(&fixture, &agent, false, "taken 1");
    let held = "the work is taken by Codex: T-20260122-100000-parser";
    check(&fixture, &agent, false, held);
}

#[test]
fn the_lock_file_has_the_members_of_the_original_program() {
    let fixture = fixture();
    check(&fixture, &owner("Claude Code", Some("s1")), false, "taken 1");
    assert_eq!(
        fixture.read(LOCK),
        "{\n  \"version\": 1,\n  \"thread_id\": \"T-20260122-100000-parser\",\n  \"session_id\": \"s1\",\n  \"resumed_at\": \"2026-01-23T14:30:00.000Z\",\n  \"resumed_epoch\": 1769178600,\n  \"generation\": \"1\",\n  \"expires_at\": \"2026-01-23T15:30:00.000Z\",\n  \"taken_by\": \"Claude Code\"\n}\n"
    );
}

#[test]
fn a_lock_of_the_original_program_is_valid_for_a_day_and_an_invalid_one_is_ignored() {
    let fixture = fixture();
    let mira = owner("Mira", None);
    fixture.file(
        LOCK,
        r#"{"session_id": "hq", "resumed_at": "2026-01-23T10:00:00Z", "generation": "7"}"#,
    );
    check(&fixture, &mira, false, "the work is taken by session hq: T-20260122-100000-parser");
    fixture.file(LOCK, r#"{"session_id": "hq", "resumed_epoch": 1769078600, "generation": 7}"#);
    check(&fixture, &mira, false, "taken 8");
    fixture.file(LOCK, "{");
    check(&fixture, &mira, false, "taken 1");
}

#[test]
fn only_one_of_many_concurrent_attempts_succeeds() {
    for _ in 0..5 {
        let fixture = fixture();
        let won: usize = thread::scope(|scope| {
            let tries: Vec<_> = (0..24)
                .map(|n| {
                    let fixture = &fixture;
                    scope.spawn(move || {
                        let workspace = fixture.open("r");
                        let owner = owner("Claude Code", Some(&format!("s{n}")));
                        match acquire(&workspace, ID, &owner, false) {
                            Ok(_) => 1,
                            Err(ResumeLockError::Held { .. }) => 0,
                            Err(error) => panic!("{error}"),
                        }
                    })
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(won, 1);
    }
}

#[test]
fn a_link_in_the_path_of_the_lock_is_refused_and_its_target_is_not_changed() {
    let lock = std::path::Path::new(LOCK);
    for link in [lock, lock.parent().unwrap(), lock.ancestors().nth(2).unwrap()] {
        let fixture = fixture();
        fixture.file("mine.txt", "mine");
        fixture.dir("elsewhere");
        let link = fixture.path(link.to_str().unwrap());
        let target = if link.ends_with("current.json") { "mine.txt" } else { "elsewhere" };
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(fixture.path(target), &link).unwrap();
        let workspace = fixture.open("r");
        let mira = owner("Mira", None);
        let taken = acquire(&workspace, "parser", &mira, true);
        assert!(matches!(taken, Err(ResumeLockError::File(FileError::Link { .. }))), "{taken:?}");
        let release_result = release(&workspace, "parser", &mira, true);
        assert!(
            matches!(release_result, Err(ResumeLockError::File(FileError::Link { .. }))),
            "{release_result:?}"
        );
        assert_eq!(fixture.read("mine.txt"), "mine");
        assert!(fixture.path("elsewhere").read_dir().unwrap().next().is_none());
    }
}

#[test]
fn a_lock_is_written_with_the_types_that_the_original_program_reads() {
    for session in [None, Some("s1")] {
        let fixture = fixture();
        check(&fixture, &owner("Mira", session), false, "taken 1");
        let lock: serde_json::Value = serde_json::from_str(&fixture.read(LOCK)).unwrap();
        assert_eq!(lock["generation"], "1");
        let expected = session.unwrap_or("no-session:Mira");
        assert_eq!(lock["session_id"], expected);
        let workspace = fixture.open("r");
        let held = brief(&workspace, Some("parser")).unwrap().taken.unwrap();
        assert_eq!((held.by.as_deref(), held.session_id.as_deref()), (Some("Mira"), session));
    }
    // A lock that an older version wrote is understood.
    let fixture = fixture();
    let old = r#"{"version": 1, "thread_id": "x", "session_id": null, "generation": 4, "taken_by": "Mira",
        "resumed_at": "2026-01-23T14:00:00.000Z", "expires_at": "2026-01-23T15:00:00.000Z"}"#;
    fixture.file(LOCK, old);
    check(&fixture, &owner("Mira", None), false, "renewed 5");
}
