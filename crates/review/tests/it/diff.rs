use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use skein_fixtures::{Fixture, git};
use skein_model::Filter;
use skein_review::ChangesQuery;

/// Writes each file with its modes and the marks of its changed lines.
fn describe(fixture: &Fixture) -> String {
    let workspace = fixture.open("w");
    let diff = skein_review::diff(&workspace, &ChangesQuery::default(), &Filter::default());
    let mut text = String::new();
    for file in diff.unwrap().files {
        let modes = file.old_mode.zip(file.new_mode).map(|(old, new)| format!(" {old} {new}"));
        let disabled = if file.diff_disabled { " disabled" } else { "" };
        writeln!(text, "{}{}{disabled}", file.path, modes.unwrap_or_default()).unwrap();
        for line in file.hunks.iter().flat_map(|hunk| &hunk.lines) {
            let marks: Vec<&str> = line.marks.iter().map(|mark| mark.as_str()).collect();
            writeln!(text, "  {} {} [{}]", line.kind, line.text, marks.join(" ")).unwrap();
        }
    }
    text
}

#[test]
fn what_the_text_of_a_changed_line_does_not_show_is_marked() {
    let fixture = Fixture::new();
    fixture.file("w/a-crlf", "one\r\ntwo\r\n");
    fixture.file("w/b-bom", "one\n");
    fixture.file("w/c-end", "one\n");
    fixture.file("w/d-mode", "one\n");
    fixture.file("w/e.lock", "one\n");
    fixture.file("w/f-all-crlf", "one\r\ntwo\r\n");
    fixture.file("w/.gitattributes", "*.lock -diff\n");
    let top = fixture.repository("w");
    git(&top, &["config", "core.autocrlf", "false"]);
    fixture.file("w/a-crlf", "one\r\ntwo\n");
    fixture.file("w/b-bom", "\u{feff}one\n");
    fixture.file("w/c-end", "one");
    fs::set_permissions(top.join("d-mode"), fs::Permissions::from_mode(0o755)).unwrap();
    fixture.file("w/e.lock", "two\n");
    fixture.file("w/f-all-crlf", "one\r\n2\r\n");
    let expected = "a-crlf
  context one []
  removed two [crlf]
  added two []
b-bom
  removed one []
  added one [bom]
c-end
  removed one []
  added one [no-newline]
d-mode 100644 100755
e.lock disabled
  removed one []
  added two []
f-all-crlf
  context one []
  removed two []
  added 2 []
";
    assert_eq!(describe(&fixture), expected);
}
