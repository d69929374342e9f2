//! A simulated power cut after every operation.

use crate::write_path::WritePath;

#[test]
fn a_power_cut_anywhere_leaves_one_complete_document() {
    for path in WritePath::ALL {
        for (number, name) in path.operations() {
            let (sim, guard) = path.start();
            sim.cut_after(number - 1);
            let outcome = path.run(&sim, &guard);
            let survivors = sim.survivors();
            assert!(!survivors.is_empty());
            survivors.iter().for_each(|files| path.assert_sound(files));
            if outcome.is_ok() {
                // Only the removal of a temp file comes after the change is durable.
                assert_eq!(name, "unlink", "{path:?} returned Ok although {name} failed");
                survivors.iter().for_each(|files| path.assert_done(files));
            }
        }
    }
}

#[test]
fn a_power_cut_after_success_keeps_the_change() {
    for path in WritePath::ALL {
        let (sim, guard) = path.start();
        path.run(&sim, &guard).unwrap();
        for files in sim.survivors() {
            path.assert_sound(&files);
            path.assert_done(&files);
        }
    }
}
