// Texts that contain scripts, and files that cannot be read.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

// Each would set `pwned` if it were not treated as text.
const ATTACKS = [
  "<script>window.pwned = 1</script>",
  "<img src=x onerror='window.pwned = 2'>",
  "<svg onload='window.pwned = 3'></svg>",
  "[a link](javascript:window.pwned=4)",
  "<a href='javascript:window.pwned=5'>another</a>",
  "<iframe srcdoc='<script>parent.pwned = 6</script>'></iframe>",
  "![](https://example.com/pixel.png)",
  "<style>body { display: none }</style>",
  "</textarea><script>window.pwned = 7</script>",
  "<form action='https://example.com'><button>Send</button></form>",
];
const NAMES = ["<img src=x onerror=window.pwned=8>.txt", "a\"onmouseover=\"window.pwned=9.txt", "'`${window.pwned=10}`.txt", "q?a=b#c&d%20e.txt"];
const AUTHOR = "<b onclick=window.pwned=11>Eve</b>";

async function hostile() {
  const workspace = await Workspace.plain({ "a.txt": "one\n" });
  workspace.write("a.txt", `${ATTACKS.join("\n")}\n`);
  for (const name of NAMES) workspace.write(name, "<script>window.pwned = 12</script>\n");
  for (const attack of ATTACKS) await workspace.skein("review", "add", "a.txt:1", "--author", AUTHOR, "-m", attack);
  for (const name of NAMES) await workspace.skein("review", "add", `${name}:1`, "-m", `On ${name}`);
  return workspace;
}

async function checkHarmless(page) {
  // No link runs a script.
  for (const link of await page.locator(".md a").all()) assert.doesNotMatch((await link.getAttribute("href")) ?? "", /javascript:/i);
  const found = await page.evaluate(() => ({
    pwned: window.pwned,
    inside: document.querySelectorAll("main script, main iframe, main style, main .md form, main .md img, main [onerror], main [onclick], main [onload]").length,
    shown: getComputedStyle(document.body).display,
  }));
  assert.deepEqual(found, { pwned: undefined, inside: 0, shown: "block" });
}

