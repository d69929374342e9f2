//! How many secrets are found, and how many harmless texts are changed.
//!
//! Every value is generated from a documented format, with fixed random numbers; none was ever used. A third of the
//! values and a third of the texts around them are held out: of those only the numbers are printed, so that the rules are
//! not fitted to them. `docs/work.md` has the figures.

mod formats;
mod forms;
mod harmless;
mod made;
mod prose;
mod texts;

use skein_format::redact::redact;

use formats::{SEEN, UNSEEN};
use forms::FORMS;
use harmless::HARMLESS;
use made::{Made, Random, make};
use prose::PROSE;
use texts::{NAMED, STRUCTURED, TOKENS};

/// Number of values that are generated for each format; every third is held out.
const VALUES: usize = 6;

#[derive(Default)]
struct Tally {
    all: usize,
    right: usize,
}

impl Tally {
    fn count(&mut self, is_right: bool) {
        self.all += 1;
        self.right += usize::from(is_right);
    }

    fn percent(&self) -> f64 {
        let share = |part: usize| f64::from(u32::try_from(part).unwrap());
        100.0 * share(self.right) / share(self.all)
    }
}

/// Removes the marks, because the name of a rule may be a part of the token.
fn without_marks(text: &str) -> String {
    let mut parts = text.split("[REDACTED:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts
        .fold(first, |text, part| text + "\n" + part.split_once(']').map_or(part, |(_, rest)| rest))
}

/// Returns whether no part of the secret is left that would help to guess it.
fn is_caught(made: &Made) -> bool {
    let clean = without_marks(&redact(&made.text));
    made.secrets.iter().all(|secret| {
        let len = secret.len().min(8);
        let parts = (0..=secret.len() - len).filter_map(|at| secret.get(at..at + len));
        !parts.into_iter().any(|part| clean.contains(part))
    })
}

/// Counts the redacted values in the texts: of the held-out third of values and texts, or of the rest.
fn catch(formats: &[&str], texts: &[&str], is_held_out: bool) -> Tally {
    let mut tally = Tally::default();
    let is_wanted = |index: usize| (index % 3 == 2) == is_held_out;
    for (row, format) in formats.iter().enumerate() {
        for value in (0..VALUES).filter(|value| is_wanted(*value)) {
            for (column, text) in texts.iter().enumerate().filter(|(column, _)| is_wanted(*column))
            {
                let mut random = Random::new([row, value, column]);
                let made = make(&text.replace('@', &format!("[[{format}]]")), &mut random);
                let is_right = is_caught(&made);
                tally.count(is_right);
                if !is_right && !is_held_out {
                    println!("missed: {}\n     -> {}", made.text, redact(&made.text));
                }
            }
        }
    }
    tally
}

#[track_caller]
fn check(what: &str, tally: &Tally, least: f64) {
    println!("{what}: {} of {} ({:.1} %)", tally.right, tally.all, tally.percent());
    assert!(tally.percent() >= least, "{what}");
}

#[test]
fn tokens_of_known_services_are_found() {
    let known = |row: &&(&str, &'static str)| row.1;
    let formats: Vec<&str> = SEEN.iter().map(|row| known(&row)).collect();
    let mut services: Vec<&str> = SEEN.iter().map(|row| row.0).collect();
    services.dedup();
    assert!(services.len() >= 60, "{}", services.len());
    check("tokens, tuned", &catch(&formats, TOKENS, false), 99.0);
    check("tokens, held out", &catch(&formats, TOKENS, true), 95.0);
}

#[test]
fn values_without_a_prefix_are_found_by_their_names() {
    let formats = ["{h32}", "{h40}", "{A40}", "{w43}", "{b44}", "{u}", "{P14}", "{p}", "{a32}"];
    check("named values, tuned", &catch(&formats, NAMED, false), 97.0);
    check("named values, held out", &catch(&formats, NAMED, true), 95.0);
}

#[test]
fn secrets_are_found_by_the_structure_around_them() {
    let part = |is_held_out: bool| -> Vec<&str> {
        let rows = STRUCTURED.iter().enumerate();
        rows.filter(|(index, _)| (index % 3 == 2) == is_held_out).map(|(_, text)| *text).collect()
    };
    // Each text has its own values, so only the texts are divided into tuned and held out.
    let catch = |texts: &[&str], is_held_out: bool| {
        let mut tally = Tally::default();
        for (row, text) in texts.iter().enumerate() {
            for value in 0..VALUES {
                let made = make(text, &mut Random::new([row, value, 7]));
                let is_right = is_caught(&made);
                tally.count(is_right);
                if !is_right && !is_held_out {
                    println!("missed: {}\n     -> {}", made.text, redact(&made.text));
                }
            }
        }
        tally
    };
    check("structures, tuned", &catch(&part(false), false), 97.0);
    check("structures, held out", &catch(&part(true), true), 95.0);
}

/// There is no rule for these services, so only names and randomness reveal their tokens.
#[test]
fn most_tokens_of_unknown_services_are_found() {
    let formats: Vec<&str> = UNSEEN.iter().map(|row| row.1).collect();
    let mut tally = catch(&formats, NAMED, false);
    let held_out = catch(&formats, NAMED, true);
    (tally.all, tally.right) = (tally.all + held_out.all, tally.right + held_out.right);
    check("services without a rule, behind a name", &tally, 90.0);
}

#[test]
fn harmless_texts_are_not_changed() {
    for (what, is_held_out, least) in [("tuned", false, 99.0), ("held out", true, 97.0)] {
        let mut tally = Tally::default();
        let wanted = |index: usize| (index % 3 == 2) == is_held_out;
        for (row, text) in HARMLESS.iter().enumerate().filter(|(row, _)| wanted(*row)) {
            let made = make(text, &mut Random::new([row, 0, 0]));
            let clean = redact(&made.text);
            tally.count(clean == made.text);
            if clean != made.text && !is_held_out {
                println!("changed: {}\n      -> {clean}", made.text);
            }
        }
        check(&format!("harmless texts unchanged, {what}"), &tally, least);
    }
}

/// Returns whether a row is held out: a third of the rows, by random numbers that depend on the row only.
fn is_drawn_out(row: usize) -> bool {
    Random::new([row, 31, 41]).below(3) == 0
}

/// A form counts as found if every value that is generated for it is found.
#[test]
fn secrets_are_found_in_the_forms_in_which_they_are_written() {
    for (what, is_held_out, least) in [("tuned", false, 96.0), ("held out", true, 90.0)] {
        let mut tally = Tally::default();
        let rows = FORMS.iter().enumerate().filter(|(row, _)| is_drawn_out(*row) == is_held_out);
        for (row, form) in rows {
            let values = (0..VALUES).map(|value| make(form, &mut Random::new([row, value, 5])));
            let missed: Vec<Made> = values.filter(|made| !is_caught(made)).collect();
            tally.count(missed.is_empty());
            if let (Some(made), false) = (missed.first(), is_held_out) {
                println!("missed: {:?}\n     -> {:?}", made.text, redact(&made.text));
            }
        }
        check(&format!("forms, {what}"), &tally, least);
    }
}

#[test]
fn texts_of_everyday_work_are_not_changed() {
    for (what, is_held_out, least) in [("tuned", false, 98.0), ("held out", true, 97.0)] {
        let mut tally = Tally::default();
        let rows = PROSE.iter().enumerate().filter(|(row, _)| is_drawn_out(*row) == is_held_out);
        for (row, text) in rows {
            let made = make(text, &mut Random::new([row, 0, 6]));
            let clean = redact(&made.text);
            tally.count(clean == made.text);
            if clean != made.text && !is_held_out {
                println!("changed: {:?}\n      -> {clean:?}", made.text);
            }
        }
        check(&format!("texts of everyday work unchanged, {what}"), &tally, least);
    }
}
