// Whether the extension Local Code Review is installed too. It writes the same files without regard to other programs.
import * as vscode from "vscode";

const ORIGINAL = "prateek.local-code-review";
const DECISION = "useWithLocalCodeReview";
const SHOW = "Show It, to Disable It";
const USE_BOTH = "Use Both";

export class Both {
  constructor(private readonly memory: vscode.Memento) {}

  isOriginalActive(): boolean {
    return vscode.extensions.getExtension(ORIGINAL) !== undefined;
  }

  /** Whether this extension may show threads: the other one is not there, or the user wants both. */
  isAllowed(): boolean {
    return !this.isOriginalActive() || this.memory.get<boolean>(DECISION) === true;
  }

  /** Asks the user. Returns whether both are wanted. */
  async ask(): Promise<boolean> {
    const message =
      "The extension Local Code Review is active too. It shows the same threads and can overwrite what Skein and agents write. Skein shows nothing until you decide.";
    const answer = await vscode.window.showWarningMessage(message, SHOW, USE_BOTH);
    if (answer === SHOW) {
      await vscode.commands.executeCommand("extension.open", ORIGINAL);
    }
    if (answer === USE_BOTH) {
      await this.memory.update(DECISION, true);
    }
    return answer === USE_BOTH;
  }
}
