//! Comments that are written in an editor.

use crate::place::Place;

impl Place {
    /// Sets the editor to a shell command, which gets the file as `$1`.
    fn editor(mut self, script: &str) -> Self {
        let editor = format!("sh -c '{script}' editor");
        self.machine.variables.insert("EDITOR".to_owned(), editor);
        self
    }

    /// Returns the scratch files of the editor that still exist.
    fn kept(&self) -> Vec<String> {
        let dir = self.path("home/.local/state/skein/scratch").read_dir();
        let files = dir.into_iter().flatten().map(|entry| entry.unwrap().path());
        files.map(|path| self.shorten(&path.display().to_string())).collect()
    }
}

#[test]
fn without_an_editor_the_command_fails_with_a_hint() {
    let place = Place::demo();
    for (words, hint) in [
        ("review add src/http.rs:8", "set `EDITOR`, or use `-m TEXT`"),
        ("review write", "set `EDITOR`, or comment with `skein review add FILE:LINE -m TEXT`"),
        ("review open 7f3a", "set `EDITOR`"),
    ] {
        let output = place.run(words);
        let error = "Error: no editor is configured and stdin is not a terminal";
        assert_eq!((output.code, output.err), (2, format!("{error}\nHint: {hint}\n")), "{words}");
    }
    assert!(place.kept().is_empty());
}

#[test]
fn a_kept_comment_can_be_submitted_from_its_file() {
    let place =
        Place::demo().editor("echo Why? | cat - \"$1\" > \"$1.x\" && mv \"$1.x\" \"$1\" && false");
    let output = place.run("review add src/http.rs:8");
    let kept = place.kept();
    let [path] = kept.as_slice() else { panic!("{kept:?}") };
    assert_eq!(output.code, 2);
    assert!(
        output.err.ends_with(&format!("reuse your text with `-F {path}`\n")),
        "the hint names the kept file: {}",
        output.err
    );
    let path = path.replace("ROOT", &place.path("").display().to_string());
    let output = place.run_args(&["review", "add", "src/http.rs:8", "-F", &path]);
    assert_eq!(output.code, 0, "{}", output.err);
    let shown = place.run("review show src/http.rs:8").out;
    assert!(
        shown.ends_with("  Why?\n"),
        "the comment is only the text that the user wrote: {shown}"
    );
}

#[test]
fn the_hint_names_the_kept_diff() {
    let place = Place::demo().editor("echo \"> Why?\" >> \"$1\"; false");
    let output = place.run("review write");
    let kept = place.kept().join(" ");
    let hint = format!(
        "Hint: fix the problem, run `skein review write` again, and copy your lines from {kept}\n"
    );
    assert!(output.err.ends_with(&hint), "{}", output.err);
}

#[test]
fn comments_between_the_lines_of_a_diff_are_submitted_together() {
    let script =
        "sed -e \"/^+.*if let Some/a > Why not early?\" \"$1\" > \"$1.x\" && mv \"$1.x\" \"$1\"";
    let place = Place::demo().editor(script);
    place.check("review write", "Submitted the comment on src/cache.rs:32  8be23e91\n-- exit 0\n");
    assert!(place.kept().is_empty());
}
