// Connects the parts of the extension.
import * as vscode from "vscode";
import type { Log } from "./cli";
import { showError } from "./messages";
import { OldText } from "./old_text";
import { Both } from "./original/both";
import { OriginalCommands } from "./original/commands";
import { type Exports, makeExports } from "./original/exports";
import { offerStoragePath } from "./original/storage_path";
import { Page } from "./page";
import { ReviewCommands } from "./review_commands";
import { Roots } from "./roots";
import { Setup } from "./setup";
import { Suggestions } from "./threads/apply";
import { ThreadCommands } from "./threads/commands";
import { ThreadController } from "./threads/controller";
import { Navigation } from "./threads/navigation";
import { NewComments } from "./threads/new_comment";
import { CommentingRanges } from "./threads/ranges";
import { SuggestionWriter } from "./threads/suggest";
import { Views, ViewUpdater } from "./views/views";
import { WorkCommands } from "./work_commands";

export function activate(context: vscode.ExtensionContext): Exports {
  const output = vscode.window.createOutputChannel("Skein", { log: true });
  const log: Log = (line) => output.info(line);
  const views = new Views();
  const both = new Both(context.globalState);
  const setup = new Setup(context.extensionUri, both, log);
  let running: vscode.Disposable[] = [];
  let roots: Roots | undefined;
  const stop = () => {
    for (const part of running.reverse()) {
      part.dispose();
    }
    running = [];
    roots = undefined;
  };
  context.subscriptions.push(
    output,
    views,
    setup,
    { dispose: stop },
    setup.onDidFind((program) => {
      stop();
      if (program !== undefined) {
        roots = new Roots(program, log);
        running = run(roots, views, both, context.workspaceState, log);
      }
    }),
  );
  // Nothing is awaited here, so that the start of the window does not wait for other programs.
  void setup.start();
  return makeExports(() => roots);
}

/** Starts everything that needs the program. */
function run(roots: Roots, views: Views, both: Both, memory: vscode.Memento, log: Log): vscode.Disposable[] {
  const controller = vscode.comments.createCommentController("skein", "Skein");
  controller.options = { prompt: "Reply", placeHolder: "Markdown; a suggestion block proposes a change" };
  const threads = new ThreadController(controller, roots, log);
  const ranges = new CommentingRanges(controller, roots);
  const oldText = new OldText(roots, threads);
  const suggestions = new Suggestions(roots, threads);
  const suggestionWriter = new SuggestionWriter(roots, threads);
  const boxes = new NewComments(roots, threads);
  const commands = new ThreadCommands(roots, threads, boxes, oldText);
  const original = new OriginalCommands(roots, threads, commands, boxes);
  const updater = new ViewUpdater(views, roots, log);
  const reviewCommands = new ReviewCommands(roots, threads, () => updater.refreshAll());
  const errors = roots.onError(showError);
  void roots.update().then(() => offerStoragePath(roots, memory));
  return [
    roots,
    controller,
    threads,
    boxes,
    ranges,
    errors,
    oldText,
    suggestions,
    suggestionWriter,
    updater,
    new Page(roots, log),
    new Navigation(roots, threads, commands),
    ...commands.register(),
    ...reviewCommands.register(),
    ...original.register(),
    ...(both.isOriginalActive() ? [] : original.registerAliases()),
    ...new WorkCommands(roots).register(),
  ];
}
