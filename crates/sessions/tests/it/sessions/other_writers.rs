//! Another program, which takes no lock, writes between any two operations of a save.

use std::path::Path;

use skein_format::session::Mode;
use skein_sessions::{MapPath, SessionMap};
use skein_store::is_temp_name;
use skein_testkit::{Foreign, SimFs};

use super::{entry, map_of, now, shown};

const MAP: &str = "/home/map.json";

fn start() -> (SimFs, SessionMap) {
    let path = Path::new(MAP);
    let sim = SimFs::new().with_dir(Path::new("/home"));
    let sim = sim.with_file(path, &map_of(&[entry("ses_a", "14:00")]));
    let mut map = SessionMap::load_through(&sim, &MapPath::named(path), Mode::Strict).unwrap();
    map.insert(&entry("ses_b", "15:00"), now()).unwrap();
    (sim, map)
}

/// Checks that nothing the other program writes is lost, and that the next save restores what it overwrites.
#[track_caller]
fn check(foreign: &Foreign, expected: &[&str]) {
    let (sim, mut map) = start();
    let first = sim.operations() + 1;
    map.save(&sim, now()).unwrap();
    for number in first..=sim.operations() {
        let (sim, mut map) = start();
        sim.interfere_at(number, foreign.clone());
        map.save(&sim, now()).unwrap();
        map.save(&sim, now()).unwrap();
        let mut there =
            shown(&SessionMap::load_through(&sim, &MapPath::named(MAP), Mode::Strict).unwrap());
        there.sort();
        assert_eq!(there, expected, "{foreign:?} before operation {number}");
        let temp = |path: &&Path| is_temp_name(path.file_name().unwrap());
        assert_eq!(
            sim.files().keys().map(|path| &**path).find(temp),
            None,
            "{foreign:?}, {number}"
        );
    }
}

#[test]
fn nothing_is_lost_between_any_two_operations() {
    let theirs = map_of(&[entry("ses_a", "14:30"), entry("ses_d", "14:00")]);
    let all = ["ses_a 14:30", "ses_b 15:00", "ses_d 14:00"];
    check(&Foreign::Overwrite(MAP.into(), theirs.clone()), &all);
    check(&Foreign::RenameOver(MAP.into(), theirs), &all);
    let memory = ["ses_a 14:00", "ses_b 15:00"];
    check(&Foreign::Delete(MAP.into()), &memory);
    check(&Foreign::Overwrite(MAP.into(), b"{\"version\"".to_vec()), &memory);
}
