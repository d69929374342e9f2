//! A simulated power cut after every operation of a save and of a repair, and an error in every operation.

use std::path::Path;

use skein_format::session::Mode;
use skein_sessions::{MapPath, SessionError, SessionMap, repair_through};
use skein_store::is_temp_name;
use skein_testkit::{Files, SimFs};

use super::{entry, map_of, now};
use skein_fixtures::Fixture;

const DIR: &str = "/home";
const MAP: &str = "/home/map.json";
const LINK: &str = "/links/map.json";
const ERRNOS: [i32; 3] = [5, 28, 30];

/// A way to write the map, with its initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// There is no directory.
    Create,
    /// No other program has written.
    Write,
    /// Another program has written since.
    Merge,
    /// The file is a link.
    Link,
    /// The system cannot exchange names.
    Overwrite,
    /// The file is damaged.
    Displace,
    /// The file is damaged and its entries are salvaged.
    Repair,
}

const WAYS: [Way; 7] =
    [Way::Create, Way::Write, Way::Merge, Way::Link, Way::Overwrite, Way::Displace, Way::Repair];

/// What another program has written since the map was loaded.
fn theirs() -> Vec<u8> {
    map_of(&[entry("ses_a", "14:30"), entry("ses_d", "14:00")])
}

impl Way {
    fn old(self) -> Option<Vec<u8>> {
        let whole = map_of(&[entry("ses_a", "14:00"), entry("ses_b", "14:00")]);
        match self {
            Self::Create => None,
            Self::Displace | Self::Repair => Some(whole[..whole.len() - 60].to_vec()),
            _ => Some(whole),
        }
    }

    fn start(self) -> SimFs {
        let sim = SimFs::new();
        let Some(old) = self.old() else {
            return sim;
        };
        let sim = sim.with_dir(Path::new(DIR)).with_file(Path::new(MAP), &old);
        match self {
            Self::Link => {
                sim.with_dir(Path::new("/links")).with_link(Path::new(LINK), Path::new(MAP))
            }
            Self::Overwrite => sim.without_exchange(),
            _ => sim,
        }
    }

    fn path(self) -> &'static Path {
        Path::new(if self == Self::Link { LINK } else { MAP })
    }

    /// Loads the map and adds an entry to it in memory.
    fn load(self, sim: &SimFs) -> SessionMap {
        let mut map =
            SessionMap::load_through(sim, &MapPath::named(self.path()), Mode::Strict).unwrap();
        map.insert(&entry("ses_c", "15:00"), now()).unwrap();
        if self == Self::Merge {
            drop(sim.clone().with_file(self.path(), &theirs()));
        }
        map
    }

    /// Does everything that comes before the write, and returns the write.
    fn prepare(self, sim: &SimFs) -> Box<dyn FnOnce() -> Result<(), SessionError> + '_> {
        if self == Self::Repair {
            let env = Fixture::new().env("");
            return Box::new(move || {
                repair_through(sim, &MapPath::named(self.path()), &env, true).map(|_| ())
            });
        }
        let mut map = self.load(sim);
        Box::new(move || map.save(sim, now()).map(|_| ()))
    }

    /// Runs the write without failures; returns its first and last operation and the resulting files.
    fn whole(self) -> (usize, usize, Files) {
        let sim = self.start();
        let write = self.prepare(&sim);
        let first = sim.operations() + 1;
        write().unwrap();
        (first, sim.operations(), sim.files())
    }

    /// Asserts that the file has the old map or the new one, and that a damaged original is kept.
    #[track_caller]
    fn assert_sound(self, files: &Files, new: &Files, context: &str) {
        let old = if self == Self::Merge { Some(theirs()) } else { self.old() };
        let is = files.get(Path::new(MAP));
        assert!(is == old.as_ref() || is == new.get(Path::new(MAP)), "{self:?}, {context}: {is:?}");
        if matches!(self, Self::Displace | Self::Repair) {
            let kept = files.values().any(|bytes| Some(bytes) == old.as_ref());
            assert!(kept, "{self:?}, {context}: the original is lost");
        }
    }
}

#[test]
fn a_power_cut_anywhere_leaves_the_old_map_or_the_new_one() {
    for way in WAYS {
        let (first, last, new) = way.whole();
        for number in first - 1..=last {
            let sim = way.start();
            let write = way.prepare(&sim);
            sim.cut_after(number);
            let done = write().is_ok();
            for files in sim.survivors() {
                way.assert_sound(&files, &new, &format!("cut after {number}"));
                let is_new = files.get(Path::new(MAP)) == new.get(Path::new(MAP));
                assert!(!done || is_new, "{way:?}, cut after {number}: reported as done");
            }
        }
    }
}

#[test]
fn an_error_anywhere_loses_nothing_and_leaves_no_temp_files() {
    for way in WAYS {
        let (first, last, new) = way.whole();
        for (number, errno) in (first..=last).flat_map(|number| ERRNOS.map(|errno| (number, errno)))
        {
            let sim = way.start();
            let write = way.prepare(&sim);
            sim.fail_at(number, errno);
            let outcome = write();
            let context = format!("operation {number} fails with {errno}");
            way.assert_sound(&sim.files(), &new, &context);
            let failing = sim.operation_names()[number - 1];
            if outcome.is_ok() {
                // A failed cleanup or a failed check after the write is not a failure of the write.
                assert!(
                    ["unlink", "read", "metadata"].contains(&failing),
                    "{way:?}: {failing}, {context}"
                );
                continue;
            }
            let temps: Vec<_> = sim
                .files()
                .into_keys()
                .filter(|path| is_temp_name(path.file_name().unwrap()))
                .collect();
            assert!(temps.is_empty(), "{way:?}, {failing}, {context}: {temps:?}");
        }
    }
}

#[test]
fn after_an_error_the_next_save_writes_the_map_in_memory() {
    for way in WAYS.into_iter().filter(|way| *way != Way::Repair) {
        let (first, last, new) = way.whole();
        for number in first..=last {
            let sim = way.start();
            let mut map = way.load(&sim);
            sim.fail_at(number, 28);
            drop(map.save(&sim, now()));
            map.save(&sim, now()).unwrap();
            if way == Way::Create
                && sim.operation_names()[..number].iter().all(|name| *name != "try_lock")
            {
                // A directory that exists is assumed to be durable.
                continue;
            }
            for files in sim.survivors() {
                let (is, wanted) = (files.get(Path::new(MAP)), new.get(Path::new(MAP)));
                assert_eq!(is, wanted, "{way:?}: operation {number}");
            }
        }
    }
}
