//! The real binary, with its own home directory and without a terminal.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A home directory and a working directory.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command that runs the program, without the environment except for `PATH`.
    fn skein(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skein"));
        command
            .args(words.split_whitespace())
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.path("home"))
            .env("SKEIN_NOW", "2026-01-23T14:30:00Z")
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.skein(words).output().unwrap()
    }
}

#[track_caller]
fn check(output: &Output, code: i32, stderr: &str) {
    assert_eq!(text(&output.stderr), stderr);
    assert_eq!(output.status.code(), Some(code));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn write(path: &Path, content: &str) {
    fs::write(path, content).unwrap();
}

#[test]
fn the_demo_names_the_next_commands() {
    let place = Place::new();
    let fresh = place.run("");
    check(&fresh, 0, "");
    assert!(text(&fresh.stdout).contains("skein serve --demo"));

    let demo = place.run("demo skein-demo");
    assert_eq!(demo.status.code(), Some(0), "{}", text(&demo.stderr));
    let list = place.run("-C skein-demo list --json");
    check(&list, 0, "");
    let listing: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(listing["threads"].as_array().unwrap().len(), 22);
    check(&place.run("-C skein-demo show src/cache.rs:19"), 0, "");
    let doctor = place.run("-C skein-demo doctor");
    check(&doctor, 1, "");
    assert!(text(&doctor.stdout).contains("review-no-metadata"));
    // Outside of the demo only the cache of code locations and the list of workspaces are written.
    let names = |dir: &str| {
        let entries = fs::read_dir(place.path(dir)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("home"), [".cache", ".local"]);
    assert_eq!(names("home/.local/state/skein"), ["workspaces"]);
    assert_eq!(names("home/.local/state/skein/workspaces").len(), 1);
}

#[test]
fn a_closed_output_is_not_an_error() {
    let place = Place::new();
    assert_eq!(place.run("demo skein-demo").status.code(), Some(0));
    for words in ["-C skein-demo list", "-C skein-demo list --json --full", "--help", "man list"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        check(&place.skein(words).stdout(writer).output().unwrap(), 0, "");
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let place = Place::new();
    for words in ["--nonsense", "nonsense", "list --nonsense", "-C nowhere"] {
        let output = place.run(words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert_eq!(text(&output.stdout), "");
        assert!(!output.stderr.is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let place = Place::new();
    assert_eq!(place.run("demo skein-demo").status.code(), Some(0));
    for words in ["-C skein-demo list checkpoint", "-C skein-demo list --json", "--help"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        check(
            &place.skein(words).stdout(full).output().unwrap(),
            2,
            "Error: cannot write the output\n\
             Caused by: No space left on device (os error 28)\n\
             Hint: write the output elsewhere; if the command changes something, that is done: check with `skein list` before you run it again\n",
        );
    }
}

#[test]
fn a_settings_directory_that_cannot_be_created_is_reported() {
    let place = Place::new();
    write(&place.path("home/.config"), "");
    let output = place.run("config set color never");
    let home = place.path("home").display().to_string();
    check(
        &output,
        2,
        &format!(
            "Error: the setting could not be written\n\
             Caused by: cannot create the directory {home}/.config/skein\n\
             Caused by: Not a directory (os error 20)\n\
             Hint: expected a directory but found a file; move it\n"
        ),
    );
    fs::remove_file(place.path("home/.config")).unwrap();
    assert_eq!(place.run("config set color never").status.code(), Some(0));
    assert_eq!(text(&place.run("config get color").stdout), "never\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_bridge_without_settings_is_not_started_again_by_its_service() {
    let place = Place::new();
    let code = place.run("bridge run").status.code().unwrap();
    fs::create_dir_all(place.path("home/.config/skein")).unwrap();
    let settings = "owners = [\"@ada\"]\ndirectories = [\"~/src\"]\n[mattermost]\n\
        address = \"https://chat.example.org\"\ntoken_file = \"~/token\"\n";
    write(&place.path("home/.config/skein/bridge.toml"), settings);
    assert!(place.run("bridge install").status.success());
    let unit = place.path("home/.config/systemd/user/skein-bridge.service");
    let unit = fs::read_to_string(unit).unwrap();
    assert!(unit.contains(&format!("\nRestartPreventExitStatus={code}\n")), "{unit}");
}
