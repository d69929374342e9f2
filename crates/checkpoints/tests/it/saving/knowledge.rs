//! The knowledge repositories of a workspace root.

use serde_json::json;

use super::{saved, summary};
use skein_fixtures::{Fixture, git};

#[test]
fn each_knowledge_repository_is_recorded_by_name() {
    let fixture = Fixture::new();
    let short =
        |top: &std::path::Path| git(top, &["rev-parse", "--short=7", "HEAD"]).trim().to_owned();
    fixture.repository("hq");
    let ralph = fixture.repository("hq/repos/public/knowledge-ralph");
    fixture.link("hq/core/knowledge/public/ralph", &ralph);
    let own = fixture.repository("hq/personal/knowledge/notes");
    fixture.file("hq/personal/knowledge/notes/fresh.md", "1");
    let company = fixture.repository("hq/companies/acme/knowledge");
    fixture.dir("hq/core/knowledge/private/plain");
    fixture.link("hq/core/knowledge/private/dangling", "/nowhere");
    let (_, value) = saved(&fixture, "hq", &summary("Done"));
    assert_eq!(
        value["git"]["knowledge_repos"],
        json!({
            "knowledge-acme": {"commit": short(&company), "dirty": false},
            "knowledge-ralph": {"commit": short(&ralph), "dirty": false},
            "notes": {"commit": short(&own), "dirty": true},
        })
    );
}

#[test]
fn a_root_without_knowledge_repositories_records_none() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let (_, value) = saved(&fixture, "w", &summary("Done"));
    assert_eq!(value["git"].get("knowledge_repos"), None);
}
