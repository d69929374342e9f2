// What a test may repeat: the start of VS Code, which is another program and does not always start.

// VS Code did not start: code-server did not, the workbench did not load, or a window shows no folders.
export class StartError extends Error {}

// Starts something of VS Code, and once more if that fails. Says so, because each repeat hides a failure.
export async function startAgain(title, start) {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.log(`REPEATED: the start of VS Code for "${title}": ${error.message}`);
    return start();
  }
}
