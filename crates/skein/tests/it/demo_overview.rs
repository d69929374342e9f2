//! The README shows what the program prints.

use std::path::Path;
use std::process::Command;

/// The time at which the README was written.
const NOW: &str = "2026-01-23T14:30:52Z";

#[test]
fn the_first_screen_is_real() {
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
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the README");
    let shown =
        readme.split_once("$ skein demo skein-demo\n").and_then(|(_, rest)| rest.split_once("```"));
    let printed = String::from_utf8(done.stdout).expect("UTF-8");
    assert_eq!(shown.map(|(screen, _)| screen), Some(printed.as_str()));
}
