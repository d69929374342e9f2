//! The figures as a table for people and as JSON for programs.

mod growth;
mod number;
mod table;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use crate::figure::Figure;
use crate::load;
use crate::programs::{Program, Programs};
use growth::Growth;

/// All figures of a run.
pub(crate) struct Report {
    /// The load average, the higher one of before and after.
    pub(crate) load: f64,
    /// The groups in the order in which they were measured.
    pub(crate) groups: Vec<Group>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) programs: Programs,
}

/// What belongs together.
#[derive(Serialize)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// How many processors others kept busy meanwhile.
    pub(crate) others: f64,
    /// How long measuring took.
    pub(crate) seconds: u64,
}

impl Report {
    /// Returns whether a bound was exceeded on a machine that is quiet enough to tell.
    pub(crate) fn is_over(&self) -> bool {
        let grows_too_fast = || growth::from_figures(&self.figures).iter().any(Growth::is_over);
        !self.is_busy() && (self.figures.iter().any(Figure::is_over) || grows_too_fast())
    }

    fn is_busy(&self) -> bool {
        self.load > load::HIGHEST
    }

    pub(crate) fn json(&self) -> serde_json::Result<String> {
        let version = |program: Program| (program, self.programs.version(program));
        let programs: BTreeMap<_, _> = Program::ALL.into_iter().map(version).collect();
        serde_json::to_string_pretty(&json!({
            "load": self.load,
            "judged": !self.is_busy(),
            "programs": programs,
            "groups": self.groups,
            "figures": self.figures,
            "growth": growth::from_figures(&self.figures),
        }))
    }

    pub(crate) fn table(&self) -> String {
        let grown: Vec<Growth> = growth::from_figures(&self.figures);
        let (bounded, told): (Vec<_>, Vec<_>) = grown.iter().partition(|row| row.has_bound());
        let mut text = table::rows(self);
        if !told.is_empty() {
            text.push('\n');
            text += &growth::table(&told);
        }
        if !bounded.is_empty() {
            text.push('\n');
            text += &growth::bounded_table(&bounded, self.is_busy());
        }
        text.push('\n');
        text + &self.remarks()
    }

    /// Says what holds for the whole table.
    fn remarks(&self) -> String {
        let program = |program: Program| {
            let name = program.name();
            match self.programs.version(program) {
                Some(version) => format!("{name} is {version}\n"),
                None => format!("{name} is not on this machine: its column is empty\n"),
            }
        };
        let judgement = if self.is_busy() { " (above 3: the figures are not judged)" } else { "" };
        let load = format!("load average {:.2}{judgement}\n", self.load);
        Program::ALL.into_iter().map(program).chain([load]).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::timing::Pair;

    fn report(load: f64) -> Report {
        let figure = |name, size: usize, [baseline, skein]: [u64; 2]| {
            let [baseline, skein] = [baseline, skein].map(Duration::from_micros);
            let corpus = format!("{}k", size / 1_000);
            Figure::ratio(name, corpus, Pair { baseline, skein }).of_group("list").sized(size)
        };
        let noted = Some("the baseline is a read".to_owned());
        let group = Group { name: "list", title: "Lists", others: 0.25, seconds: 3 };
        Report {
            load,
            groups: vec![group],
            figures: vec![
                figure("list / read", 1_000, [1_000, 1_100]),
                figure("list / read", 10_000, [10_000, 20_000]).at_most(1.5),
                figure("search / rg", 10_000, [500_000, 1_000])
                    .at_most(1.0 / 150.0)
                    .beside(Program::Jq, Some(Duration::from_millis(1_234)))
                    .noted(noted),
            ],
            programs: Programs::none(),
        }
    }

    #[test]
    fn a_table_has_the_rows_their_growth_and_what_is_missing() {
        let expected = "\
figure                                      corpus             skein    baseline      ratio   target  verdict           rg        jq      node
Lists (3 s; others used 0.25 processors)
  list / read                               1k              1.100 ms    1.000 ms      1.10x        -
  list / read                               10k              20.0 ms     10.0 ms      2.00x     1.5x  OVER
  search / rg [1]                           10k             1.000 ms      500 ms      1/500    1/150  ok                     1234 ms
[1] the baseline is a read

growth of the cost with the corpus                  1k        10k  exponent   the baseline's
  list / read                                 1.100 ms    20.0 ms      1.26             1.00  FASTER THAN LINEAR

rg is not on this machine: its column is empty
jq is not on this machine: its column is empty
node is not on this machine: its column is empty
load average 0.50
";
        assert_eq!(report(0.5).table(), expected);
    }

    #[test]
    fn a_busy_machine_is_not_judged() {
        let text = report(3.5).table();
        assert!(text.contains("not judged") && !text.contains("OVER"), "{text}");
        assert!(!report(3.5).is_over() && report(2.5).is_over());
    }

    #[test]
    fn json_has_the_same() {
        let text = report(0.5).json().unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["judged"], true);
        assert_eq!(value["programs"]["rg"], serde_json::Value::Null);
        assert_eq!(value["figures"][1]["ok"], false);
        assert_eq!(value["figures"][2]["programs"]["jq"], 1234.0);
        assert_eq!(value["growth"][0]["faster_than_linear"], true);
    }
}
