//! What to add to the settings of editors.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use skein_workspace::Workspace;

use super::Editor;

/// The languages of Helix 25.07 with the servers that it starts for them, and the extensions of their files.
///
/// Helix does not add a server to those of a language: a list in the settings replaces its own.
const HELIX_LANGUAGES: &[(&str, &str, &str)] = &[
    ("bash", "bash-language-server", "sh bash"),
    ("c", "clangd", "c h"),
    ("c-sharp", "roslyn-language-server omnisharp csharp-ls", "cs"),
    ("cpp", "clangd", "cpp cc cxx hpp"),
    ("css", "vscode-css-language-server", "css"),
    ("dart", "dart", "dart"),
    ("elixir", "elixir-ls expert", "ex exs"),
    ("go", "gopls golangci-lint-lsp", "go"),
    ("haskell", "haskell-language-server", "hs"),
    ("html", "vscode-html-language-server superhtml", "html htm"),
    ("java", "jdtls", "java"),
    ("javascript", "typescript-language-server", "js mjs cjs"),
    ("json", "vscode-json-language-server", "json"),
    ("jsx", "typescript-language-server", "jsx"),
    ("kotlin", "kotlin-language-server", "kt kts"),
    ("lua", "lua-language-server", "lua"),
    ("markdown", "marksman markdown-oxide rumdl", "md"),
    ("nix", "nil nixd", "nix"),
    ("ocaml", "ocamllsp", "ml"),
    ("perl", "perlnavigator", "pl pm"),
    ("php", "intelephense", "php"),
    ("python", "ty ruff jedi pylsp zuban", "py"),
    ("ruby", "ruby-lsp solargraph", "rb"),
    ("rust", "rust-analyzer", "rs"),
    ("scala", "metals", "scala"),
    ("sql", "", "sql"),
    ("svelte", "svelteserver", "svelte"),
    ("swift", "sourcekit-lsp", "swift"),
    ("toml", "taplo tombi", "toml"),
    ("tsx", "typescript-language-server", "tsx"),
    ("typescript", "typescript-language-server", "ts mts cts"),
    ("vue", "vuels", "vue"),
    ("yaml", "yaml-language-server ansible-language-server", "yml yaml"),
    ("zig", "zls", "zig"),
];

const NEOVIM: &str = r#"-- For init.lua of Neovim 0.11 or later.
vim.lsp.config('skein', {
  cmd = { 'skein', 'lsp' },
  root_markers = { '.code-review', '.git' },
  -- The files in which you write comments are outside of the repository, and need no server of their own.
  workspace_required = true,
  -- The text of each thread behind its line; without this, only a sign in the margin.
  on_init = function(client)
    vim.diagnostic.config({ virtual_text = true }, vim.lsp.diagnostic.get_namespace(client.id))
  end,
})
vim.lsp.enable('skein')

-- On the lines of a thread: :SkeinReply, :SkeinResolve, :SkeinReopen, :SkeinApply and :SkeinOpen.
-- :'<,'>SkeinComment, :'<,'>SkeinDraft, :SkeinSubmit, :SkeinNext, :SkeinWaiting and :SkeinList.
local function server()
  local client = vim.lsp.get_clients({ name = 'skein', bufnr = 0 })[1]
  if not client then vim.notify('skein: no server for this file', vim.log.levels.WARN) end
  return client
end
local function skein(name, ...)
  local client = server()
  if client then
    client:exec_cmd({ title = name, command = 'skein.' .. name, arguments = { ... } }, { bufnr = 0 })
  end
end
local function ask(prompt, send)
  vim.ui.input({ prompt = prompt }, function(text)
    if text and text ~= '' then send(text) end
  end)
end
-- Calls `use` with the file of the thread on the line of the cursor, which is unique also with several folders.
local function on_thread(use)
  local marks = vim.tbl_filter(function(mark)
    return mark.source == 'skein' and vim.tbl_get(mark, 'user_data', 'lsp', 'data') ~= nil
  end, vim.diagnostic.get(0, { lnum = vim.fn.line('.') - 1 }))
  local function chosen(mark)
    if mark then use(mark.user_data.lsp.data, mark.code) end
  end
  if #marks == 0 then return vim.notify('skein: no open thread begins on this line') end
  if #marks == 1 then return chosen(marks[1]) end
  vim.ui.select(marks, { prompt = 'Thread', format_item = function(mark) return mark.message end }, chosen)
