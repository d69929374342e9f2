//! Filters of commands on review threads.

use clap::Args;
use skein_model::{Filter, Kind};

use super::CliContext;
use crate::commands::filter_args::filter;
use crate::error::CliResult;

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ReviewFilterArgs {
    /// A filter key:value, as in `file:src` or `since:2w`.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    /// Threads on this file, or below this directory.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
}

impl ReviewFilterArgs {
    pub(crate) fn filter(&self, context: &CliContext<'_>) -> CliResult<Filter> {
        filter(context, &self.words, &[("file", &self.file)], Some(Kind::Review), false)
    }
}
