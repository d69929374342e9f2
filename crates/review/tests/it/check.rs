use skein_model::{Filter, Turn};
use skein_review::check;

use skein_fixtures::{Fixture, Review};

fn describe_check(fixture: &Fixture, filter: &Filter) -> String {
    let workspace = fixture.open("w");
    let checked = check(&workspace, filter);
    let open = checked
        .open
        .iter()
        .map(|one| format!("{} by {}", one.row.id, one.author.as_deref().unwrap()));
    let broken = checked.unusable.iter().map(|row| format!("{} unusable", row.id));
    let lines: Vec<String> = open.chain(broken).collect();
    format!("{}: {}", checked.ok, lines.join(", "))
}

#[test]
fn open_and_unusable_threads_fail_the_check() {
    let fixture = Fixture::new();
    fixture.dir("w");
    assert_eq!(describe_check(&fixture, &Filter::default()), "true: ");
    fixture.review("w", "done", &Review { status: "resolved", ..Review::default() });
    assert_eq!(describe_check(&fixture, &Filter::default()), "true: ");
    let says = [("Mira", "Why?"), ("Codex", "So.")];
    fixture.review("w", "open", &Review { says: &says, ..Review::default() });
    assert_eq!(describe_check(&fixture, &Filter::default()), "false: open by Mira");
    let agent = Filter { waiting: Some(Turn::Agent), ..Filter::default() };
    assert_eq!(describe_check(&fixture, &agent), "true: ");
    let elsewhere = Filter { file: Some("lib".to_owned()), ..Filter::default() };
    assert_eq!(describe_check(&fixture, &elsewhere), "true: ");
    fixture.file("w/.code-review/threads/broken.md", "nothing");
    assert_eq!(describe_check(&fixture, &elsewhere), "false: broken unusable");
}
