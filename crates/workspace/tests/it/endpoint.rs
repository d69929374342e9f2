//! The port and the token of a workspace, and its viewed files.

use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use skein_review::{set_viewed, viewed};
use skein_workspace::{IdGenerator, endpoint};

use skein_fixtures::Fixture;

#[test]
fn concurrent_callers_create_one_endpoint() {
    let fixture = Fixture::new();
    fixture.dir("w");
    fixture.dir("v");
    let ask = |seed: usize| {
        let mut workspace = fixture.open("w");
        workspace.env.ids = IdGenerator::seeded(&seed.to_string());
        endpoint(&workspace).unwrap()
    };
    let endpoints: Vec<_> = thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|seed| scope.spawn(move || ask(seed))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let first = &endpoints[0];
    assert!(endpoints.iter().all(|endpoint| endpoint == first));
    assert!((20_000..32_000).contains(&first.port));
    assert_eq!(first.token.len(), 64);
    assert!(!format!("{first:?}").contains(&first.token));
    let workspace = fixture.open("w");
    let file = workspace.dirs().state.join("serve.json");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let other = fixture.open("v");
    assert_ne!(endpoint(&other).unwrap().token, first.token);
}

#[test]
fn an_invalid_endpoint_file_is_replaced() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let workspace = fixture.open("w");
    let first = endpoint(&workspace).unwrap();
    let file = workspace.dirs().state.join("serve.json");
    for broken in ["", "{", r#"{"port":1,"token":"x"}"#, r#"{"port":25000,"token":""}"#] {
        std::fs::write(&file, broken).unwrap();
        let made = endpoint(&workspace).unwrap();
        assert_eq!((made.port, made.token.len()), (first.port, 64), "{broken}");
        assert_eq!(endpoint(&workspace).unwrap(), made, "{broken}");
    }
}

#[test]
fn viewed_files_are_stored_with_their_content() {
    let fixture = Fixture::new();
    fixture.dir("w");
    let workspace = fixture.open("w");
    let set = |path: &str, content: &str, seen: bool| {
        set_viewed(&workspace, path, content, seen).unwrap();
    };
    let shown = || format!("{:?}", viewed(&workspace));
    set("a.rs", "1", false);
    assert_eq!(shown(), "{}");
    set("a.rs", "1", true);
    set("b.rs", "2", true);
    set("a.rs", "3", true);
    assert_eq!(shown(), r#"{"a.rs": "3", "b.rs": "2"}"#);
    set("b.rs", "anything", false);
    assert_eq!(shown(), r#"{"a.rs": "3"}"#);
    std::fs::write(workspace.dirs().state.join("viewed.json"), "broken").unwrap();
    assert_eq!(shown(), "{}");
    set("c.rs", "4", true);
    assert_eq!(shown(), r#"{"c.rs": "4"}"#);
}

#[test]
fn concurrent_writers_of_viewed_files_lose_nothing() {
    let fixture = Fixture::new();
    fixture.dir("w");
    thread::scope(|scope| {
        for number in 0..8 {
            let fixture = &fixture;
            scope.spawn(move || {
                let workspace = fixture.open("w");
                for file in 0..5 {
                    let path = format!("{number}/{file}");
                    set_viewed(&workspace, &path, "x", true).unwrap();
                }
            });
        }
    });
    let workspace = fixture.open("w");
    assert_eq!(viewed(&workspace).len(), 40);
}
