//! Prints the report of `doctor`.

use std::path::Path;

use skein_doctor::CheckReport;
use skein_model::sanitize::one_line;
use skein_model::view::FileDiagnostic;
use skein_workspace::Env;

use super::style;
use super::text::count;
use crate::error::CliResult;
use crate::output::Output;

/// Prints every diagnostic with its advice, then the totals.
pub(crate) fn print(output: &mut Output<'_>, report: &CheckReport, env: &Env) -> CliResult {
    let mut advised: Vec<&str> = Vec::new();
    for diag in &report.diagnostics {
        finding(output, diag, &env.dir)?;
        // The advice for each code is printed once.
        if !advised.contains(&diag.code) {
            let advice = diag.code().map_or("", |code| code.advice());
            let advice = output.paint(style::HINT, advice);
            output.line(&format!("    {advice}"))?;
            advised.push(diag.code);
        }
    }
    totals(output, report)
}

fn finding(output: &mut Output<'_>, diag: &FileDiagnostic, dir: &Path) -> CliResult {
    let style = if diag.is_error() { style::ERROR } else { style::WARNING };
    let path = Path::new(&diag.path);
    let path = match path.strip_prefix(dir).unwrap_or(path) {
        here if here == Path::new("") => ".".to_owned(),
        path => path.display().to_string(),
    };
    let line = diag.line.map_or(String::new(), |line| format!(":{line}"));
    let severity = output.paint(style, diag.severity.as_str());
    output.line(&format!("{}{line}: {severity} [{}]", one_line(&path), diag.code))?;
    output.line(&format!("    {}", one_line(&diag.message)))
}

fn totals(output: &mut Output<'_>, report: &CheckReport) -> CliResult {
    let errors = report.diagnostics.iter().filter(|diag| diag.is_error()).count();
    let warnings = report.diagnostics.len() - errors;
    let threads = count(report.threads, "thread");
    if report.threads == 0 && report.diagnostics.is_empty() {
        return output.line("There are no threads here, and no problems.");
    }
    if report.diagnostics.is_empty() {
        return output.line(&format!("No problems in {threads}."));
    }
    output.line("")?;
    output.line(&format!(
        "{}, {} in {threads}.",
        count(errors, "error"),
        count(warnings, "warning")
    ))?;
    if report.repairs.is_empty() {
        return Ok(());
    }
    let fixable = report.diagnostics.iter().filter(|diag| diag.fixable).count();
    let text = match fixable {
        // Only generated files are out of date.
        0 => "Generated files can be updated: skein doctor --fix".to_owned(),
        fixable => format!("{fixable} can be repaired: skein doctor --fix"),
    };
    output.styled(style::TITLE, &text)
}
