//! Which threads a command is about.

use clap::Args;
use skein_model::{Filter, Kind};

use crate::commands::Context;
use crate::commands::list::filter;
use crate::error::CliError;

/// The filters of commands on review threads.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NarrowArgs {
    /// Narrows to key:value, as in `file:src` or `since:2w`.
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    /// On this file, or below this directory.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
}

impl NarrowArgs {
    pub(crate) fn filter(&self, context: &Context<'_>) -> Result<Filter, CliError> {
        filter(context, &self.words, &[("file", &self.file)], Some(Kind::Review))
    }
}
