// Errors as messages to the user.
import * as vscode from "vscode";
import { SkeinError } from "./cli";

export function messageOf(error: unknown): string {
  if (error instanceof SkeinError) {
    return error.text;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Shows an error without waiting for an answer. */
export function showError(error: unknown): void {
  void vscode.window.showErrorMessage(`Skein: ${messageOf(error)}`);
}

/** Shows an error about a text that could not be stored, and offers to copy the text. */
export function showTextError(error: unknown, text: string): void {
  const copy = "Copy Text";
  void vscode.window.showErrorMessage(`Skein: ${messageOf(error)}`, copy).then((answer) => {
    if (answer === copy) {
      void vscode.env.clipboard.writeText(text);
    }
  });
}
