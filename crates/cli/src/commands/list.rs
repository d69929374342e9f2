use clap::Args;
use skein_catalog::drafts::drafts;
use skein_catalog::list::drafts_matching;
use skein_catalog::placed::place_rows;
use skein_catalog::{
    ShortIds, WorktreeScope, expand, list, names, occurs, other_worktrees, resolve_file, show,
};
use skein_model::view::{Listing, RowDetail, ThreadRow, ThreadView};
use skein_model::{Filter, FilterError, Kind, fold_autos};
use skein_review::root_of;

use super::Context;
use super::session::Entries;
use crate::error::CliError;
use crate::render::{table, text};
use crate::terminal::one_line;

/// Lists threads of all kinds, the last changed first.
///
/// Words narrow the list: a kind (`review`, `checkpoint`, `session`) or `key:value`, as in
/// `skein list review status:open file:src`. The keys are `kind`, `status`, `file`, `author`, `since` (also `after`), `until` (also
/// `before`), `tag`, `type`, `branch`, `commit` and `waiting`; each is a flag too.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// A kind, or key:value.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    #[command(flatten)]
    filter: FilterArgs,

    /// At most so many threads.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number)]
    limit: Option<usize>,

    /// Threads of every worktree of the repository.
    #[arg(long)]
    all_worktrees: bool,

    /// Sessions that break the contract of the map too.
    #[arg(long)]
    lenient: bool,

    /// With --json: everything that is in each thread.
    #[arg(long, requires = "json")]
    full: bool,

    /// Review threads as file:line:column:title, for an editor's list of places.
    #[arg(long, conflicts_with = "json")]
    vimgrep: bool,
}

/// Reads how many threads are meant.
pub(crate) fn number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "it takes a number, such as 20")
}

/// Which threads are meant.
#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    /// Of this kind: review, checkpoint or session.
    #[arg(long)]
    kind: Option<String>,

    /// With this status: open, resolved, active, ended, ...
    #[arg(long)]
    status: Option<String>,

    /// On this file, or below this directory.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,

    /// With a comment by this author, or by one whose name contains it.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,

    /// Changed since: 2w, yesterday, 2026-01-23.
    #[arg(long, value_name = "DATE", visible_alias = "after")]
    since: Option<String>,

    /// Last changed before: 2w, yesterday, 2026-01-23.
    #[arg(long, value_name = "DATE", visible_alias = "before")]
    until: Option<String>,

    /// Checkpoints with this tag.
    #[arg(long)]
    tag: Option<String>,

    /// Checkpoints of this type: checkpoint, auto, handoff, ...
    #[arg(long = "type", value_name = "TYPE")]
    type_name: Option<String>,

    /// Checkpoints and review threads that were started on this branch, or on one with this word between its slashes.
    #[arg(long)]
    branch: Option<String>,

    /// Checkpoints of a commit that begins so.
    #[arg(long)]
    commit: Option<String>,

    /// Review threads that wait on the reviewer or the agent.
    #[arg(long, value_name = "WHOM")]
    waiting: Option<String>,
}