end
local function of_thread(name)
  return function() on_thread(function(thread) skein(name, thread) end) end
end
local function on_lines(name)
  return function(range)
    local uri = vim.uri_from_bufnr(0)
    ask('Comment: ', function(text) skein(name, uri, range.line1, range.line2, text) end)
  end
end
local command = vim.api.nvim_create_user_command
command('SkeinReply', function()
  on_thread(function(thread, id)
    ask('Reply to ' .. id .. ': ', function(text) skein('reply', thread, text) end)
  end)
end, {})
command('SkeinResolve', of_thread('resolve'), {})
command('SkeinApply', of_thread('apply'), {})
command('SkeinOpen', of_thread('open'), {})
-- A resolved thread has no mark, but is in the menu of its lines.
command('SkeinReopen', function()
  vim.lsp.buf.code_action({ apply = true, filter = function(action)
    return vim.startswith(action.kind or '', 'quickfix.skein.reopen')
  end })
end, {})
command('SkeinComment', on_lines('comment'), { range = true })
command('SkeinDraft', on_lines('draft'), { range = true })
command('SkeinSubmit', function() skein('submit') end, {})
command('SkeinNext', function() skein('next', vim.uri_from_bufnr(0), vim.fn.line('.')) end, {})
command('SkeinWaiting', function() skein('waiting') end, {})
command('SkeinList', function()
  local client = server()
  if client then
    local namespace = vim.lsp.diagnostic.get_namespace(client.id)
    vim.diagnostic.setqflist({ namespace = namespace, title = 'Review threads' })
  end
end, {})
"#;

const KAKOUNE: &str = r#"# For kakrc, after kakoune-lsp.
hook global BufSetOption filetype=.+ %{
    set-option -add buffer lsp_servers %{
        [skein]
        command = "skein"
        args = ["lsp"]
        root_globs = [".code-review", ".git"]
    }
}
# `lsp-diagnostics` lists the threads with their ids, and this replies to one:
#   :lsp-execute-command skein.reply '["0c9e", "Done."]'
"#;

const EMACS: &str = r#";; For the init file of Emacs. With lsp-mode, beside the servers of each language:
(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '("skein" "lsp"))
                    :activation-fn (lambda (&rest _) t)
                    :add-on? t
                    :server-id 'skein)))

;; Eglot has one server for each buffer. This uses Skein in text and Markdown files only:
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((text-mode markdown-mode) . ("skein" "lsp"))))
"#;

/// Returns what to add to the settings of an editor.
pub(super) fn text(workspace: &Workspace, editor: Editor) -> String {
    match editor {
        Editor::Neovim => NEOVIM.to_owned(),
        Editor::Kakoune => KAKOUNE.to_owned(),
        Editor::Emacs => EMACS.to_owned(),
        Editor::Helix => helix(workspace),
    }
}

fn helix(workspace: &Workspace) -> String {
    let mut text = "\
# For ~/.config/helix/languages.toml, or .helix/languages.toml in the repository.
# A list of servers replaces the one of Helix, so each has those of Helix 25.07, and skein.
# `hx --health LANGUAGE` names the servers of your version.
[language-server.skein]
command = \"skein\"
args = [\"lsp\"]
"
    .to_owned();
    let found = extensions(workspace);
    for (language, servers, names) in HELIX_LANGUAGES {
        if !found.is_empty() && !names.split(' ').any(|name| found.contains(name)) {
            continue;
        }
        let servers = servers.split(' ').filter(|name| !name.is_empty()).chain(["skein"]);
        let servers: Vec<String> = servers.map(|name| format!("\"{name}\"")).collect();
        let servers = servers.join(", ");
        let _infallible =
            write!(text, "\n[[language]]\nname = \"{language}\"\nlanguage-servers = [{servers}]\n");
    }
    text
}

/// Returns the extensions of the files of the repository; none outside of one.
fn extensions(workspace: &Workspace) -> BTreeSet<String> {
    let files = workspace.repo().and_then(|repo| repo.files(&workspace.own_paths()).ok());
    let extension = |file: &String| Some(Path::new(file).extension()?.to_str()?.to_owned());
    files.unwrap_or_default().iter().filter_map(extension).collect()
}
