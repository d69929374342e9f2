//! Installs Skein for an agent.

use std::collections::BTreeMap;
use std::path::PathBuf;

use skein_git::{Repo, RepoDirs};
use skein_store::Revision;
use skein_workspace::{Env, Workspace, trust};

use super::agent::{AGENTS, Agent, FileContent, HookFormat, Scope, SettingsPart};
use super::error::{InstallError, InstallResult};
use super::install_log::LogEntry;
use super::lookup::agent;
use super::program::{DetectedPrograms, HookProgram};
use super::report::InstallReport;
use super::task::{PlannedFile, tasks};
use super::write::{Done, EditOutcome, EditSettings};
use super::{git_hook, ignore, install_log, json_hooks, moves, store, write};

/// Options of an installation.
#[derive(Clone, Copy, Debug)]
pub struct InstallOptions {
    /// The scope; by default the first one of the agent.
    pub scope: Option<Scope>,
    /// Whether to report the changes without writing them.
    pub dry_run: bool,
    /// Whether the user agreed to changes that may affect others.
    pub consent: bool,
}

/// An installation that is in progress.
struct InstallRun<'a> {
    workspace: &'a Workspace,
    agent: &'static Agent,
    scope: Scope,
    program: HookProgram,
    tasks: Vec<PlannedFile>,
    /// The lines in `.git/info/exclude`, by file.
    ignored: BTreeMap<PathBuf, String>,
    report: InstallReport,
}

/// Installs Skein for an agent in this worktree, or updates an older installation.
///
/// Every file is parsed before the first one is written.
pub(super) fn install_here(
    workspace: &Workspace,
    tools: &DetectedPrograms<'_>,
    name: &str,
    options: &InstallOptions,
) -> InstallResult<InstallReport> {
    let agent = agent(name).ok_or_else(|| InstallError::UnknownAgent { name: name.to_owned() })?;
    let scope = options.scope.or(agent.scopes.first().copied()).unwrap_or(Scope::Local);
    let tasks = tasks(workspace, agent, scope)?;
    let program = tools.program_for(agent, scope);
    for task in &tasks {
        check(workspace, task, options)?;
        write::plan(&task.path, &task.edit(&program))?;
    }
    let ignored = match scope {
        Scope::Local => ignore::lines(workspace, &tasks, &program)?,
        _ => BTreeMap::new(),
    };
    let report = InstallReport::new(options.dry_run);
    let mut run = InstallRun { workspace, agent, scope, program, tasks, ignored, report };
    run.write_all()?;
    run.note_program(tools.is_on_path());
    run.note_comments()?;
    run.note_others();
    if AGENTS.iter().any(|with_hooks| with_hooks.name == agent.name) {
        run.accept()?;
        run.prepare_store()?;
    }
    if !options.dry_run {
        moves::note_location(workspace);
    }
    if run.report.changes_anything() {
        run.report.notes.extend(agent.hint.map(str::to_owned));
    }
    Ok(run.report)
}

fn check(workspace: &Workspace, task: &PlannedFile, options: &InstallOptions) -> InstallResult {
    task.check_links(workspace)?;
    if matches!(task.file.content, FileContent::GitHook(_)) {
        git_hook::check_dir(workspace, &task.path, options.consent || options.dry_run)?;
        git_hook::must_rename(&task.path, write::read(&task.path)?.as_deref())?;
    }
    if task.scope != Scope::Local || !matches!(task.file.content, FileContent::Settings(_)) {
        return Ok(());
    }
    let repo = workspace.git.as_ref().and_then(Repo::new);
    let Some((repo, below)) = repo.zip(task.in_top(workspace)) else { return Ok(()) };
    match repo.is_tracked(&below)? {
        true => Err(InstallError::Tracked {
            path: task.path.clone(),
            has_user_scope: task.agent.scopes.contains(&Scope::User),
        }),
        false => Ok(()),
    }
}

