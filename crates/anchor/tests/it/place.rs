//! Code of which the whole old text is known.

use skein_anchor::{OldCode, State, place};

use crate::show::{marked, shown};

/// Places the lines that are marked with `>` in the old text, and compares the result.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    let (text, (start, end)) = marked(old);
    let found = place(&OldCode::Whole { text: text.as_bytes(), start, end }, new.as_bytes());
    assert_eq!(shown(&found), expected);
}

#[test]
fn the_same_text_is_exact() {
    check(" a\n>b\n c\n", "a\nb\nc\n", "exact 1");
    check(" a\n>b\n>c\n", "a\nb\nc\n", "exact 1-2");
}

#[test]
fn line_endings_do_not_matter() {
    check(" one();\n>two();\n", "one();\r\ntwo();\r\n", "exact 1");
    check(" one();\n>two();\n", "one();\ntwo();", "exact 1");
    check(" one();\n>two();\n", "\r\none();\r\ntwo();", "shifted 2");
}

#[test]
fn changes_above_shift_the_lines() {
    check(" one();\n>two();\n three();\n", "zero();\none();\ntwo();\nthree();\n", "shifted 2");
    check(" one();\n two();\n>three();\n>four();\n", "two();\nthree();\nfour();\n", "shifted 1-2");
}

#[test]
fn a_changed_line_is_edited() {
    check(
        " one();\n>let two = second(a, b);\n three();\n",
        "one();\nlet two = second(a, b, c);\nthree();\n",
        "edited 1",
    );
}

#[test]
fn a_changed_indentation_is_an_edit() {
    check(
        " fn f() {\n>    call(first);\n }\n",
        "fn f() {\n    if ready {\n        call(first);\n    }\n}\n",
        "edited 2",
    );
}

#[test]
fn each_of_several_similar_lines_keeps_its_own_successor() {
    let old = " begin();\n>set(\"width\", old_width);\n set(\"height\", old_height);\n end();\n";
    let new = "begin();\nset(\"width\", new_width);\nset(\"height\", new_height);\nend();\n";
    check(old, new, "edited 1");
}

#[test]
fn a_deleted_line_is_gone() {
    check(" one();\n>two();\n three();\n", "one();\nthree();\n", "gone");
    check(" one();\n>two();\n>three();\n four();\n", "one();\nfour();\n", "gone");
}

#[test]
fn a_line_of_an_emptied_file_is_gone() {
    check(" one();\n>two();\n", "", "gone");
}

#[test]
fn a_line_of_rewritten_code_is_what_stands_in_its_place() {
    let old = " fn area(w: u32, h: u32) -> u32 {\n>    let size = w * h;\n     size\n }\n";
    check(old, "struct Point {\n    left: f64,\n    top: f64,\n}\n", "edited 1");
    check(old, "struct Point {\n    left: f64,\n}\n", "replaced 0-1");
}

#[test]
fn a_bracket_is_placed_by_its_neighbours() {
    let old = " fn a() {\n     one();\n }\n\n fn b() {\n     two();\n>}\n";
    let new = "fn b() {\n    two();\n}\n\nfn a() {\n    one();\n}\n";
    check(old, &new.replace("fn a() {\n    one();\n}\n", ""), "shifted 2");
    check(old, "fn c() {\n    something_else(3);\n}\n", "gone");
}

#[test]
fn a_bracket_is_found_next_to_an_added_line_unless_a_second_bracket_is_added() {
    let old = " fn draw() {\n     first();\n>}\n fn next() {\n";
    check(old, "fn draw() {\n    first();\n    second();\n}\nfn next() {\n", "shifted 3");
    check(old, "fn draw() {\n    first();\n}\n// what follows\nfn next() {\n", "exact 2");
    check(old, "fn draw() {\n    first();\n    if wide {\n    }\n}\nfn next() {\n", "gone");
}

