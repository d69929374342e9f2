//! What a list of sessions does not show.

use std::collections::HashSet;
use std::path::Path;

use skein_model::view::{FileDiagnostic, Listing, RowDetail, SessionRow, ThreadRow};
use skein_sessions::{SessionFilter, session_list};

use super::entries::{Entries, TOO_MANY};
use super::list::SessionListArgs;
use crate::commands::Context;
use crate::error::{CliError, OTHER_VERSION};
use crate::render::table;
use crate::terminal::one_line;

/// Says what the table does not show.
pub(super) fn remarks(
    context: &mut Context<'_>,
    args: &SessionListArgs,
    listing: &Listing<Box<ThreadRow>>,
) -> Result<(), CliError> {
    let errors: Vec<&FileDiagnostic> =
        listing.diagnostics.iter().filter(|diag| diag.severity == "error").collect();
    for diag in &errors {
        context.output.note(&format!("Error: {}: {} [{}]", diag.path, diag.message, diag.code))?;
        let hint = match diag.code {
            "session-bad-json" | "session-bad-shape" => {
                format!("{} shows what can be saved of it", args.map.repair())
            }
            "session-version" => OTHER_VERSION.to_owned(),
            _ => format!("`ls -l {}` shows what it is, and who may read it", diag.path),
        };
        context.output.note(&format!("Hint: {hint}"))?;
    }
    let hidden = !Entries::left_out(&listing.diagnostics).is_none();
    let empty = listing.threads.is_empty() && errors.is_empty();
    // Where entries are left out, sessions are bound to chat anyway.
    if empty && (args.is_narrowed() || !hidden) {
        let text = nothing(context, args);
        context.output.note(&text)?;
    }
    let always = context.workspace.settings.lenient();
    if let Some(text) = left_out(args, &listing.diagnostics, always) {
        context.output.note(&text)?;
    }
    if hidden && !always && listing.threads.iter().any(|row| table::is_marked(row)) {
        context.output.note(table::MARK_MEANS)?;
    }
    if empty && hidden && !(always || args.map.lenient || args.is_narrowed()) {
        context.output.note(&format!("To have such entries always: `{ALWAYS_LENIENT}`"))?;
    }
    Ok(())
}

/// The command after which every command takes entries that break the contract.
const ALWAYS_LENIENT: &str = "skein config set session.lenient true";

/// Says why a list is empty.
fn nothing(context: &Context<'_>, args: &SessionListArgs) -> String {
    if args.is_narrowed() && (args.map.file.is_some() || context.workspace.sessions.exists) {
        let all = || format!(". `skein session list{}` shows all of them.", args.map.options());
        return format!("No session matches{}", unknown(context, args).unwrap_or_else(all));
    }
    let file =
        args.map.file(context).or_else(|| context.workspace.sessions.file().map(Path::to_owned));
    let place = file.map_or_else(String::new, |file| {
        let is = if file.exists() { "is" } else { "would be" };
        format!("\nThe map {is} {}", file.display())
    });
    format!("{UNBOUND}{place}")
}

/// Names the projects or the users that there are, where no session has the one that is asked for.
fn unknown(context: &Context<'_>, args: &SessionListArgs) -> Option<String> {
    const MAX_SUGGESTIONS: usize = 5;
    let filter = SessionFilter {
        file: args.map.file(context),
        lenient: args.map.lenient,
        ..Default::default()
    };
    let all = session_list(&context.workspace, &context.env, &filter).ok()?;
    let values = |of: fn(&SessionRow) -> &str| -> Vec<&str> {
        let mut seen = HashSet::new();
        let details = all.threads.iter().filter_map(|row| match &row.detail {
            RowDetail::Session(detail) => Some(of(detail)),
            _ => None,
        });
        details.filter(|value| seen.insert(*value)).collect()
    };
    let asked = [
        ("projects", &args.project, values(|detail| &detail.project_name)),
        ("users", &args.user, values(|detail| &detail.mattermost_user_id)),
    ];
    let missing = |value: &Option<String>, there: &[&str]| {
        value.as_deref().is_some_and(|value| !there.contains(&value))
    };
    let (what, _, there) =
        asked.into_iter().find(|(_, value, there)| missing(value, there) && !there.is_empty())?;
    let named: Vec<String> =
        there.iter().take(MAX_SUGGESTIONS).map(|value| format!("`{}`", one_line(value))).collect();
    let more = if there.len() > MAX_SUGGESTIONS { ", ..." } else { "" };
    Some(format!("; the map has these {what}: {}{more}", named.join(", ")))
}

/// Says what is meant by sessions where there are none.
const UNBOUND: &str = "No session is bound to chat. One is when an agent's chat plugin has given it a thread: what is \
                       written there goes to the session.";

/// Sums up what was left out, or shown although it breaks the contract; the latter not where the settings ask for it.
fn left_out(
    args: &SessionListArgs,
    diagnostics: &[FileDiagnostic],
    always: bool,
) -> Option<String> {
    let out = Entries::left_out(diagnostics);
    let shown = Entries::with(diagnostics, "session-lenient");
    let why = args.map.doctor();
    let entries = |number: Entries| match number.is_one() {
        true => "1 entry of the map breaks its contract and is".to_owned(),
        false => format!("{number} entries of the map break its contract and are"),
    };
    if out.is_none() && shown.is_none() {
        return odd(diagnostics, &why);
    }
    if out.is_none() {
        return (!always)
            .then(|| format!("{} still shown, marked `*`; {why} says why", entries(shown)));
    }
    if args.map.lenient || always {
        let text = entries(out);
        return Some(format!("{text} left out, without a session or a thread; {why} says why"));
    }
    let it = if out.is_one() { "it" } else { "them" };
    Some(format!("{} left out; `--lenient` shows {it}, {why} says why", entries(out)))
}

/// Counts what is odd about a map whose entries keep the contract.
fn odd(diagnostics: &[FileDiagnostic], why: &str) -> Option<String> {
    let odd =
        Entries::from_rows(diagnostics, |diag| diag.severity == "warning" && diag.code != TOO_MANY);
    if odd.is_none() {
        return None;
    }
    let what = if odd.is_one() { "thing about the map is" } else { "things about the map are" };
    Some(format!("{odd} {what} odd; {why} says which"))
}