impl InstallRun<'_> {
    /// Writes every file. How to undo each edit is recorded first, so that `uninstall` can undo all of them.
    fn write_all(&mut self) -> InstallResult {
        let earlier: Vec<Option<LogEntry>> = self
            .tasks
            .iter()
            .map(|task| install_log::entry(&self.workspace.env, task.agent.name, &task.path))
            .collect();
        if !self.report.dry_run {
            for (task, earlier) in self.tasks.iter().zip(&earlier) {
                self.record(task, earlier.clone(), &plan(task, &self.program)?.0)?;
            }
        }
        if let Some(git) = self.workspace.git.as_ref() {
            self.update_ignored(git)?;
        }
        for (task, earlier) in self.tasks.iter().zip(earlier) {
            match write_file(&self.workspace.env, task, &self.program, &mut self.report) {
                Ok(_) if self.report.dry_run => {}
                Ok(done) => {
                    self.record(task, earlier, &done)?;
                    self.share(task, &done)?;
                }
                Err(error) => {
                    if let Some(entry) = earlier {
                        install_log::record(&self.workspace.env, &entry)?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Records how to undo the edit of a file; replaces an earlier record.
    fn record(&self, task: &PlannedFile, earlier: Option<LogEntry>, done: &Done) -> InstallResult {
        let is_as_left =
            |bytes: &Vec<u8>| earlier.as_ref().is_some_and(|entry| entry.is_as_left(bytes));
        let created = match &done.before {
            None => true,
            // A file that others have changed since counts as theirs.
            Some(before) => {
                earlier.as_ref().is_some_and(|entry| entry.created) && is_as_left(before)
            }
        };
        let is_theirs =
            done.outcome == EditOutcome::Same && !done.before.as_ref().is_some_and(is_as_left);
        let after = match (&done.outcome, &done.before) {
            (EditOutcome::Write(after), _) => after,
            // The scope may have changed.
            (EditOutcome::Same, Some(before)) if earlier.is_some() => before,
            _ => return Ok(()),
        };
        // Another agent may have an entry for the file.
        let mut entries = install_log::entries_of(&self.workspace.env, &task.path);
        entries.retain(|other| other.agent != task.agent.name);
        entries.extend(earlier.clone());
        let original = done.before.as_deref().and_then(|before| original(&entries, before));
        let mut entry = earlier.unwrap_or_else(|| LogEntry::new(task.agent.name, &task.path));
        entry.created = created;
        entry.scope = task.scope;
        let workspace = Some(self.workspace).filter(|_| task.scope != Scope::User);
        entry.root = workspace.map(Workspace::top);
        entry.common_dir = workspace.and_then(|it| Some(it.git.as_ref()?.common_dir.clone()));
        entry.add_dirs(&done.dirs);
        if !is_theirs {
            entry.revision = Revision::from_bytes(after).to_string();
            entries.retain(|other| other.agent != task.agent.name);
            entries.push(entry.clone());
            entry.undo =
                original.and_then(|original| install_log::undo(&entries, &original, after));
        }
        entry.ignored = match task.scope {
            Scope::Local => self.ignored.get(&task.path).cloned().or(entry.ignored),
            _ => None,
        };
        Ok(install_log::record(&self.workspace.env, &entry)?)
    }

    /// Records how the original of the file is restored in the entries of other agents too.
    fn share(&self, task: &PlannedFile, done: &Done) -> InstallResult {
        let env = &self.workspace.env;
        let of = (task.agent.name, task.path.as_path());
        if let (EditOutcome::Write(_), Some(entry)) =
            (&done.outcome, install_log::entry(env, of.0, of.1))
        {
            install_log::share(env, of, (&entry.revision, entry.undo.as_ref()))?;
        }
        Ok(())
    }

    /// Makes git see the files of a project installation, and ignore those of a local one.
    fn update_ignored(&mut self, git: &RepoDirs) -> InstallResult {
        let dry_run = self.report.dry_run;
        let is_new = |line: &&String| !ignore::has(git, line);
        let hidden: Vec<String> = self.ignored.values().filter(is_new).cloned().collect();
        if !hidden.is_empty() && (dry_run || ignore::hide(&self.workspace.env, git, &hidden)?) {
            let verb = if dry_run { "would ignore" } else { "ignores" };
            self.report.note_ignored(format!("Git {verb} these files here (in .git/info/exclude)"));
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
            ignore::show(&self.workspace.env, git, &lines)?;
        }
        let verb = if dry_run { "would see" } else { "sees" };
        self.report.note_ignored(format!("Git {verb} these files: {}", shown.join(", ")));
        Ok(())
    }

    fn note_program(&mut self, is_on_path: bool) {
        let note = match &self.program {
            HookProgram::At(_) if self.agent.is_server() => return,
            HookProgram::At(path) => {
                let path = path.display();
                format!("`skein` is not on the search path, so hooks call {path}")
            }
            HookProgram::OnPath if !is_on_path && self.agent.is_server() => {
                "`skein` is not on the search path; the server does not start until it is"
                    .to_owned()
            }
            HookProgram::OnPath if !is_on_path => {
                "`skein` is not on the search path; hooks do nothing until it is".to_owned()
            }
            HookProgram::OnPath => return,
        };
        self.report.notes.push(note);
    }

    fn note_comments(&mut self) -> InstallResult {
        let is_json = |task: &&PlannedFile| {
            let FileContent::Settings(SettingsPart::Hooks(format, _)) = task.file.content else {
                return false;
            };
            format != HookFormat::Toml && self.agent.name != "gemini-cli"
        };
        for task in self.tasks.iter().filter(is_json) {
            if write::read(&task.path)?.is_some_and(|bytes| !json_hooks::is_strict(&bytes)) {
                let (title, path) = (self.agent.title, task.path.display());
                self.report.notes.push(format!(
                    "{title} cannot read a settings file with comments or trailing commas: {path}"
                ));
            }
        }
        Ok(())
    }

    /// Adds notes about installations for other scopes, because agents may run the hooks of all scopes.
    fn note_others(&mut self) {
        let title = self.agent.title;
        for scope in self.agent.scopes.iter().copied().filter(|scope| *scope != self.scope) {
            let others = tasks(self.workspace, self.agent, scope).unwrap_or_default();
            let is_own = |task: &&PlannedFile| !self.tasks.iter().any(|own| own.path == task.path);
            let is_there =
                |task: &&PlannedFile| task.has_ours() && task.belongs_to_scope(self.workspace);
            if let Some(other) = others.iter().filter(is_own).find(is_there) {
                self.report.notes.push(format!(
                    "Skein is installed for {title} in {} too, and both may run; remove it with `skein uninstall {} --{}`",
                    other.path.display(),
                    self.agent.name,
                    scope.name()
                ));
            }
        }
        self.note_mixed_files();
    }

    /// Adds notes about files with a part for this checkout only and a part for everyone.
    fn note_mixed_files(&mut self) {
        let env = &self.workspace.env;
        let description = |scope| match scope {
            Scope::Local => "what is for this checkout only",
            _ => "what is installed for everyone",
        };
        for task in self.tasks.iter().filter(|task| task.scope != Scope::User) {
            let others = install_log::entries_of(env, &task.path).into_iter();
            let mut others = others.filter(|other| other.agent != task.agent.name);
            let Some(other) = others.find(|other| other.scope != task.scope) else { continue };
            self.report.notes.push(format!(
                "{} has {} (`{}`) and {}: git commits both or neither",
                task.path.display(),
                description(other.scope),
                other.agent,
                description(task.scope),
            ));
        }
    }

    /// Trusts the workspace: by installing hooks, the user allows them to pass its threads to agents.
    fn accept(&mut self) -> InstallResult {
        if self.report.dry_run {
            let roots = trust::roots(self.workspace).into_iter();
            for root in roots.filter(|root| !trust::is_accepted(&self.workspace.env, root)) {
                let note = format!("Hooks could pass threads of {} to agents", root.display());
                self.report.notes.push(note);
            }
            return Ok(());
        }
        for root in trust::roots(self.workspace) {
            if trust::accept(&self.workspace.env, &root)? {
                let (root, name) = (root.display(), self.agent.name);
                let flag = if self.scope == Scope::User { " --user" } else { "" };
                self.report.notes.push(format!(
                    "Hooks may pass threads of {root} to agents; `skein uninstall {name}{flag}` undoes that"
                ));
            }
        }
        Ok(())
    }

    /// Creates the store of checkpoints, unless the installation is for every directory.
    fn prepare_store(&mut self) -> InstallResult {
        let dir = self.workspace.checkpoints.threads();
        if dir.is_dir() {
            return Ok(());
        }
        let notes = match self.scope {
            Scope::Local | Scope::Project if self.report.dry_run => {
                vec![format!("Would create the store of checkpoints: {}", dir.display())]
            }
            Scope::User => vec![
                "Hooks save checkpoints where there is a store; `skein init` creates one in a repository"
                    .to_owned(),
            ],
            Scope::Local | Scope::Project => store::prepare(self.workspace)?,
        };
        self.report.notes.extend(notes);
        Ok(())
    }
}

fn write_file(
    env: &Env,
    task: &PlannedFile,
    program: &HookProgram,
    report: &mut InstallReport,
) -> InstallResult<Done> {
    let (planned, renames) = plan(task, program)?;
    if renames {
        report.rename(task, &task.path, &git_hook::renamed_path(&task.path));
    }
    let done =
        if report.dry_run { planned } else { apply(env, task, renames, &task.edit(program))? };
    report.add(task, &done);
    Ok(done)
}

/// Returns the planned change of a file, and whether an existing file must be renamed.
fn plan(task: &PlannedFile, program: &HookProgram) -> InstallResult<(Done, bool)> {
    let edit = task.edit(program);
    let renames = matches!(task.file.content, FileContent::GitHook(_))
        && git_hook::must_rename(&task.path, write::read(&task.path)?.as_deref())?;
    let done = match renames {
        true => Done { before: None, outcome: edit(None)?, dirs: Vec::new() },
        false => write::plan(&task.path, &edit)?,
    };
    Ok((done, renames))
}

fn apply(
    env: &Env,
    task: &PlannedFile,
    renames: bool,
    edit: EditSettings<'_>,
) -> InstallResult<Done> {
    if matches!(task.file.content, FileContent::GitHook(_)) {
        git_hook::remove_leftover(&*env.fs, &task.path)?;
    }
    if !renames {
        return write::apply(env, &task.path, mode(task), edit);
    }
    let outcome = edit(None)?;
    if let EditOutcome::Write(text) = &outcome {
        git_hook::replace_hook(&*env.fs, &task.path, text)?;
    }
    Ok(Done { before: None, outcome, dirs: Vec::new() })
}

fn mode(task: &PlannedFile) -> u32 {
    match (task.file.content, task.scope) {
        (FileContent::GitHook(_), _) => 0o777,
        (FileContent::Settings(_), Scope::User) => 0o600,
        _ => 0o666,
    }
}

/// Returns the content of a file before the first change by Skein; none if Skein created the file.
fn original(entries: &[LogEntry], before: &[u8]) -> Option<Vec<u8>> {
    let is_own = |entry: &&LogEntry| entry.created && entry.is_as_left(before);
    if entries.iter().any(|entry| is_own(&entry)) {
        return None;
    }
    install_log::original(entries, before).or_else(|| install_log::without(entries, before))
}
