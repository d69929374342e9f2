use skein_review::{AddOptions, ApplyError, ApplyOptions, CodeLocation, NewThread, add, apply};
use skein_workspace::Actor;

use skein_fixtures::Fixture;

const OPTIONS: ApplyOptions = ApplyOptions { dry_run: false, resolve: false };

#[test]
fn an_applied_suggestion_is_not_applied_again() {
    let it = Fixture::new();
    it.file("w/a.rs", "one\n");
    let workspace = it.open("w");
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, "a.rs:1").unwrap(),
        body: "So.".to_owned(),
        suggestion: Some("ONE".to_owned()),
        expect: None,
    };
    let options = AddOptions { draft: false, changed_only: false };
    let added = add(&workspace, &actor, &[thread], options).unwrap();
    let workspace = it.open("w");
    apply(&workspace, &actor, &[], OPTIONS).unwrap();
    let text = std::fs::read_to_string(&added.threads[0].file).unwrap();
    let again = apply(&workspace, &actor, &[], OPTIONS).unwrap_err();
    assert!(matches!(again, ApplyError::Nothing), "{again}");
    assert_eq!(std::fs::read_to_string(&added.threads[0].file).unwrap(), text);
}
