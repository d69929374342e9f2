//! The advice for errors of a brief.

use skein_model::FailureKind::{NotFound, Unusable};
use skein_model::{Advice, Retype, UserError};
use skein_workspace::advice::DOCTOR;

use crate::BriefError;

impl UserError for BriefError {
    fn advice(&self, retype: Retype<'_>) -> Advice {
        const TIMELINE: &str = "the timeline shows every checkpoint";
        match self {
            Self::Find(error) => error.advice(retype).page(TIMELINE),
            Self::Nothing { .. } => NotFound
                .hint("`skein checkpoint save -m SUMMARY` writes the first one")
                .page(TIMELINE),
            Self::AllDone { last } => NotFound
                .hint(format!(
                    "`skein resume {last}` still shows the last checkpoint; `skein list checkpoint` lists all"
                ))
                .page(TIMELINE),
            Self::Unusable { .. } => Unusable.hint(DOCTOR),
            Self::Read(_) => Unusable.plain().page(DOCTOR),
        }
    }
}
