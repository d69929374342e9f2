//! Problems in the files, with their repairs.

use std::path::Path;

use skein_doctor::{CheckSnapshot, Repair};
use skein_model::sanitize::one_line;
use skein_model::view::FileDiagnostic;

use crate::app_state::AppState;
use crate::error::ticked;

const MAX_PROBLEMS: usize = 30;

#[derive(Default)]
pub(super) struct Problems {
    pub(super) findings: Vec<FoundProblem>,
    /// Repairs of problems that are not shown.
    pub(super) others: Vec<ShownRepair>,
    /// The number of possible repairs.
    pub(super) repairs: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) more: usize,
    /// The number of checked threads, and the time of the check.
    pub(super) threads: usize,
    pub(super) at: Option<String>,
    pub(super) is_checking: bool,
    pub(super) read_only: bool,
}

pub(super) struct FoundProblem {
    pub(super) severity: &'static str,
    pub(super) code: &'static str,
    pub(super) place: String,
    pub(super) message: String,
    /// Advice, as HTML.
    pub(super) advice: String,
    pub(super) repair: Option<ShownRepair>,
}

pub(super) struct ShownRepair {
    /// The text of the repair, which identifies it.
    pub(super) plan: String,
    /// The text of the repair with shorter paths.
    pub(super) shown: String,
}

impl Problems {
    pub(super) fn new(app: &AppState) -> Self {
        let workspace = app.live.workspace();
        let (seen, is_checking) =
            app.background_check.last(&workspace, app.live.last_event_number());
        let mut problems = Self { is_checking, read_only: app.read_only, ..Self::default() };
        if let Some(seen) = seen {
            problems.add(&seen, &format!("{}/", workspace.reviews.root.display()));
        }
        problems
    }

    fn add(&mut self, seen: &CheckSnapshot, root: &str) {
        let report = &seen.report;
        self.at = Some(seen.at.to_string());
        self.threads = report.threads;
        self.errors = report.diagnostics.iter().filter(|diag| diag.is_error()).count();
        self.warnings = report.diagnostics.len() - self.errors;
        self.more = report.diagnostics.len().saturating_sub(MAX_PROBLEMS);
        self.repairs = report.repairs.len();
        let mut repairs: Vec<Option<&Repair>> = report.repairs.iter().map(Some).collect();
        for diag in report.diagnostics.iter().take(MAX_PROBLEMS) {
            let fits = |one: &&mut Option<&Repair>| one.is_some_and(|one| is_repair_of(one, diag));
            let repair = repairs.iter_mut().find(fits).and_then(Option::take);
            self.findings.push(FoundProblem {
                severity: diag.severity.as_str(),
                code: diag.code,
                place: one_line(&place(diag, root)),
                message: one_line(&diag.message),
                advice: ticked(diag.code().map_or("", |code| code.advice())),
                repair: repair.map(|repair| plan(repair, root)),
            });
        }
        self.others = repairs.into_iter().flatten().map(|repair| plan(repair, root)).collect();
    }
}

fn is_repair_of(repair: &Repair, diag: &FileDiagnostic) -> bool {
    let (path, found) = (repair.path(), Path::new(&diag.path));
    diag.fixable && (path == found || found.parent() == Some(&path))
}

fn place(diag: &FileDiagnostic, root: &str) -> String {
    let path = diag.path.strip_prefix(root).unwrap_or(&diag.path);
    diag.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"))
}

fn plan(repair: &Repair, root: &str) -> ShownRepair {
    let plan = repair.plan();
    let shown = crate::error::sentence(&plan.replace(root, ""));
    ShownRepair { plan, shown }
}
