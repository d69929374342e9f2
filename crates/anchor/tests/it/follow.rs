//! Code that is followed from version to version.

use skein_anchor::{FileChange, Next, Spot, Steps, Trail, follow};

use crate::show::marked;

/// The files after each step, by name; a file that is not listed is deleted.
struct Versions<'a>(Vec<Vec<(&'a str, &'a str)>>);

impl Versions<'_> {
    fn text(&self, version: usize, path: &str) -> Option<&str> {
        self.0[version].iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
    }
}

impl Steps for Versions<'_> {
    fn count(&self) -> usize {
        self.0.len() - 1
    }

    fn file(&mut self, step: usize, path: &str) -> Next {
        match (self.text(step, path), self.text(step + 1, path)) {
            (old, new) if old == new => Next::Same,
            (_, Some(text)) => Next::File { path: path.to_owned(), text: text.as_bytes().into() },
            (_, None) => Next::Deleted,
        }
    }

    fn changed(&mut self, step: usize) -> Vec<FileChange> {
        let new =
            self.0[step + 1].iter().filter(|(path, text)| self.text(step, path) != Some(*text));
        new.map(|(path, text)| FileChange {
            path: (*path).to_owned(),
            old: self.text(step, path).map(|text| text.as_bytes().into()),
            new: text.as_bytes().into(),
        })
        .collect()
    }
}

/// Follows the lines of `a` that are marked with `>` through versions of the files.
#[track_caller]
fn check(old: &str, versions: &[&[(&str, &str)]], expected: &str) {
    let (text, lines) = marked(old);
    let mut all = vec![vec![("a", text.as_str())]];
    all.extend(versions.iter().map(|files| files.to_vec()));
    let start = Spot { path: "a".to_owned(), text: text.as_bytes().into(), lines };
    let answer = match follow(&mut Versions(all), start) {
        Trail::At(found) => {
            let (first, last) = found.spot.lines;
            let moved = if found.is_moved { " moved" } else { "" };
            let replaced = if found.is_replaced { " replaced" } else { "" };
            format!("{} {first}-{last}{moved}{replaced}", found.spot.path)
        }
        Trail::Removed => "removed".to_owned(),
        Trail::Unknown => "unknown".to_owned(),
    };
    assert_eq!(answer, expected);
}

const OLD: &str = " fn f() {\n>    let value = compute(one);\n     finish(value);\n }\n";

#[test]
fn a_line_that_changes_in_small_steps_is_followed() {
    let one = "fn f() {\n    let total = compute(one);\n    finish(total);\n}\n";
    let two = "fn f() {\n    let total = estimate(one);\n    finish(total);\n}\n";
    let three =
        "use x;\n\nfn f() {\n    let total = estimate(all, of, them);\n    finish(total);\n}\n";
    check(OLD, &[&[("a", one)], &[("a", two)], &[("a", three)]], "a 3-3");
}

#[test]
fn code_is_followed_into_another_file_and_through_later_changes() {
    let pasted = "// b\n\nfn f() {\n    let value = compute(one);\n    finish(value);\n}\n";
    let later = pasted.replace("// b\n", "");
    check(OLD, &[&[("a", "mod b;\n"), ("b", pasted)], &[("b", &later)]], "b 2-2 moved");
}

#[test]
fn code_that_a_step_deletes_is_reported_as_removed() {
    let kept = "fn f() {\n    finish(value);\n}\n";
    let later = format!("{kept}\nfn g() {{}}\n");
    check(OLD, &[&[("a", kept)], &[("a", &later)]], "removed");
    check(OLD, &[&[("b", "fn g() {}\n")]], "removed");
}

#[test]
fn what_stands_in_the_place_of_code_is_followed() {
    let replaced = "fn f() {\n    log(1);\n    self.evict();\n    finish(value);\n}\n";
    let later = format!("// b\n{replaced}");
    check(OLD, &[&[("a", replaced)], &[("a", &later)]], "a 2-3 replaced");
}
