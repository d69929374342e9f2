// Measures how soon pages are painted and loaded, in workspaces that are already served.
//
//   node measure_paint.mjs ADDRESS COOKIE ROOT ADDRESS COOKIE    prints {"paints": [MS…], "rows": [MS…], "peerPaints": [MS…], "peerRows": [MS…], "few": [MS…], "many": [MS…]}
//
// The page of changes of the first server is loaded in turns with that of difit, if its path is in `DIFIT`; then the lists of threads of both
// servers, in turns. Times are from the start of the navigation. Exits with 3 if there is no browser.
import { lists, paints } from "./lib/paint.mjs";

const [address, cookie, root, manyAddress, manyCookie] = process.argv.slice(2);
const { Browser } = await import("./lib/browser.mjs").catch(() => process.exit(3));

const browser = await Browser.launch().catch(() => process.exit(3));
try {
  const few = await browser.windowOf(address, cookie);
  const many = await browser.windowOf(manyAddress, manyCookie);
  const painted = await paints(few, browser.chromium, root);
  console.log(JSON.stringify({ ...painted, ...(await lists(few, many)) }));
} finally {
  await browser.close();
}
