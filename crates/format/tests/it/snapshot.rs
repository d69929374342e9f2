//! Text that is stored in a file and compared as a whole.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns a path in the folder of the tests.
pub(crate) fn tests_path(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(below)
}

/// Returns a path in the project.
pub(crate) fn project_path(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(below)
}

/// Compares a text with the file that stores it.
///
/// `SKEIN_BLESS=1` writes the file instead. Read every line of it before you commit it.
#[track_caller]
pub(crate) fn check(path: &Path, text: &str) {
    if std::env::var("SKEIN_BLESS").is_ok_and(|value| value == "1") {
        fs::write(path, text).unwrap();
        return;
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).find(|(kept, text)| kept != text);
    assert!(
        kept == text,
        "{} differs; `SKEIN_BLESS=1 cargo test -p skein-format` updates it\n\
         first difference: {differs:#?}\n--- the whole text\n{text}",
        path.display()
    );
}
