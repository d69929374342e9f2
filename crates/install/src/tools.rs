use std::path::PathBuf;

use super::agent::Scope;
use super::program::HookProgram;

/// What the machine has, as the binary found out.
pub struct DetectedPrograms<'a> {
    /// Says whether a program is on the search path.
    pub has: &'a dyn Fn(&str) -> bool,
    /// The file of the running program.
    pub program: Option<PathBuf>,
}

impl std::fmt::Debug for DetectedPrograms<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DetectedPrograms").field("program", &self.program).finish_non_exhaustive()
    }
}

impl DetectedPrograms<'_> {
    /// Returns how hooks call Skein.
    ///
    /// What is committed serves other machines, where the file of this one means nothing.
    pub(super) fn program(&self, scope: Scope) -> HookProgram {
        match &self.program {
            Some(path) if scope != Scope::Project && !self.is_on_path() => {
                HookProgram::At(path.clone())
            }
            _ => HookProgram::OnPath,
        }
    }

    pub(super) fn is_on_path(&self) -> bool {
        (self.has)("skein")
    }
}
