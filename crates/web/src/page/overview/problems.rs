//! What the doctor sees, with the repair beside it.

use std::path::Path;

use skein_doctor::{CheckSnapshot, Repair};
use skein_model::view::FileDiagnostic;

use crate::error::ticked;
use crate::site::AppState;

/// So many findings are shown; a workspace with more of them has one trouble rather than many.
const MAX_SHOWN: usize = 30;

/// What is wrong.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) findings: Vec<Finding>,
    /// Repairs of what is not among the findings shown.
    pub(super) others: Vec<Plan>,
    /// All that can be repaired.
    pub(super) plans: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) more: usize,
    /// How many threads were looked at, and when; nothing where nobody has looked yet.
    pub(super) threads: usize,
    pub(super) at: Option<String>,
    /// Whether somebody is looking.
    pub(super) is_looking: bool,
    pub(super) read_only: bool,
}

/// Something that is wrong.
pub(super) struct Finding {
    pub(super) severity: &'static str,
    pub(super) code: &'static str,
    pub(super) place: String,
    pub(super) message: String,
    /// What to do, as HTML.
    pub(super) advice: String,
    pub(super) repair: Option<Plan>,
}

/// What a repair would do.
pub(super) struct Plan {
    /// Names it; it is what the doctor says word for word.
    pub(super) plan: String,
    /// The same with shorter paths.
    pub(super) shown: String,
}

impl Problems {
    pub(super) fn new(site: &AppState) -> Self {
        let workspace = site.desk.workspace();
        let (seen, is_looking) =
            site.rounds.last(&workspace, &site.env, site.desk.last_event_number());
        let mut problems = Self { is_looking, read_only: site.read_only, ..Self::default() };
        if let Some(seen) = seen {
            problems.take(&seen, &format!("{}/", workspace.reviews.root.display()));
        }
        problems
    }

    fn take(&mut self, seen: &CheckSnapshot, root: &str) {
        let report = &seen.report;
        self.at = Some(seen.at.to_string());
        self.threads = report.threads;
        self.errors = report.diagnostics.iter().filter(|diag| diag.severity == "error").count();
        self.warnings = report.diagnostics.len() - self.errors;
        self.more = report.diagnostics.len().saturating_sub(MAX_SHOWN);
        self.plans = report.repairs.len();
        let mut repairs: Vec<Option<&Repair>> = report.repairs.iter().map(Some).collect();
        for diag in report.diagnostics.iter().take(MAX_SHOWN) {
            let fits = |one: &&mut Option<&Repair>| one.is_some_and(|one| mends(one, diag));
            let repair = repairs.iter_mut().find(fits).and_then(Option::take);
            self.findings.push(Finding {
                severity: diag.severity,
                code: diag.code,
                place: place(diag, root),
                message: diag.message.clone(),
                advice: ticked(diag.code().map_or("", |code| code.advice())),
                repair: repair.map(|repair| plan(repair, root)),
            });
        }
        self.others = repairs.into_iter().flatten().map(|repair| plan(repair, root)).collect();
    }
}

/// Returns whether a repair is for what was found.
fn mends(repair: &Repair, diag: &FileDiagnostic) -> bool {
    let (path, wrong) = (repair.path(), Path::new(&diag.path));
    diag.fixable && (path == wrong || wrong.parent() == Some(&path))
}

fn place(diag: &FileDiagnostic, root: &str) -> String {
    let path = diag.path.strip_prefix(root).unwrap_or(&diag.path);
    diag.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"))
}

fn plan(repair: &Repair, root: &str) -> Plan {
    let plan = repair.plan();
    let shown = crate::error::sentence(&plan.replace(root, ""));
    Plan { plan, shown }
}
