use std::cell::RefCell;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;

use crate::place::Place;

/// A stream whose writes all fail.
struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_broken_pipe_is_not_an_error() {
    let place = Place::demo();
    for args in [
        &["list"][..],
        &["list", "--json"],
        &[],
        &["show", "7f3a"],
        &["doctor"],
        &["--help"],
        &["completions", "bash"],
        &["man"],
    ] {
        let mut err = Vec::new();
        let code = place.run_into(args, &mut Failing(io::ErrorKind::BrokenPipe), &mut err);
        assert_eq!((code, String::from_utf8(err).unwrap().as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let place = Place::demo();
    for args in [&["list"][..], &["list", "--json"], &["--help"], &["completions", "bash"]] {
        let mut err = Vec::new();
        let code = place.run_into(args, &mut Failing(io::ErrorKind::StorageFull), &mut err);
        assert_eq!(code, 2, "{args:?}");
        assert_eq!(
            String::from_utf8(err).unwrap(),
            "Error: cannot write the output\n\
             Caused by: no storage space\n\
             Hint: write the output elsewhere; if the command changes something, that is done: check with `skein list` before you run it again\n"
        );
    }
}

#[test]
fn a_closed_stderr_does_not_change_the_exit_code() {
    let place = Place::demo();
    let mut out = Vec::new();
    let code = place.run_into(&["show", "zzz"], &mut out, &mut Failing(io::ErrorKind::BrokenPipe));
    assert_eq!(code, 2);
    let code = place.run_into(&["list"], &mut out, &mut Failing(io::ErrorKind::BrokenPipe));
    assert_eq!(code, 0);
}

#[test]
fn colour_follows_the_settings() {
    let mut place = Place::demo();
    let colours = |place: &Place, words: &str| {
        let output = place.run(words);
        (output.out + &output.err).contains('\u{1b}')
    };
    assert!(!colours(&place, "list"));
    assert!(colours(&place, "list --color always"));
    place = place.on_terminal(100);
    assert!(colours(&place, "list") && colours(&place, "show zzz") && colours(&place, "--help"));
    assert!(!colours(&place, "list --color never") && !colours(&place, "show zzz --color never"));
    place.machine.no_color = true;
    assert!(!colours(&place, "list") && !colours(&place, "show zzz") && !colours(&place, "--help"));
    place.machine.no_color = false;
    place.machine.variables.insert("SKEIN_COLOR".to_owned(), "never".to_owned());
    assert!(!colours(&place, "list"));
}

/// A terminal that receives both streams in the order in which they are written.
#[derive(Clone, Default)]
struct Screen(Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_planned_changes_are_printed_before_the_question() {
    let mut place = Place::empty().on_terminal(80);
    place.file(".codex/config.toml", "");
    place.input = "n\n";
    let screen = Screen::default();
    let mut out = BufWriter::new(screen.clone());
    assert_eq!(place.run_into(&["init"], &mut out, &mut screen.clone()), 0);
    drop(out);
    let text = String::from_utf8(screen.0.take()).unwrap();
    let (before, after) = text.split_once("Install Skein for Codex? [y/N] ").unwrap();
    assert!(before.contains("Created the store: "), "{text}");
    assert!(before.contains("Would create "), "{text}");
    assert!(!after.contains("Would create "), "{text}");
}
