//! The first chapter of the guide shows what the program prints.

use std::path::Path;
use std::process::Command;

/// The current time in the output that the chapter shows.
const NOW: &str = "2026-01-23T14:30:52Z";

#[test]
fn the_guide_shows_the_output_of_the_demo() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let done = Command::new(env!("CARGO_BIN_EXE_skein"))
        .args(["demo", "skein-demo"])
        .current_dir(dir.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir.path())
        .env("SKEIN_NOW", NOW)
        .output()
        .expect("the program runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/start.md");
    let chapter = std::fs::read_to_string(chapter).expect("the chapter");
    let shown = chapter
        .split_once("$ skein demo skein-demo\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let printed = String::from_utf8(done.stdout).expect("UTF-8");
    assert_eq!(shown.map(|(screen, _)| screen), Some(printed.as_str()));
}