#[test]
fn a_blank_line_is_placed_by_its_neighbours() {
    let old = " first();\n>\n second();\n";
    check(old, "zero();\nfirst();\n\nsecond();\n", "shifted 2");
    check(old, "first();\n\nother();\n\nthird();\n", "gone");
    check(old, "other();\n\nanother();\n", "gone");
}

#[test]
fn swapped_functions_are_followed() {
    let old = " fn first(a: u8) {
>    first_of_all(a);
     print_the_first(a);
 }

 fn second(b: u8) {
     second_of_all(b);
     print_the_second(b);
     look_at_the_second_again(b);
 }
";
    let new = "\
fn second(b: u8) {
    second_of_all(b);
    print_the_second(b);
    look_at_the_second_again(b);
}

fn first(a: u8) {
    first_of_all(a);
    print_the_first(a);
}
";
    check(old, new, "moved 7");
}

#[test]
fn a_moved_block_is_followed() {
    let old = "\
>    let total = items.iter().map(price).sum();
>    let taxed = total * rate_of(country);
     print(taxed);
 use_everything_else(1);
 use_everything_else(2);
 use_everything_else(3);
 use_everything_else(4);
";
    let new = "\
use_everything_else(1);
use_everything_else(2);
use_everything_else(3);
use_everything_else(4);
fn sum() {
    let total = items.iter().map(price).sum();
    let taxed = total * rate_of(country);
    print(taxed);
}
";
    check(old, new, "moved 5-6");
}

#[test]
fn a_line_that_was_moved_to_two_places_is_gone() {
    let old = " begin();\n>the_line_that_was_here(1, 2);\n go_on(1);\n go_on(2);\n go_on(3);\n";
    let line = "the_line_that_was_here(1, 2);\n";
    let new = format!("begin();\ngo_on(1);\ngo_on(2);\ngo_on(3);\none();\n{line}two();\n{line}");
    check(old, &new, "gone");
}

#[test]
fn a_split_line_is_placed_on_all_its_parts() {
    check(
        " fn f() {\n>    let found = search(in_the_first_list, in_the_second_list, forwards);\n }\n",
        "fn f() {\n    let found = search(\n        in_the_first_list,\n        in_the_second_list,\n        forwards,\n    );\n}\n",
        "edited 1-4",
    );
}

#[test]
fn a_range_grows_with_lines_inserted_into_it() {
    check(
        " begin();\n>let first = one();\n>let second = two();\n end();\n",
        "begin();\nlet first = one();\nlog(first);\nlet second = two();\nend();\n",
        "edited 1-3",
    );
}

#[test]
fn a_range_shrinks_to_its_remaining_lines() {
    let old =
        " begin();\n>let first = one();\n>let second = two();\n>let third = three();\n end();\n";
    check(old, "begin();\nlet first = one();\nlet second = two();\nend();\n", "edited 1-2");
    check(old, "begin();\nlet third = three();\nend();\n", "edited 1");
    check(old, "begin();\nend();\n", "gone");
}

#[test]
fn a_range_that_does_not_exist_is_unverified() {
    let text = b"a\nb\n";
    for (start, end) in [(2, 2), (1, 0), (0, 2), (u32::MAX, u32::MAX)] {
        let found = place(&OldCode::Whole { text, start, end }, text);
        assert_eq!((found.state, found.lines), (State::Unverified, None));
    }
    let found = place(&OldCode::Whole { text: b"", start: 0, end: 0 }, b"a\n");
    assert_eq!(found.state, State::Unverified);
}

