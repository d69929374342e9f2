// A file with threads in every state, to be looked at.
import { source } from "./files.mjs";

export const FILE = "src/gallery.rs";
export const files = { [FILE]: source("gallery", 60) };

export async function addThreads(workspace) {
  const add = async (write, line, ...args) => {
    const { threads } = JSON.parse(await write.call(workspace, "review", "add", `${FILE}:${line}`, ...args, "--json"));
    return threads[0].id;
  };
  await add(workspace.agent, "3-4", "-m", "Both lines compute the same. **Which one** is used?\n\n- `gallery_3`\n- `gallery_4`");
  const proposed = await add(workspace.skein, 8, "-m", "Please give this a better name.");
  await workspace.agent("review", "resolve", proposed, "-m", "Done, it is `total` now.");
  await add(workspace.agent, 12, "-m", "This can be simpler.", "--suggest", "let gallery_12 = 12;");
  await add(workspace.skein, 16, "-m", "Why is this not a constant?");
  await add(workspace.skein, 20, "--draft", "-m", "A draft that the agent does not see yet.");
  workspace.edit(FILE, (text) => text.replace('compute("gallery", 16)', 'compute("gallery", 16 + offset)'));
}
