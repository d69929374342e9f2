//! Installs Skein for an agent.

use std::collections::BTreeMap;
use std::path::PathBuf;

use skein_git::{Repo, RepoDirs};
use skein_workspace::{Env, Workspace, trust};

use super::agent::{Agent, FileContent, Scope, Syntax, agent};
use super::error::InstallError;
use super::install_log::LogEntry;
use super::program::HookProgram;
use super::record::record;
use super::report::InstallReport;
use super::task::{PlannedFile, tasks};
use super::tools::DetectedPrograms;
use super::write::{Done, EditOutcome, EditSettings};
use super::{git_hook, ignore, install_log, json_hooks, moves, store, write};

/// How to install.
#[derive(Clone, Copy, Debug)]
pub struct InstallOptions {
    /// Whom it shall serve; the agent's usual scope where none is given.
    pub scope: Option<Scope>,
    /// Whether to tell and not to write.
    pub dry_run: bool,
    /// Whether the user agreed to changes that may concern others.
    pub consent: bool,
}

/// An installation under way.
struct InstallRun<'a> {
    workspace: &'a Workspace,
    env: &'a Env,
    agent: &'static Agent,
    scope: Scope,
    program: HookProgram,
    tasks: Vec<PlannedFile>,
    /// The lines that hide files from git.
    ignored: BTreeMap<PathBuf, String>,
    report: InstallReport,
}

/// Installs Skein for an agent in this worktree; what is there already is brought up to date.
///
/// Every file is understood before the first one is written.
pub(super) fn install_here(
    workspace: &Workspace,
    env: &Env,
    tools: &DetectedPrograms<'_>,
    name: &str,
    options: &InstallOptions,
) -> Result<InstallReport, InstallError> {
    let agent = agent(name).ok_or_else(|| InstallError::UnknownAgent { name: name.to_owned() })?;
    let scope = options.scope.or(agent.scopes.first().copied()).unwrap_or(Scope::Local);
    let tasks = tasks(workspace, env, agent, scope)?;
    let program = tools.program(scope);
    for task in &tasks {
        check(workspace, task, options)?;
        write::plan(&task.path, &task.edit(&program))?;
    }
    let ignored = match scope {
        Scope::Local => ignore::lines(workspace, env, &tasks, &program)?,
        _ => BTreeMap::new(),
    };
    let report = InstallReport::new(options.dry_run);
    let mut job = InstallRun { workspace, env, agent, scope, program, tasks, ignored, report };
    job.put_all()?;
    job.note_program(tools.is_on_path());
    job.note_comments()?;
    job.note_others();
    job.accept()?;
    job.prepare_store()?;
    if !options.dry_run {
        moves::note_place(workspace, env);
    }
    if job.report.changes_anything() {
        job.report.notes.extend(agent.hint.map(str::to_owned));
    }
    Ok(job.report)
}

fn check(
    workspace: &Workspace,
    task: &PlannedFile,
    options: &InstallOptions,
) -> Result<(), InstallError> {
    task.check_links(workspace)?;
    if matches!(task.file.content, FileContent::GitHook(_)) {
        git_hook::check_dir(workspace, &task.path, options.consent || options.dry_run)?;
        git_hook::is_in_the_way(&task.path, write::read(&task.path)?.as_deref())?;
    }
    if task.scope != Scope::Local || !matches!(task.file.content, FileContent::Hooks(..)) {
        return Ok(());
    }
    let repo = workspace.git.as_ref().and_then(Repo::new);
    let Some((repo, below)) = repo.zip(task.in_top(workspace)) else { return Ok(()) };
    match repo.is_tracked(&below)? {
        true => Err(InstallError::Tracked { path: task.path.clone() }),
        false => Ok(()),
    }
}

