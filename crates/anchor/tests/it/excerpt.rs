//! Code of which an excerpt is known.

use skein_anchor::{OldCode, place};

use crate::show::{marked, shown};

/// Places an excerpt whose selection is marked with `>` and whose first line was on line `start`.
#[track_caller]
fn check(excerpt: &str, start: u32, new: &str, expected: &str) {
    let (text, (first, last)) = marked(excerpt);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (first, last) = (usize::try_from(first).unwrap(), usize::try_from(last).unwrap());
    let selection = lines[first..=last].join("\n");
    let (before, after) = (&lines[..first], &lines[last + 1..]);
    let start = start + u32::try_from(first).unwrap();
    let found =
        place(&OldCode::Excerpt { before, selection: &selection, after, start }, new.as_bytes());
    assert_eq!(shown(&found), expected);
}

const EXCERPT: &str = " fn first() {\n>    call(one, two);\n     done();\n";

#[test]
fn an_excerpt_at_its_old_line_is_exact() {
    check(EXCERPT, 1, "// a\nfn first() {\n    call(one, two);\n    done();\n}\n", "exact 2");
    check(EXCERPT, 1, "// a\r\nfn first() {\r\n    call(one, two);\r\n    done();\r\n", "exact 2");
}

#[test]
fn an_excerpt_at_another_line_is_shifted() {
    check(
        EXCERPT,
        0,
        "// a\n// b\nfn first() {\n    call(one, two);\n    done();\n}\n",
        "shifted 3",
    );
}

#[test]
fn a_changed_selection_is_found_between_its_neighbours() {
    let new = "// a\nfn first() {\n    call(one, two, three);\n    done();\n}\n";
    check(EXCERPT, 0, new, "edited 2");
}

#[test]
fn a_rewritten_selection_is_what_stands_between_its_neighbours() {
    let new = |line: &str| format!("// a\nfn first() {{\n{line}    done();\n}}\n");
    check(EXCERPT, 0, &new("    self.evict();\n"), "edited 2");
    check(EXCERPT, 0, &new("    self.evict();\n    log(1);\n"), "replaced 2-3");
    check(EXCERPT, 0, &new(""), "gone");
    let long = " fn first() {\n     begin();\n>return;\n     end_of_it();\n     done();\n";
    let new = "fn first() {\n    begin();\n    self.evict();\n    end_of_it();\n    done();\n}\n";
    check(long, 0, new, "edited 2");
    let tiny = " fn one() -> u8 {\n>    1\n }\n \n";
    check(tiny, 0, "fn one() -> u8 {\n    ONE\n}\n", "edited 1");
    check(tiny, 0, "fn one() -> u8 {\n    let n = 1;\n    n + 0\n}\n", "replaced 1-2");
}

#[test]
fn the_context_distinguishes_copies() {
    let new = "fn second() {\n    call(one, two);\n    go_on();\n}\nfn first() {\n    call(one, two);\n    done();\n}\n";
    check(EXCERPT, 0, new, "shifted 5");
}

#[test]
fn an_excerpt_with_identical_copies_is_gone() {
    let copy = "fn first() {\n    call(one, two);\n    done();\n}\n";
    check(EXCERPT, 40, &copy.repeat(2), "gone");
}

#[test]
fn a_selection_that_is_not_in_the_new_text_is_gone() {
    check(EXCERPT, 0, "nothing\nof\nthe\nsort\n", "gone");
    check(EXCERPT, 0, "", "gone");
}

#[test]
fn an_empty_excerpt_is_unverified() {
    let old = OldCode::Excerpt { before: &[], selection: "", after: &[], start: 0 };
    assert_eq!(shown(&place(&old, b"a\n")), "unverified");
    check(">\n", 0, "\n", "unverified");
}

#[test]
fn a_selection_within_a_line_is_placed_on_the_whole_line() {
    let new = "fn first() {\n    call(one, two);\n    done();\n}\n";
    check(" fn first() {\n>call(one\n     done();\n", 0, new, "exact 1");
    check(" fn first() {\n>(one, two);\n>    done\n }\n", 0, new, "exact 1-2");
    check(" fn first() {\n>call(one\n     done();\n", 5, new, "shifted 1");
}

#[test]
fn the_empty_line_after_the_final_newline_is_part_of_the_text() {
    let excerpt = " fn last() {\n>    call(one, two);\n }\n \n";
    check(excerpt, 0, "fn last() {\n    call(one, two);\n}\n", "exact 1");
    check(excerpt, 0, "// a\nfn last() {\n    call(one, two);\n}\n", "shifted 2");
}

#[test]
fn a_text_that_occurs_once_has_a_high_confidence() {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let (before, after) = (lines(&["fn first() {", "    open();"]), lines(&["    done();", "}"]));
    let old = OldCode::Excerpt {
        before: &before,
        selection: "    call(one, two, three);",
        after: &after,
        start: 2,
    };
    let new = "// a\nfn first() {\n    open();\n    call(one, two, three);\n    done();\n}\n";
    assert!(place(&old, new.as_bytes()).confidence >= 0.9);
    let between = new.replace("    open();\n", "    open();\n    wait();\n");
    assert!(place(&old, between.as_bytes()).confidence >= 0.9);
}
