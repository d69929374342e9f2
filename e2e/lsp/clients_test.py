"""The server with the capabilities of several editors, as pytest-lsp has recorded them."""

import os
import pathlib
import subprocess

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities, make_test_lsp_client

CODE = "fn main() {\n    one();\n    two();\n}\n"
EDITORS = ["emacs", "neovim", "visual_studio_code"]


def run(directory, *args, **env):
    variables = {**os.environ, "HOME": str(directory / "home"), "SKEIN_AUTHOR": "Mira", **env}
    subprocess.run(args, cwd=directory / "work", env=variables, check=True, capture_output=True)


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "home").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.rs").write_text(CODE)
    run(tmp_path, "git", "init", "--quiet")
    run(tmp_path, "git", "-c", "user.name=Mira", "-c", "user.email=mira@example.org", "commit", "--quiet", "--allow-empty", "-m", "start")
    run(tmp_path, os.environ["SKEIN_BIN"], "review", "add", "a.rs:2", "-m", "Why?")
    return tmp_path


async def start(editor, directory):
    env = {**os.environ, "HOME": str(directory / "home"), "SKEIN_AUTHOR": "Mira"}
    client = make_test_lsp_client()
    await client.start_io(os.environ["SKEIN_BIN"], "lsp", env=env)
    folder = types.WorkspaceFolder(uri=(directory / "work").as_uri(), name="work")
    params = types.InitializeParams(
        capabilities=client_capabilities(editor),
        client_info=types.ClientInfo(name=editor),
        workspace_folders=[folder],
    )
    result = await client.initialize_session(params)
    return client, result


@pytest.mark.asyncio
@pytest.mark.parametrize("editor", EDITORS)
async def test_an_editor_shows_and_resolves_a_thread(editor, directory):
    client, result = await start(editor, directory)
    offered = client_capabilities(editor).general.position_encodings or []
    expected = "utf-8" if "utf-8" in offered else "utf-16"
    assert result.capabilities.position_encoding == expected
    uri = (directory / "work" / "a.rs").as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="rust", version=1, text=CODE)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    while not client.diagnostics.get(uri):
        await client.wait_for_notification("textDocument/publishDiagnostics")
    [mark] = client.diagnostics[uri]
    assert (mark.range.start.line, mark.message) == (1, "Mira: Why? (waits on an agent)")
    document = types.TextDocumentIdentifier(uri=uri)
    at = types.Position(line=1, character=4)
    hover = await client.text_document_hover_async(types.HoverParams(text_document=document, position=at))
    assert "Why?" in hover.contents.value
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document,
            range=types.Range(start=at, end=at),
            context=types.CodeActionContext(diagnostics=[mark]),
        )
    )
    assert [action.title.split()[0] for action in actions] == ["Reply", "Resolve", "Open", "Comment", "Draft"]
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(text_document=document))
    [_, _, resolve] = [lens.command for lens in lenses]
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command=resolve.command, arguments=resolve.arguments)
    )
    while client.diagnostics.get(uri):
        await client.wait_for_notification("textDocument/publishDiagnostics")
    threads = pathlib.Path(directory, "work", ".code-review", "threads")
    [thread] = threads.glob("*.md")
    assert '"status": "resolved"' in thread.read_text()
    await client.shutdown_session()
    await client.stop()
