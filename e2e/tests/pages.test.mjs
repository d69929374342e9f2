// Every page in both themes, narrow and wide: no overflow, and no serious accessibility violation.
import assert from "node:assert/strict";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { SCREENSHOTS } from "../lib/browser.mjs";
import { overflows } from "../lib/overflows.mjs";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [360, 1360];
const FILE = "src/cache.rs";

// The demo with threads in every state: on edited, moved and deleted code, with drafts and a renamed file.
async function demoWithEveryState() {
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

const click = (selector) => async (ui) => ui.page.locator(selector).first().click();

// Opens a checkpoint from the timeline.
async function openCheckpoint(ui, title) {
  await ui.page.locator(".timeline-entry", { hasText: title }).locator("a").click();
  await ui.page.locator("article.checkpoint-text").waitFor();
}

// The name, the path and the options of each page.
const PAGES = [
  ["changes", "/"],
  ["split", "/", { layout: "split" }],
  ["file", `/file/${FILE}`],
  ["threads", "/threads?status=all"],
  ["thread", "/thread/b21d90ee-5f4a-4f0b-8c0e-6b0d9f7a2002"],
  ["overview", "/overview", { by: async (ui) => ui.page.locator("#doctor:not([data-checking])").waitFor() }],
  ["workspaces", "/workspaces"],
  ["search", "/search?q=limit"],
  ["search-empty", "/search"],
  ["search-wrong", "/search?q=limit+stauts%3Aopen+x"],
  ["error", "/file/nothing.rs"],
  ["nothing", "/?base=HEAD..HEAD"],
  ["no-base", "/?base=nowhere"],
  // Elements that open on a page: only these are checked, because the page itself is checked above.
  ["menu", "/?base=nowhere", { opens: ".menu", by: click("details.menu > summary") }],
  ["help", "/threads", { opens: "dialog", by: async (ui) => ui.page.keyboard.press("?") }],
  ["seek", "/threads", {
    opens: "dialog",
    by: async (ui) => {
      await ui.page.keyboard.press("/");
      await ui.page.keyboard.type("limit");
      await ui.page.locator("dialog .hit").first().waitFor();
    },
  }],
  ["apply", "/thread/0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003", { opens: "dialog", by: click("[data-act=apply]") }],
  ["composer", `/file/${FILE}`, {
    opens: ".composer",
    by: async (ui) => {
      await ui.drag(FILE, 11, 12);
      await ui.page.keyboard.type("Some text.");
      await ui.button("Suggest a change").click();
    },
  }],
  ["reply", "/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001", {
    opens: ".composer",
    by: async (ui) => {
      await ui.button("Reply…").click();
      await ui.page.keyboard.type("A reply.");
    },
  }],
  ["toast", "/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001", { opens: "#toasts", by: click("[data-act=prompt]") }],
  ["work", "/work"],
  ["work-nothing", "/work?tag=none"],
  ["steps", "/work/steps?show=all"],
  ["handoff", "/work/new?kind=handoff"],
  ["checkpoint", "/work/new?kind=checkpoint", { by: click("details.more > summary") }],
  ["cleanup", "/work/cleanup?archive=1"],
  ["one", "/work", { by: async (ui) => openCheckpoint(ui, "Load test of the HTTP face") }],
  ["sessions", "/sessions"],
  ["set-status", "/sessions", { opens: ".menu[open]", by: click(".session details.menu > summary") }],
];

// Rules that are off by default or not called serious: a heading for each page, and controls that a finger can hit.
const FURTHER_RULES = ["page-has-heading-one", "target-size"];

// What is under the fixed head of a file is reached by scrolling.
const isScrolledUnder = ({ any }) => any.some(({ data }) => /obscured/i.test(data?.messageKey ?? ""));

// The serious accessibility violations of a page, one line per rule.
const seriousViolations = (results) =>
  results.violations
    .map((violation) => ({ ...violation, nodes: violation.nodes.filter((node) => !isScrolledUnder(node)) }))
    .filter(({ nodes }) => nodes.length > 0)
    .filter(({ id, impact }) => impact === "serious" || impact === "critical" || FURTHER_RULES.includes(id))
    .map(({ id, impact, nodes }) => `${impact} ${id} (${nodes.length}): ${nodes[0].target.join(" ")}: ${nodes[0].any[0]?.message ?? nodes[0].html}`);

// Runs on the page.
function deleteUnsentTexts() {
  for (const key of Object.keys(localStorage)) if (key.startsWith("skein:")) localStorage.removeItem(key);
}

async function inspect(ui, where, opens, rules) {
  await ui.page.screenshot({ path: `${SCREENSHOTS}${where}.png`, fullPage: !opens });
  const only = { resultTypes: ["violations"], ...rules };
  const results = await ui.page.evaluate(([root, how]) => window.axe.run(root, how), [opens ?? "html", only]);
  return [...(await overflows(ui.page)), ...seriousViolations(results)].map((one) => `${where}: ${one}`);
}

// One test with all pages would take too long on a slow machine.
const HALF = Math.ceil(PAGES.length / 2);
const parts = WIDTHS.flatMap((width) => [PAGES.slice(0, HALF), PAGES.slice(HALF)].map((pages) => [width, pages]));

for (const [width, pages] of parts) {
  const options = { make: demoWithEveryState, path: null, window: { viewport: { width, height: 900 } } };
  scene(`every page from ${pages[0][0]} on is accessible and fits in ${width} px`, options, async ({ window }) => {
    window.faults.expect(/status of 404/);
    mkdirSync(SCREENSHOTS, { recursive: true });
    const found = [];
    for (const [name, path, { layout = "unified", opens, by } = {}] of pages) {
      await window.context.addCookies([{ name: "skein-layout", value: layout, url: window.server.origin }]);
      const ui = await window.open(path);
      await by?.(ui);
      if (opens) await ui.page.locator(`${opens} >> visible=true`).first().waitFor();
      await ui.page.evaluate(AXE);
      await ui.page.emulateMedia({ colorScheme: "light" });
      const rules = Object.fromEntries(FURTHER_RULES.map((rule) => [rule, { enabled: true }]));
      found.push(...(await inspect(ui, `${name}-light-${width}`, opens, { rules })));
      // In the dark theme only the colours differ.
      await ui.page.emulateMedia({ colorScheme: "dark" });
      found.push(...(await inspect(ui, `${name}-dark-${width}`, opens, { runOnly: ["color-contrast"] })));
      await ui.page.evaluate(deleteUnsentTexts);
      await ui.page.close();
    }
    assert.deepEqual(found, []);
  });
}