scene("scripts in comments, author names and file names do not run", { make: hostile }, async ({ ui, page, server, workspace }) => {
  await ui.file("a.txt").waitFor();
  assert.equal(await page.locator("section.file").count(), NAMES.length + 1);
  await checkHarmless(page);
  for (const name of NAMES) {
    await ui.file(name).locator("h2 a").click();
    await page.waitForURL(/\/file\//);
    assert.equal(await page.locator("h1.path").textContent(), name);
    await ui.thread(`On ${name}`).waitFor();
    await checkHarmless(page);
    await page.goBack();
    await ui.file(name).waitFor();
  }
  await page.goto(`${server.origin}/threads`);
  await page.locator(".line").first().waitFor();
  await checkHarmless(page);
  const { threads } = await workspace.threads();
  for (const { id } of threads.slice(0, 3)) {
    await page.goto(`${server.origin}/thread/${id}`);
    await page.locator(".thread").waitFor();
    await checkHarmless(page);
  }
  await page.goto(`${server.origin}/?base=${encodeURIComponent(ATTACKS[0])}`);
  await page.locator(".empty").waitFor();
  await checkHarmless(page);
});

scene("scripts that are typed and sent do not run", async ({ ui, page }) => {
  for (const [index, attack] of ATTACKS.entries()) {
    await ui.number("src/cache.rs", 30).click();
    await ui.area.fill(`number ${index}\n\n${attack}`);
    await ui.button("Comment").click();
    await ui.thread(`number ${index}`).waitFor();
    await ui.composer.waitFor({ state: "detached" });
  }
  await checkHarmless(page);
  await page.reload();
  await ui.thread("number 0").waitFor();
  await checkHarmless(page);
});

scene("a binary file and an empty file are listed with a message", async ({ ui, workspace }) => {
  workspace.write("image.bin", "\0\x01\x02");
  workspace.write("empty.txt", "");
  await ui.file("image.bin").getByText("This file is binary, or too large to be shown: BIN, 3 bytes.").waitFor();
  const box = await ui.file("image.bin").boundingBox();
  assert.ok(box.height < 60, `one line, and not ${box.height} px`);
  await ui.file("empty.txt").getByText("This file is empty.").waitFor();
  await ui.file("src/cache.rs").waitFor();
});

scene("a thread file that cannot be read is reported, and the others are shown", { path: "/threads" }, async ({ page, workspace }) => {
  await page.locator(".problems li", { hasText: "half-written.md" }).waitFor();
  workspace.write(".code-review/threads/bytes.md", "\u0000\u0001 nothing of a thread");
  await page.locator(".problems li", { hasText: "bytes.md" }).waitFor();
  await page.getByText("skein doctor").waitFor();
  assert.ok((await page.locator(".line").count()) >= 9);
});

scene("a file that must not be read is refused, and other files are still shown", { path: null }, async ({ window, workspace, server }) => {
  window.faults.expect(/status of 4\d\d/);
  symlinkSync("/etc/hostname", workspace.path("outside.txt"));
  symlinkSync("round.txt", workspace.path("round.txt"));
  workspace.write("latin.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  for (const path of ["outside.txt", "round.txt", ".git/config", "src", "..%2f..%2fetc%2fpasswd"]) {
    const ui = await window.open(`/file/${path}`);
    assert.ok((await ui.page.locator(".empty h1").textContent()).length > 10, path);
    assert.ok((await ui.page.locator(".empty p").count()) > 0, path);
    await ui.page.close();
  }
  const ui = await window.open("/");
  await ui.file("latin.txt").waitFor();
  await ui.file("outside.txt").waitFor();
  await ui.page.goto(`${server.origin}/file/src/cache.rs`);
  await ui.file("src/cache.rs").waitFor();
});

scene("the page of a deleted file says so, and shows the file again when it is restored", { path: "/file/src/cache.rs" }, async ({ ui, page, window, workspace }) => {
  window.faults.expect(/status of 404/);
  await ui.file("src/cache.rs").waitFor();
  const text = workspace.read("src/cache.rs");
  workspace.remove("src/cache.rs");
  await page.getByText("There is no such file").waitFor();
  workspace.write("src/cache.rs", text);
  await ui.file("src/cache.rs").locator("td.t", { hasText: "pub struct Cache" }).waitFor();
});

scene("the page of a deleted thread says so, and shows the thread again when it is restored", { path: null }, async ({ window, workspace }) => {
  window.faults.expect(/status of 404/);
  const ui = await window.open("/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001");
  await ui.thread("7f3a").waitFor();
  await workspace.skein("review", "delete", "7f3a");
  await ui.page.locator(".empty").waitFor();
  await workspace.skein("review", "restore", "7f3a");
  await ui.thread("7f3a").waitFor();
});

scene("an unknown address shows a message and the navigation", { path: null }, async ({ window, server }) => {
  window.faults.expect(/status of 404/);
  const ui = await window.open("/file/nowhere.rs");
  await ui.page.locator(".empty h1").waitFor();
  await ui.page.goto(`${server.origin}/thread/nobody`);
  await ui.page.locator(".empty h1").waitFor();
  await ui.page.getByRole("link", { name: "Changes", exact: true }).click();
  await ui.file("src/cache.rs").waitFor();
});

scene("a read-only page has no controls to write, and says so", { args: ["--read-only"] }, async ({ ui, page, window, server, workspace }) => {
  window.faults.expect(/status of 403/);
  const acts = "reply resolve reopen delete edit apply comment-file submit viewed".split(" ").map((act) => `[data-act=${act}]`).join(", ");
  for (const path of ["/", "/file/src/cache.rs", "/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001", "/threads"]) {
    await page.goto(server.origin + path);
    await page.locator("header .tag", { hasText: "read-only" }).waitFor();
    assert.equal(await page.locator(acts).count(), 0, path);
  }
  await page.goto(server.origin);
  await ui.number("src/cache.rs", 30).click();
  await page.keyboard.press("j");
  await page.keyboard.press("c");
  assert.equal(await ui.composer.count(), 0);
  // It is still updated live.
  await workspace.agent("review", "reply", "7f3a", "-m", "Said elsewhere.");
  await ui.comment("Said elsewhere.").waitFor();
  const status = await page.evaluate(async () => {
    const token = JSON.parse(localStorage.getItem("skein-keys")).page;
    const body = JSON.stringify({});
    const headers = { "content-type": "application/json", "x-skein-page": token };
    return (await fetch("/api/v1/submit", { method: "POST", headers, body })).status;
  }).catch(() => 0);
  assert.equal(status, 403);
});
