use skein_catalog::submodules;
use skein_model::Filter;
use skein_review::ChangesQuery;

use skein_fixtures::{Fixture, Review, git};

/// Returns what is said of each submodule by the diff, and by a list that does not ask git.
fn describe(fixture: &Fixture) -> [Vec<String>; 2] {
    let workspace = fixture.open("w");
    let diff = skein_review::diff(&workspace, &ChangesQuery::default(), &Filter::default());
    [diff.unwrap().submodules, submodules(&workspace, false)].map(|summaries| {
        let line = |one: &skein_model::view::SubmoduleSummary| {
            format!("{} {} {}", one.path, one.is_changed, one.open_threads)
        };
        summaries.iter().map(line).collect()
    })
}

#[test]
fn a_submodule_with_changes_or_threads_of_its_own_is_named() {
    let fixture = Fixture::new();
    let top = fixture.repository("w");
    fixture.repository("w/lib/sum");
    fixture.file("w/.gitmodules", "[submodule \"sum\"]\n\tpath = lib/sum\n\turl = ../sum\n");
    git(&top, &["add", "."]);
    git(&top, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "add sum"]);
    assert_eq!(describe(&fixture), [Vec::<String>::new(), Vec::new()]);
    fixture.file("w/lib/sum/.git/info/exclude", "/.code-review/\n");
    fixture.review("w/lib/sum", "open", &Review::default());
    fixture.review("w/lib/sum", "done", &Review { status: "resolved", ..Review::default() });
    assert_eq!(describe(&fixture), [["lib/sum false 1"], ["lib/sum false 1"]]);
    fixture.file("w/lib/sum/new.rs", "1");
    assert_eq!(describe(&fixture), [["lib/sum true 1"], ["lib/sum false 1"]]);
}
