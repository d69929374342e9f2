mod editor_config;

use clap::{Args, ValueEnum};

use super::context::CliContext;
use crate::error::{CliError, CliResult};
use crate::servers::LspRequest;

/// Shows review threads in an editor, by the Language Server Protocol.
///
/// An editor starts it and talks to it on stdin and stdout; it ends with the editor. `docs/lsp.md` describes what it shows.
#[derive(Args, Debug)]
pub(crate) struct LspArgs {
    /// Prints what to add to the settings of an editor.
    #[arg(long, value_name = "EDITOR")]
    print_config: Option<Editor>,
}

/// An editor whose settings are known.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Editor {
    Neovim,
    Helix,
    Kakoune,
    Emacs,
}

pub(crate) fn run_lsp(context: &mut CliContext<'_>, args: &LspArgs) -> CliResult {
    if let Some(editor) = args.print_config {
        let text = editor_config::text(&context.workspace, editor);
        return context.output.line(text.trim_end());
    }
    if context.machine.stdin_is_terminal {
        return Err(CliError::new(
            "this command is started by an editor, which talks to it on stdin",
            "`skein lsp --print-config neovim` prints what to add to the settings; also `helix`, `kakoune` and `emacs`",
        ));
    }
    let is_proper = (context.servers.lsp)(LspRequest { env: context.workspace.env.clone() })?;
    if !is_proper {
        context.exit_code = crate::EXIT_NEGATIVE;
    }
    Ok(())
}
