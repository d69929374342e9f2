//! Files that start with a byte order mark and have CRLF line endings.

use std::fs;

use skein_catalog::show;
use skein_model::Filter;
use skein_model::view::ThreadBody;
use skein_review::{
    AddOptions, AnnotatedDiff, ApplyOptions, ChangesQuery, CodeLocation, NewThread, add, apply,
    diff,
};
use skein_workspace::Actor;

use skein_fixtures::Fixture;

const MIRA: fn() -> Actor = || Actor { name: "Mira".to_owned(), agent: false };

#[test]
fn the_byte_order_mark_is_not_part_of_the_first_line() {
    let it = Fixture::new();
    let rest = "let second = two();\r\nlet third = three();\r\nlet fourth = four();\r\n";
    it.file("w/a.rs", format!("\u{feff}let first = one();\r\n{rest}"));
    let workspace = it.open("w");
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, "a.rs:1").unwrap(),
        body: "So.".to_owned(),
        suggestion: Some("ONE".to_owned()),
        expect: None,
    };
    let options = AddOptions { draft: false, changed_only: false };
    let added = add(&workspace, &MIRA(), &[thread], options).unwrap();
    let file = fs::read_to_string(&added.threads[0].file).unwrap();
    assert!(
        file.contains("\"selection\": \"let first = one();\"")
            && file.contains("\"endCharacter\": 18")
    );
    let workspace = it.open("w");
    it.file("w/a.rs", format!("\u{feff}zero\r\nlet first = one();\r\n{rest}"));
    let ThreadBody::Review(body) = show(&workspace, &added.threads[0].id).unwrap().body else {
        panic!("not a review")
    };
    assert_eq!(body.placement.unwrap().start_line, Some(1));
    it.file("w/a.rs", format!("\u{feff}let first = one();\r\n{rest}"));
    apply(&workspace, &MIRA(), &[], ApplyOptions { dry_run: false, resolve: false }).unwrap();
    assert_eq!(it.read("w/a.rs"), format!("\u{feff}ONE\r\n{rest}"));
}

#[test]
fn an_annotated_diff_accepts_comments_on_the_first_line() {
    let it = Fixture::new();
    it.repository("w");
    it.file("w/a.rs", "\u{feff}one\r\n");
    let workspace = it.open("w");
    let found = diff(&workspace, &ChangesQuery::default(), &Filter::default()).unwrap();
    let annotated = AnnotatedDiff::new(&found, 0);
    let edited = annotated.text.replace("+one\n", "+one\n> Why?\n");
    let comments = annotated.comments(&workspace, &edited);
    assert_eq!((comments.threads.len(), comments.unplaced.len()), (1, 0));
}