const FIVE: &str = " use std::fs;
 fn copy(from: &Path, to: &Path) -> Result<()> {
     let mut source = fs::open(from)?;
>    let length = source.metadata()?.len();
>    let mut target = fs::create(to)?;
>    target.reserve(length)?;
>    io::copy(&mut source, &mut target)?;
>    target.sync_all()?;
     log::info(\"copied\");
     Ok(())
 }
";

#[test]
fn a_range_keeps_its_location_when_two_of_its_lines_are_rewritten() {
    let text = marked(FIVE).0;
    let inner = text.replace("    let mut target = fs::create(to)?;", "    // Never overwrites.");
    let both = inner.replace("    target.reserve(length)?;", "    retry(|| attempt())?;");
    check(FIVE, &both, "edited 3-7");
    let first = text.replace("    let length = source.metadata()?.len();", "    check(&to);");
    let found = |new: &str| {
        let (text, (start, end)) = marked(FIVE);
        place(&OldCode::Whole { text: text.as_bytes(), start, end }, new.as_bytes()).lines.unwrap()
    };
    let ends = first.replace("    target.sync_all()?;", "    Ok(())");
    assert!(matches!(found(&ends), (3 | 4, 6 | 7)), "{:?}", found(&ends));
}

#[test]
fn similar_lines_keep_their_order() {
    let old = " fn many(\n     e1: String,\n     e2: String,\n>    e3: String,\n     e4: String,\n ) {}\n";
    let new = "fn many(\n    e1: Uri,\n    e2: Uri,\n    e3: Uri,\n    e4: Uri,\n) {}\n";
    check(old, new, "edited 3");
}

#[test]
fn a_line_that_was_rewritten_at_the_end_of_a_range_stays_in_it() {
    let old = " \"display\",\n>\"function\",\n>\"metadata\",\n>\"hipchat\",\n \"under\",\n";
    check(old, "\"display\",\n\"func\",\n\"metadata\",\n\"hipchat\",\n\"under\",\n", "edited 1-3");
    check(old, "\"display\",\n\"function\",\n\"metadata\",\n\"talk\",\n\"under\",\n", "edited 1-3");
    check(old, "\"display\",\n\"metadata\",\n\"hipchat\",\n\"under\",\n", "edited 1-2");
    let old =
        ">These parentheses are not going to be removed:\n>\n>```py3\n return not (this or that)\n";
    let new =
        "These parentheses are not going to be removed:\n\n```python\nreturn not (this or that)\n";
    check(old, new, "edited 0-2");
}

#[test]
fn a_slightly_similar_line_of_a_rewritten_block_is_not_chosen() {
    let old = " def split(string):
     parts = []
     for match in pattern.finditer(string):
         part = match.group().strip()
         if part[:1] == part[-1:]:
             part = decode(part)
         try:
             part = type(string)(part)
         except UnicodeError:
             pass
>        rv.append(arg)
     return parts
";
    let new = "\
def split(string):
    lexer = shlex.shlex(string, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ''
    out = []

    try:
        for token in lexer:
            out.append(token)
    except ValueError:
        # The end of the string was reached in an invalid
        # state: the last token is taken as it is.
        out.append(lexer.token)

    return out
";
    check(old, new, "replaced 10-13");
}

#[test]
fn a_line_edited_in_place_is_preferred_to_an_identical_line_elsewhere() {
    let old = " switch (type) {
     case Text:
>        push(children as string)
         break
     case Comment:
         push(comment(children))
         break
 }
";
    let new = "\
switch (type) {
    case Text:
        push(escape(children as string))
        break
    case Comment:
        push(comment(children))
        break
    case Static:
        push(children as string)
        break
}
";
    check(old, new, "edited 2");
}

#[test]
fn an_edited_line_of_a_rewritten_block_has_a_lower_confidence() {
    let confidence = |old: &str, new: &str| {
        let (text, (start, end)) = marked(old);
        place(&OldCode::Whole { text: text.as_bytes(), start, end }, new.as_bytes()).confidence
    };
    let block = confidence(
        " // A comment.\n \n>use std::env;\n use std::error::Error;\n use std::ffi::OsString;\n use std::fs::File;\n use std::io;\n use std::path::{Path, PathBuf};\n \n",
        "// A comment.\n\nuse std::{\n    ffi::OsString,\n    path::{Path, PathBuf},\n};\n\n",
    );
    assert!(block < 0.9, "{block}");
    let line = confidence(
        " begin();\n>let two = second(a, b);\n end();\n",
        "begin();\nlet two = second(a, b, c);\nend();\n",
    );
    assert!(line > 0.9, "{line}");
}