impl FilterArgs {
    fn flags(&self) -> [(&'static str, &Option<String>); 11] {
        [
            ("kind", &self.kind),
            ("status", &self.status),
            ("file", &self.file),
            ("author", &self.author),
            ("since", &self.since),
            ("until", &self.until),
            ("tag", &self.tag),
            ("type", &self.type_name),
            ("branch", &self.branch),
            ("commit", &self.commit),
            ("waiting", &self.waiting),
        ]
    }

    /// Adds the flags to a filter that has words already.
    pub(crate) fn add_to(
        &self,
        context: &Context<'_>,
        filter: &mut Filter,
        everywhere: bool,
    ) -> Result<(), CliError> {
        for (key, value) in self.flags() {
            if let Some(value) = value {
                filter.set_or(key, value, context.output.now, &occurring_or_draft(context))?;
            }
        }
        filter.check_kind()?;
        match resolve_file(&context.workspace, &context.env, filter) {
            // The path may be one of another workspace.
            Err(_) if everywhere => Ok(()),
            done => Ok(done?),
        }
    }
}

pub(crate) fn run_list(context: &mut Context<'_>, args: &ListArgs) -> Result<u8, CliError> {
    let filter = args.filter(context)?;
    run_filtered(context, args, &filter)
}

/// Lists threads of one kind.
pub(crate) fn run_list_of(
    context: &mut Context<'_>,
    args: &ListArgs,
    kind: Kind,
) -> Result<u8, CliError> {
    let filter = args.filter_of(context, kind)?;
    run_filtered(context, args, &filter)
}

fn run_filtered(
    context: &mut Context<'_>,
    args: &ListArgs,
    filter: &Filter,
) -> Result<u8, CliError> {
    if args.lenient {
        context.workspace.settings.be_lenient();
    }
    let scope = args.scope();
    let mut listing = list(&context.workspace, &context.env, filter, scope);
    let asks_for_drafts = filter.status.as_deref().is_some_and(is_draft);
    if asks_for_drafts && filter.kind.is_none_or(|kind| kind == Kind::Review) {
        let drafts = drafts_matching(&context.workspace, &context.env, filter);
        listing.threads.extend(drafts.into_iter().map(Box::new));
    }
    let nothing = nothing(context, filter);
    let is_text = !context.output.json && !args.vimgrep;
    // One that asks for auto-checkpoints wants to see them.
    if is_text && filter.type_name.is_none() {
        return print_folded(context, args, listing, nothing);
    }
    print(context, args, listing, false, nothing)
}

/// Prints a table with the auto-checkpoints of each session folded into the last one.
fn print_folded(
    context: &mut Context<'_>,
    args: &ListArgs,
    mut listing: Listing<Box<ThreadRow>>,
    nothing: &str,
) -> Result<u8, CliError> {
    let folded = fold_autos(std::mem::take(&mut listing.threads), |row| row);
    let all = folded.len();
    let shown = folded.into_iter().take(args.limit.unwrap_or(all));
    let (threads, more): (Vec<Box<ThreadRow>>, Vec<usize>) = shown.unzip();
    listing.threads = threads;
    place(context, &mut listing, false);
    let handles = ShortIds::new(&names(&context.workspace));
    table::print(&mut context.output, &listing.threads, &more, &handles)?;
    remarks(context, args, &listing, all, nothing)?;
    let hidden: usize = more.iter().sum();
    if hidden > 0 {
        let what = if hidden == 1 { "auto-checkpoint is" } else { "auto-checkpoints are" };
        let text = format!("{hidden} more {what} folded into the last one of each session");
        context.output.note(&format!("{text}; `type:auto` lists all"))?;
    }
    std::mem::forget(listing);
    Ok(crate::EXIT_OK)
}

/// Lists review threads at the places where their code is now.
pub(crate) fn run_list_placed(
    context: &mut Context<'_>,
    args: &ListArgs,
    of_drafts: bool,
) -> Result<u8, CliError> {
    let filter = args.filter_of(context, Kind::Review)?;
    let nothing = if of_drafts { "There are no drafts here." } else { nothing(context, &filter) };
    let listing = if of_drafts {
        let threads = drafts(&context.workspace, &context.env).into_iter().map(Box::new).collect();
        Listing { threads, diagnostics: Vec::new() }
    } else {
        let mut listing = list(&context.workspace, &context.env, &filter, args.scope());
        // What is not submitted is the user's next thing to do.
        let drafts = drafts_matching(&context.workspace, &context.env, &filter);
        listing.threads.splice(0..0, drafts.into_iter().map(Box::new));
        listing
    };
    print(context, args, listing, true, nothing)
}

/// Maximum number of review threads in a list of all kinds whose code is looked for.
const MAX_PLACED: usize = 200;

const NO_MATCH: &str = "No thread matches.";

/// Says why a list is empty.
fn nothing(context: &Context<'_>, filter: &Filter) -> &'static str {
    let kind = filter.kind;
    if !context.workspace.is_fresh() && *filter != (Filter { kind, ..Filter::default() }) {
        return NO_MATCH;
    }
    match kind.filter(|_| !context.workspace.is_fresh()) {
        None => "There are no threads here yet. `skein` shows what to try.",
        Some(Kind::Review) => {
            "There are no review threads here. `skein review add FILE:LINE -m TEXT` starts one."
        }
        Some(Kind::Checkpoint) => {
            "There are no checkpoints here. `skein checkpoint save -m SUMMARY` writes one."
        }
        Some(Kind::Session) => {
            "No session is bound to chat. `skein session list` says what that means."
        }
    }
}

/// Finds where the code of the listed threads is now.
fn place(context: &Context<'_>, listing: &mut Listing<Box<ThreadRow>>, always: bool) {
    // Places in a long list would take a while; they are marked as the ones that the files name.
    let reviews = listing.threads.iter().filter(|row| row.kind == Kind::Review).count();
    if always || reviews <= MAX_PLACED {
        let rows = listing.threads.iter_mut().map(|row| &mut **row);
        place_rows(&context.workspace, &context.env, rows);
    }
}

fn print(
    context: &mut Context<'_>,
    args: &ListArgs,
    mut listing: Listing<Box<ThreadRow>>,
    placed: bool,
    nothing: &str,
) -> Result<u8, CliError> {
    let all = listing.threads.len();
    let rest = listing.threads.split_off(args.limit.unwrap_or(all).min(all));
    place(context, &mut listing, placed || args.vimgrep);
    if context.output.json && args.full {
        let views = full(context, &listing);
        context.output.document(&views)?;
    } else if context.output.json {
        context.output.document(&listing)?;
    } else if args.vimgrep {
        for row in &listing.threads {
            vimgrep(context, row)?;
        }
    } else {
        let handles = ShortIds::new(&names(&context.workspace));
        table::print(&mut context.output, &listing.threads, &[], &handles)?;
        remarks(context, args, &listing, all, nothing)?;
    }
    // The program ends here, and taking a long list apart would keep its user waiting.
    std::mem::forget((listing, rest));
    Ok(crate::EXIT_OK)
}

impl ListArgs {
    /// Returns whether threads of every worktree are asked for.
    pub(crate) fn has_all_worktrees(&self) -> bool {
        self.all_worktrees
    }

    fn scope(&self) -> WorktreeScope {
        if self.all_worktrees { WorktreeScope::AllWorktrees } else { WorktreeScope::ThisWorktree }
    }

    /// Returns a filter of one kind of threads; another one cannot be asked for.
    fn filter_of(&self, context: &Context<'_>, kind: Kind) -> Result<Filter, CliError> {
        let flags = self.filter.flags();
        match kind {
            Kind::Review => {
                let occurs = occurring_or_draft(context);
                filter_or(context, &self.words, &flags, Some(kind), &occurs)
            }
            _ => filter(context, &self.words, &flags, Some(kind)),
        }
    }

    fn filter(&self, context: &Context<'_>) -> Result<Filter, CliError> {
        filter_or(context, &self.words, &self.filter.flags(), None, &occurring_or_draft(context))
    }
}

/// Makes a filter of words and of flags with their values, for threads of one kind where the command has one.
pub(crate) fn filter(
    context: &Context<'_>,
    words: &[String],
    flags: &[(&str, &Option<String>)],
    kind: Option<Kind>,
) -> Result<Filter, CliError> {
    filter_or(context, words, flags, kind, &occurring(context))
}

fn is_draft(status: &str) -> bool {
    status.eq_ignore_ascii_case("draft")
}

/// Says whether a thread here has a value that the formats do not name, or it is the status of drafts.
fn occurring_or_draft(context: &Context<'_>) -> impl Fn(&str, &str) -> bool {
    let occurs = occurring(context);
    move |key, value| key == "status" && is_draft(value) || occurs(key, value)
}

/// Makes a filter whose values may also be those for which `occurs` is true.
fn filter_or(
    context: &Context<'_>,
    words: &[String],
    flags: &[(&str, &Option<String>)],
    kind: Option<Kind>,
    occurs: &dyn Fn(&str, &str) -> bool,
) -> Result<Filter, CliError> {
    let now = context.output.now;
    let mut filter = Filter::default();
    for word in words {
        filter.word_or(word, now, occurs).map_err(|error| match error {
            FilterError::Word { word } if is_thread(context, &word) => {
                CliError::ThreadAsFilter { id: word }
            }
            error => error.into(),
        })?;
    }
    for (key, value) in flags {
        if let Some(value) = value {
            filter.set_or(key, value, now, occurs)?;
        }
    }
    match (filter.kind, kind) {
        (Some(asked), Some(kind)) if asked != kind => return Err(CliError::OtherKind { asked }),
        (asked, kind) => filter.kind = kind.or(asked),
    }
    filter.check_kind()?;
    resolve_file(&context.workspace, &context.env, &mut filter)?;
    Ok(filter)
}

/// Says whether a thread here has a value that the formats do not name.
pub(crate) fn occurring(context: &Context<'_>) -> impl Fn(&str, &str) -> bool {
    move |key, value| occurs(&context.workspace, &context.env, key, value)
}

fn is_thread(context: &Context<'_>, word: &str) -> bool {
    show(&context.workspace, &context.env, word).is_ok()
}

/// Reads each thread whole; one that vanished meanwhile is left out.
fn full(context: &Context<'_>, listing: &Listing<Box<ThreadRow>>) -> Listing<ThreadView> {
    let rows = listing.threads.iter();
    let threads =
        rows.filter_map(|row| expand(&context.workspace, &context.env, row).ok()).collect();
    Listing { threads, diagnostics: listing.diagnostics.clone() }
}

fn vimgrep(context: &mut Context<'_>, row: &ThreadRow) -> Result<(), CliError> {
    let RowDetail::Review(detail) = &row.detail else {
        return Ok(());
    };
    let (Some(target), Some(at)) = (&detail.target, &detail.at) else {
        return Ok(());
    };
    let place =
        at.rsplit_once(':').filter(|_| target.range.is_some() && detail.state != Some("gone"));
    let (path, lines) = place.unwrap_or((at, "1"));
    let line = lines.split('-').next().unwrap_or("1");
    let column = target.range.map_or(1, |range| range.start_character + 1);
    // A thread of another worktree is on a file of that worktree.
    let root = root_of(&context.workspace, &context.env, &row.file)
        .unwrap_or_else(|_| context.workspace.reviews.root.clone());
    let path = root.join(path);
    let path = path.strip_prefix(&context.env.dir).unwrap_or(&path).display().to_string();
    let text = format!("{}:{line}:{column}:{}", one_line(&path), text::title(&row.title));
    context.output.line(&text)
}

/// Says that other worktrees have open threads, and how to see them.
pub(crate) fn elsewhere(context: &mut Context<'_>, command: &str) -> Result<(), CliError> {
    let others = other_worktrees(&context.workspace, &context.env);
    let open: usize = others.iter().map(|one| one.open).sum();
    match open {
        0 => Ok(()),
        1 => {
            context.output.note(&format!("1 thread is open in another worktree: `skein {command}`"))
        }
        many => {
            let text = format!("{many} threads are open in other worktrees: `skein {command}`");
            context.output.note(&text)
        }
    }
}

/// Says that other worktrees have open work in stores of their own, and how to see it.
pub(crate) fn work_elsewhere(context: &mut Context<'_>) -> Result<(), CliError> {
    let others = other_worktrees(&context.workspace, &context.env);
    let what = match others.iter().map(|one| one.open_work).sum() {
        0 => return Ok(()),
        1_usize => "1 checkpoint to resume is in another worktree".to_owned(),
        many => format!("{many} checkpoints to resume are in other worktrees"),
    };
    context.output.note(&format!("{what}: `skein checkpoint list --all-worktrees`"))
}

/// Says what the table does not show.
fn remarks(
    context: &mut Context<'_>,
    args: &ListArgs,
    listing: &Listing<Box<ThreadRow>>,
    all: usize,
    nothing: &str,
) -> Result<(), CliError> {
    let shown = listing.threads.len();
    if shown < all {
        context.output.note(&format!("{} more; `--limit` says how many are shown", all - shown))?;
    }
    let left_out = Entries::left_out(&listing.diagnostics);
    // Where sessions are left out, it is not true that there are none.
    if all == 0 && (left_out.is_none() || nothing == NO_MATCH) {
        context.output.note(nothing)?;
        if !args.all_worktrees {
            elsewhere(context, "review list --all-worktrees status:open")?;
        }
    }
    if !left_out.is_none() {
        let (what, it) =
            if left_out.is_one() { ("session is", "it") } else { ("sessions are", "them") };
        let text = format!("{left_out} {what} left out for breaking the contract of the map");
        context.output.note(&format!("{text}; `--lenient` shows {it}"))?;
    }
    if listing.threads.iter().any(|row| table::is_marked(row)) {
        context.output.note(&format!("{}; `skein doctor` says which rule", table::MARK_MEANS))?;
    }
    let unusable = listing.threads.iter().filter(|row| !row.usable).count();
    let elsewhere = listing.diagnostics.iter().filter(|diag| diag.severity == "error").count();
    if unusable + elsewhere > 0 {
        let count = unusable + elsewhere;
        let (what, verb) = if count == 1 { ("thing", "is") } else { ("things", "are") };
        context.output.note(&format!("{count} {what} {verb} broken; `skein doctor` says why"))?;
    }
    Ok(())
}
