//! What the doctor found.

use std::path::Path;

use skein_doctor::CheckReport;
use skein_model::view::FileDiagnostic;
use skein_workspace::Env;

use super::style;
use super::text::count;
use crate::error::CliError;
use crate::output::Output;
use crate::terminal::one_line;

/// How often the advice for one kind of finding is worth reading.
const ADVICE: usize = 1;

/// Prints every finding with what to do about it, then the sum.
pub(crate) fn print(
    output: &mut Output<'_>,
    report: &CheckReport,
    env: &Env,
) -> Result<(), CliError> {
    let mut told: Vec<&str> = Vec::new();
    for diag in &report.diagnostics {
        finding(output, diag, &env.dir)?;
        let before = told.iter().filter(|code| **code == diag.code).count();
        if before < ADVICE {
            let advice = diag.code().map_or("", |code| code.advice());
            let advice = output.paint(style::HINT, advice);
            output.line(&format!("    {advice}"))?;
        }
        told.push(diag.code);
    }
    sum(output, report)
}

fn finding(output: &mut Output<'_>, diag: &FileDiagnostic, dir: &Path) -> Result<(), CliError> {
    let style = if diag.severity == "error" { style::ERROR } else { style::WARNING };
    let path = Path::new(&diag.path);
    let path = match path.strip_prefix(dir).unwrap_or(path) {
        here if here == Path::new("") => ".".to_owned(),
        path => path.display().to_string(),
    };
    let line = diag.line.map_or(String::new(), |line| format!(":{line}"));
    let severity = output.paint(style, diag.severity);
    output.line(&format!("{}{line}: {severity} [{}]", one_line(&path), diag.code))?;
    output.line(&format!("    {}", one_line(&diag.message)))
}

fn sum(output: &mut Output<'_>, report: &CheckReport) -> Result<(), CliError> {
    let errors = report.diagnostics.iter().filter(|diag| diag.severity == "error").count();
    let warnings = report.diagnostics.len() - errors;
    let threads = count(report.threads, "thread");
    if report.threads == 0 && report.diagnostics.is_empty() {
        return output.line("There are no threads here, and nothing is wrong.");
    }
    if report.diagnostics.is_empty() {
        return output.line(&format!("Nothing is wrong with {threads}."));
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
        // Something that is made from the threads is out of date.
        0 => "What is made from the threads can be renewed: skein doctor --fix".to_owned(),
        fixable => format!("{fixable} can be repaired: skein doctor --fix"),
    };
    let text = output.paint(style::TITLE, &text);
    output.line(&text)
}