impl InstallRun<'_> {
    /// Writes every file; how to undo each edit is recorded first, so that `uninstall` knows all of them.
    fn put_all(&mut self) -> Result<(), InstallError> {
        let earlier: Vec<Option<LogEntry>> =
            self.tasks.iter().map(|task| install_log::entry(self.env, &task.path)).collect();
        if !self.report.dry_run {
            for (task, earlier) in self.tasks.iter().zip(&earlier) {
                self.record(task, earlier.clone(), &plan(task, &self.program)?.0)?;
            }
        }
        if let Some(git) = self.workspace.git.as_ref() {
            self.hide_or_show(git)?;
        }
        for (task, earlier) in self.tasks.iter().zip(earlier) {
            match put(self.env, task, &self.program, &mut self.report) {
                Ok(_) if self.report.dry_run => {}
                Ok(done) => self.record(task, earlier, &done)?,
                Err(error) => {
                    if let Some(entry) = earlier {
                        install_log::record(self.env, &entry)?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn record(
        &self,
        task: &PlannedFile,
        earlier: Option<LogEntry>,
        done: &Done,
    ) -> Result<(), InstallError> {
        record(self.workspace, self.env, task, earlier, done, self.ignored.get(&task.path))
    }

    /// Lets git see what is the project's, and nothing of what is meant for this checkout.
    fn hide_or_show(&mut self, git: &RepoDirs) -> Result<(), InstallError> {
        let dry_run = self.report.dry_run;
        let is_new = |line: &&String| !ignore::has(git, line);
        let hidden: Vec<String> = self.ignored.values().filter(is_new).cloned().collect();
        if !hidden.is_empty() && (dry_run || ignore::hide(self.env, git, &hidden)?) {
            let verb = if dry_run { "would ignore" } else { "ignores" };
            self.report.shows(format!("Git {verb} these files here (in .git/info/exclude)"));
        }
        if self.scope != Scope::Project {
            return Ok(());
        }
        let below = self.tasks.iter().filter_map(|task| task.in_top(self.workspace));
        let is_hidden = |below: &String| ignore::has(git, &ignore::line(below));
        let shown: Vec<String> = below.filter(is_hidden).collect();
        if shown.is_empty() {
            return Ok(());
        }
        if !dry_run {
            let lines: Vec<String> = shown.iter().map(|below| ignore::line(below)).collect();
            ignore::show(self.env, git, &lines)?;
        }
        let verb = if dry_run { "would see" } else { "sees" };
        self.report.shows(format!("Git {verb} these files from now on: {}", shown.join(", ")));
        Ok(())
    }

    fn note_program(&mut self, is_on_path: bool) {
        let note = match &self.program {
            HookProgram::At(path) => {
                let path = path.display();
                format!("`skein` is not on the search path, so hooks call {path}")
            }
            HookProgram::OnPath if !is_on_path => {
                "`skein` is not on the search path; hooks do nothing until it is".to_owned()
            }
            HookProgram::OnPath => return,
        };
        self.report.notes.push(note);
    }

    fn note_comments(&mut self) -> Result<(), InstallError> {
        let is_json =
            |task: &&PlannedFile| matches!(task.file.content, FileContent::Hooks(Syntax::Json, _));
        for task in self.tasks.iter().filter(is_json) {
            if write::read(&task.path)?.is_some_and(|bytes| !json_hooks::is_strict(&bytes)) {
                let (title, path) = (self.agent.title, task.path.display());
                self.report.notes.push(format!(
                    "{title} reads no settings file with comments or commas at the end of lists: {path}"
                ));
            }
        }
        Ok(())
    }

    /// Agents may run hooks of several scopes one after another.
    fn note_others(&mut self) {
        let title = self.agent.title;
        for scope in self.agent.scopes.iter().copied().filter(|scope| *scope != self.scope) {
            let others = tasks(self.workspace, self.env, self.agent, scope).unwrap_or_default();
            let is_own = |task: &&PlannedFile| !self.tasks.iter().any(|own| own.path == task.path);
            let is_there = |task: &&PlannedFile| {
                task.holds_ours() && task.serves_its_scope(self.workspace, self.env)
            };
            if let Some(other) = others.iter().filter(is_own).find(is_there) {
                self.report.notes.push(format!(
                    "Skein is installed for {title} in {} too, and both may run; `skein uninstall {} --{}` takes that one back",
                    other.path.display(),
                    self.agent.name,
                    scope.name()
                ));
            }
        }
    }

    /// Accepts the workspace: installing hooks implies that they may report its threads.
    fn accept(&mut self) -> Result<(), InstallError> {
        if self.report.dry_run {
            let roots = trust::roots(self.workspace).into_iter();
            for root in roots.filter(|root| !trust::is_accepted(self.env, root)) {
                let note = format!("Hooks could tell agents of the threads in {}", root.display());
                self.report.notes.push(note);
            }
            return Ok(());
        }
        for root in trust::roots(self.workspace) {
            if trust::accept(self.env, &root)? {
                let (root, name) = (root.display(), self.agent.name);
                let flag = if self.scope == Scope::User { " --user" } else { "" };
                self.report.notes.push(format!(
                    "Hooks may tell agents of the threads in {root}; `skein uninstall {name}{flag}` takes that back"
                ));
            }
        }
        Ok(())
    }

    /// Says where checkpoints are kept, and makes that place where it is clear that this is the workspace meant.
    fn prepare_store(&mut self) -> Result<(), InstallError> {
        let dir = self.workspace.checkpoints.threads();
        if dir.is_dir() {
            return Ok(());
        }
        let notes = match self.scope {
            Scope::Local | Scope::Project if self.report.dry_run => {
                vec![format!("Would create the store of checkpoints: {}", dir.display())]
            }
            Scope::User => vec![
                "Checkpoints are kept where there is a store for them; `skein init` makes one in a repository"
                    .to_owned(),
            ],
            Scope::Local | Scope::Project => store::prepare(self.workspace, self.env)?,
        };
        self.report.notes.extend(notes);
        Ok(())
    }
}

fn put(
    env: &Env,
    task: &PlannedFile,
    program: &HookProgram,
    report: &mut InstallReport,
) -> Result<Done, InstallError> {
    let (planned, moves) = plan(task, program)?;
    if moves {
        report.rename(task, &task.path, &git_hook::aside(&task.path));
    }
    let done = if report.dry_run { planned } else { apply(env, task, moves, &task.edit(program))? };
    report.add(task, &done);
    Ok(done)
}

/// Returns what is to be done to a file, and whether another one steps aside for it.
fn plan(task: &PlannedFile, program: &HookProgram) -> Result<(Done, bool), InstallError> {
    let edit = task.edit(program);
    let moves = matches!(task.file.content, FileContent::GitHook(_))
        && git_hook::is_in_the_way(&task.path, write::read(&task.path)?.as_deref())?;
    let done = match moves {
        true => Done { before: None, outcome: edit(None)?, dirs: Vec::new() },
        false => write::plan(&task.path, &edit)?,
    };
    Ok((done, moves))
}

fn apply(
    env: &Env,
    task: &PlannedFile,
    moves: bool,
    edit: EditSettings<'_>,
) -> Result<Done, InstallError> {
    if matches!(task.file.content, FileContent::GitHook(_)) {
        git_hook::drop_leftover(&*env.fs, &task.path)?;
    }
    if !moves {
        return write::apply(env, &task.path, mode(task), edit);
    }
    let outcome = edit(None)?;
    if let EditOutcome::Write(text) = &outcome {
        git_hook::step_in(&*env.fs, &task.path, text)?;
    }
    Ok(Done { before: None, outcome, dirs: Vec::new() })
}

fn mode(task: &PlannedFile) -> u32 {
    match (task.file.content, task.scope) {
        (FileContent::GitHook(_), _) => 0o777,
        (FileContent::Hooks(..), Scope::User) => 0o600,
        _ => 0o666,
    }
}
