//! The session map that a repository sets cannot make a command write outside of the repository.

use std::fs;
use std::os::unix::fs::symlink;

use crate::place::Place;

const BASHRC: &str = "export PATH=/opt/bin\n";

#[test]
fn no_command_writes_outside_through_a_map_that_a_repository_set() {
    let outside = |place: &Place| place.path("home/.bashrc");
    for (map, link, to_git) in [
        ("m.json", Some("m.json"), false),
        ("m.json", Some("m.json"), true),
        ("maps/.bashrc", Some("maps"), false),
        ("maps/config", Some("maps"), true),
        ("../home/.bashrc", None, false),
        ("ABSOLUTE", None, false),
        (".git/config", None, true),
    ] {
        let place = Place::empty();
        fs::write(outside(&place), BASHRC).unwrap();
        let config = place.file(".git/config", "[core]\n\tbare = false\n");
        place.file(".git/HEAD", "ref: refs/heads/main\n");
        fs::create_dir_all(place.path("here/.git/objects")).unwrap();
        fs::create_dir_all(place.path("here/.git/refs")).unwrap();
        let target = if to_git { config.clone() } else { outside(&place) };
        match link {
            Some("maps") => symlink(target.parent().unwrap(), place.path("here/maps")).unwrap(),
            Some(name) => symlink(&target, place.path("here").join(name)).unwrap(),
            None => {}
        }
        let named = map.replace("ABSOLUTE", &outside(&place).display().to_string());
        place.file(".skein.toml", format!("[session]\nmap = \"{named}\"\n"));
        for words in [
            "session repair --yes",
            "doctor --fix --yes",
            "session set ses_a status=ended",
            "session list",
        ] {
            let output = place.run(words);
            assert!(!output.out.contains("wrote"), "{map}: {words}: {output}");
            assert_eq!(fs::read_to_string(outside(&place)).unwrap(), BASHRC, "{map}: {words}");
            let held = fs::read_to_string(&config).unwrap();
            assert_eq!(held, "[core]\n\tbare = false\n", "{map}: {words}");
        }
        let output = place.run("doctor");
        assert!(output.out.contains("[settings-unsafe]\n    `session.map` must "), "{output}");
    }
}
