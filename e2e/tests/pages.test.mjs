// Every page in both themes, narrow and wide: nothing sticks out, and nobody is kept out.
import assert from "node:assert/strict";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { SCREENSHOTS } from "../lib/browser.mjs";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [360, 1360];
const FILE = "src/cache.rs";

// The demo with something of every state: code that was edited, moved and deleted under its thread, drafts, a renamed file.
async function rich() {
  const workspace = await Workspace.demo();
  await workspace.agent("review", "add", `${FILE}:25`, "-m", "A comment on a line that will go.");
  workspace.edit(FILE, (text) => text.replace(/^.*\/\/\/ Removes the oldest.*\n/m, "").replace("if let Some(key) = oldest {", "while let Some(key) = oldest {"));
  await workspace.skein("review", "add", `${FILE}:10`, "--draft", "-m", "A draft, with `code`, and a long_name_that_has_no_place_to_break_whatever_the_width_of_the_page_may_be_in_the_end.");
  workspace.write("docs/a/rather/long/path/that/goes/on/and/on/notes-on-the-eviction-of-entries.md", "# Notes\n\nSome **notes**.\n");
  await workspace.agent("review", "resolve", "7f3a", "-m", "Done.");
  await workspace.agent("review", "next", "--claim");
  workspace.write("image.bin", "\0\x01\x02");
  await workspace.git("mv", "src/main.rs", "src/lantern.rs");
  return workspace;
}

const click = (selector) => async (desk) => desk.page.locator(selector).first().click();

// Leads from the timeline to a checkpoint.
async function follow(desk, title) {
  await desk.page.locator(".timeline-entry", { hasText: title }).locator("a").click();
  await desk.page.locator("article.checkpoint-text").waitFor();
}

// Each page.
const PAGES = [
  ["changes", "/"],
  ["split", "/", { layout: "split" }],
  ["file", `/file/${FILE}`],
  ["threads", "/threads?status=all"],
  ["thread", "/thread/b21d90ee-5f4a-4f0b-8c0e-6b0d9f7a2002"],
  ["overview", "/overview", { by: async (desk) => desk.page.locator("#doctor:not([data-checking])").waitFor() }],
  ["workspaces", "/workspaces"],
  ["search", "/search?q=limit"],
  ["search-empty", "/search"],
  ["search-wrong", "/search?q=limit+stauts%3Aopen+x"],
  ["error", "/file/nothing.rs"],
  ["nothing", "/?base=HEAD..HEAD"],
  ["no-base", "/?base=nowhere"],
  // What opens on a page: only that is looked at, since the page was looked at already.
  ["menu", "/?base=nowhere", { opens: ".menu", by: click("details.menu > summary") }],
  ["help", "/threads", { opens: "dialog", by: async (desk) => desk.page.keyboard.press("?") }],
  ["seek", "/threads", {
    opens: "dialog",
    by: async (desk) => {
      await desk.page.keyboard.press("/");
      await desk.page.keyboard.type("limit");
      await desk.page.locator("dialog .hit").first().waitFor();
    },
  }],
  ["apply", "/thread/0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003", { opens: "dialog", by: click("[data-act=apply]") }],
  ["composer", `/file/${FILE}`, {
    opens: ".composer",
    by: async (desk) => {
      await desk.drag(FILE, 11, 12);
      await desk.page.keyboard.type("Some text.");
      await desk.button("Suggest a change").click();
    },
  }],
  ["reply", "/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001", {
    opens: ".composer",
    by: async (desk) => {
      await desk.button("Reply…").click();
      await desk.page.keyboard.type("A reply.");
    },
  }],
  ["toast", "/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001", { opens: "#toasts", by: click("[data-act=prompt]") }],
  ["work", "/work"],
  ["work-nothing", "/work?tag=none"],
  ["steps", "/work/steps?show=all"],
  ["handoff", "/work/new?kind=handoff"],
  ["checkpoint", "/work/new?kind=checkpoint", { by: click("details.more > summary") }],
  ["cleanup", "/work/cleanup?archive=1"],
  ["one", "/work", { by: async (desk) => follow(desk, "Load test of the HTTP face") }],
  ["sessions", "/sessions"],
  ["set-status", "/sessions", { opens: ".menu[open]", by: click(".session details.menu > summary") }],
];

// What keeps somebody out, each kind once for a page.
const grave = (results) =>
  results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) => `${impact} ${id} (${nodes.length}): ${nodes[0].target.join(" ")}: ${nodes[0].any[0]?.message ?? nodes[0].html}`);

// What is wider than the window, and what could be clicked if it were not cut off.
const stickOut = (page) =>
  page.evaluate(() => {
    const { scrollWidth } = document.documentElement;
    const beyond = (one) => one.checkVisibility() && one.getBoundingClientRect().right > window.innerWidth + 1;
    const names = (selector) => [...document.body.querySelectorAll(selector)].filter(beyond).map((one) => `${one.localName}.${one.className}`);
    const wide = scrollWidth > window.innerWidth ? [`${scrollWidth} px wide: ${names("*").slice(0, 3)}`] : [];
    return [...wide, ...names("a, button, input, textarea, summary").map((name) => `cut off: ${name}`)];
  });

async function look(desk, where, opens, rules) {
  await desk.page.screenshot({ path: `${SCREENSHOTS}${where}.png`, fullPage: !opens });
  const only = { resultTypes: ["violations"], ...rules };
  const results = await desk.page.evaluate(([root, how]) => window.axe.run(root, how), [opens ?? "html", only]);
  return [...(await stickOut(desk.page)), ...grave(results)].map((one) => `${where}: ${one}`);
}

// All of them in one go would take too long on a slow machine.
const HALF = Math.ceil(PAGES.length / 2);
const parts = WIDTHS.flatMap((width) => [PAGES.slice(0, HALF), PAGES.slice(HALF)].map((pages) => [width, pages]));

for (const [width, pages] of parts) {
  const options = { make: rich, path: null, window: { viewport: { width, height: 900 } } };
  scene(`every page from ${pages[0][0]} on is sound and fits in ${width} px`, options, async ({ window }) => {
    window.faults.expect(/status of 404/);
    mkdirSync(SCREENSHOTS, { recursive: true });
    const found = [];
    for (const [name, path, { layout = "unified", opens, by } = {}] of pages) {
      await window.context.addCookies([{ name: "skein-layout", value: layout, url: window.server.origin }]);
      const desk = await window.open(path);
      await by?.(desk);
      if (opens) await desk.page.locator(`${opens} >> visible=true`).first().waitFor();
      await desk.page.evaluate(AXE);
      await desk.page.emulateMedia({ colorScheme: "light" });
      found.push(...(await look(desk, `${name}-light-${width}`, opens, {})));
      // In another light nothing changes but the colours.
      await desk.page.emulateMedia({ colorScheme: "dark" });
      found.push(...(await look(desk, `${name}-dark-${width}`, opens, { runOnly: ["color-contrast"] })));
      await desk.page.evaluate(() => localStorage.clear());
      await desk.page.close();
    }
    assert.deepEqual(found, []);
  });
}
