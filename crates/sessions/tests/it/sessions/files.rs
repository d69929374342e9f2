//! What a save does not change: links, modes, and unrelated directories.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::{MAP, entry, in_file, load, map_of, now, save};
use skein_fixtures::Fixture;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let fixture = Fixture::new();
    let target = fixture.file("dotfiles/threads.json", map_of(&[entry("ses_a", "14:00")]));
    fixture.link(MAP, &target);
    let path = fixture.path(MAP);
    let mut map = load(&path);
    map.insert(&entry("ses_b", "15:00"), now()).unwrap();
    assert_eq!(save(&mut map), "written");
    assert_eq!(fs::read_link(&path).unwrap(), target);
    assert_eq!(in_file(&target), ["ses_a 14:00", "ses_b 15:00"]);
}

#[test]
fn a_damaged_file_behind_a_link_is_kept_in_its_own_directory() {
    let fixture = Fixture::new();
    let target = fixture.file("dotfiles/threads.json", "{");
    fixture.link(MAP, &target);
    let path = fixture.path(MAP);
    let mut map = load(&path);
    map.insert(&entry("ses_b", "15:00"), now()).unwrap();
    save(&mut map);
    assert_eq!(fixture.read("dotfiles/threads.json.corrupt-20260123-143000"), "{");
    assert_eq!(fs::read_link(&path).unwrap(), target);
    assert_eq!(in_file(&path), ["ses_b 15:00"]);
}

#[test]
fn the_file_mode_is_kept() {
    for kept in [0o600, 0o640, 0o644] {
        let fixture = Fixture::new();
        let path = fixture.file(MAP, map_of(&[entry("ses_a", "14:00")]));
        fs::set_permissions(&path, Permissions::from_mode(kept)).unwrap();
        let mut map = load(&path);
        map.insert(&entry("ses_b", "15:00"), now()).unwrap();
        save(&mut map);
        assert_eq!(mode(&path), kept);
    }
}

#[test]
fn the_first_write_creates_a_private_file_and_directory() {
    let fixture = Fixture::new();
    fixture.dir("home");
    let path = fixture.path(MAP);
    let mut map = load(&path);
    save(&mut map);
    map.insert(&entry("ses_a", "14:00"), now()).unwrap();
    assert!(!fixture.path("home/.config").exists());
    assert_eq!(save(&mut map), "created");
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_map_and_a_link_to_it_are_one_map() {
    let fixture = Fixture::new();
    let target = fixture.file("dotfiles/threads.json", map_of(&[]));
    let other = fixture.path("other.json");
    symlink(&target, &other).unwrap();
    let (mut one, mut two) = (load(&target), load(&other));
    one.insert(&entry("ses_a", "14:00"), now()).unwrap();
    two.insert(&entry("ses_b", "15:00"), now()).unwrap();
    save(&mut one);
    save(&mut two);
    assert_eq!(in_file(&target), ["ses_a 14:00", "ses_b 15:00"]);
}
