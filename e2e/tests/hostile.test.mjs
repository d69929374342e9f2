// Texts that want to be programs, and files that cannot be read.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { scene } from "../lib/scene.mjs";
import { Workspace } from "../lib/workspace.mjs";

// Each would set `pwned` if anything took it for more than text.
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

async function harmless(page) {
  // A link that is clicked is a link at most.
  for (const link of await page.locator(".md a").all()) assert.doesNotMatch((await link.getAttribute("href")) ?? "", /javascript:/i);
  const found = await page.evaluate(() => ({
    pwned: window.pwned,
    inside: document.querySelectorAll("main script, main iframe, main style, main .md form, main .md img, main [onerror], main [onclick], main [onload]").length,
    shown: getComputedStyle(document.body).display,
  }));
  assert.deepEqual(found, { pwned: undefined, inside: 0, shown: "block" });
}

scene("script in comments, names of authors and names of files does nothing", { make: hostile }, async ({ desk, page, server, workspace }) => {
  await desk.file("a.txt").waitFor();
  assert.equal(await page.locator("section.file").count(), NAMES.length + 1);
  await harmless(page);
  for (const name of NAMES) {
    await desk.file(name).locator("h2 a").click();
    await page.waitForURL(/\/file\//);
    assert.equal(await page.locator("h1.path").textContent(), name);
    await desk.thread(`On ${name}`).waitFor();
    await harmless(page);
    await page.goBack();
    await desk.file(name).waitFor();
  }
  await page.goto(`${server.origin}/threads`);
  await page.locator(".line").first().waitFor();
  await harmless(page);
  const { threads } = await workspace.threads();
  for (const { id } of threads.slice(0, 3)) {
    await page.goto(`${server.origin}/thread/${id}`);
    await page.locator(".thread").waitFor();
    await harmless(page);
  }
  await page.goto(`${server.origin}/?base=${encodeURIComponent(ATTACKS[0])}`);
  await page.locator(".empty").waitFor();
  await harmless(page);
});

scene("script that is typed, suggested and sent does nothing either", async ({ desk, page }) => {
  for (const [index, attack] of ATTACKS.entries()) {
    await desk.number("src/cache.rs", 30).click();
    await desk.area.fill(`number ${index}\n\n${attack}`);
    await desk.button("Comment").click();
    await desk.thread(`number ${index}`).waitFor();
    await desk.composer.waitFor({ state: "detached" });
  }
  await harmless(page);
  await page.reload();
  await desk.thread("number 0").waitFor();
  await harmless(page);
});

scene("a binary file and an empty one are named, and can be discussed or not", async ({ desk, workspace }) => {
  workspace.write("image.bin", "\0\x01\x02");
  workspace.write("empty.txt", "");
  await desk.file("image.bin").getByText("This file is binary, or too large to be shown.").waitFor();
  await desk.file("empty.txt").getByText("This file is empty, or only its mode has changed.").waitFor();
  await desk.file("src/cache.rs").waitFor();
});

scene("a thread file that nobody can read is named, and the others are there", { path: "/threads" }, async ({ page, workspace }) => {
  await page.locator(".problems li", { hasText: "half-written.md" }).waitFor();
  workspace.write(".code-review/threads/bytes.md", "\u0000\u0001 nothing of a thread");
  await page.locator(".problems li", { hasText: "bytes.md" }).waitFor();
  await page.getByText("skein doctor").waitFor();
  assert.ok((await page.locator(".line").count()) >= 9);
});

scene("a file that must not be read is refused, and the rest goes on", { path: null }, async ({ window, workspace, server }) => {
  window.faults.expect(/status of 4\d\d/);
  symlinkSync("/etc/hostname", workspace.path("outside.txt"));
  symlinkSync("round.txt", workspace.path("round.txt"));
  workspace.write("latin.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  for (const path of ["outside.txt", "round.txt", ".git/config", "src", "..%2f..%2fetc%2fpasswd"]) {
    const desk = await window.open(`/file/${path}`);
    assert.ok((await desk.page.locator(".empty h1").textContent()).length > 10, path);
    assert.ok((await desk.page.locator(".empty p").count()) > 0, path);
    await desk.page.close();
  }
  const desk = await window.open("/");
  await desk.file("latin.txt").waitFor();
  await desk.file("outside.txt").waitFor();
  await desk.page.goto(`${server.origin}/file/src/cache.rs`);
  await desk.file("src/cache.rs").waitFor();
});

scene("a file that is deleted under its own page says so, and comes back", { path: "/file/src/cache.rs" }, async ({ desk, page, window, workspace }) => {
  window.faults.expect(/status of 404/);
  await desk.file("src/cache.rs").waitFor();
  const text = workspace.read("src/cache.rs");
  workspace.remove("src/cache.rs");
  await page.getByText("There is no such file").waitFor();
  workspace.write("src/cache.rs", text);
  await desk.file("src/cache.rs").locator("td.t", { hasText: "pub struct Cache" }).waitFor();
});

scene("a thread that is deleted under its own page says so, and comes back", { path: null }, async ({ window, workspace }) => {
  window.faults.expect(/status of 404/);
  const desk = await window.open("/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001");
  await desk.thread("7f3a").waitFor();
  await workspace.skein("review", "delete", "7f3a");
  await desk.page.locator(".empty").waitFor();
  await workspace.skein("review", "restore", "7f3a");
  await desk.thread("7f3a").waitFor();
});

scene("an address that leads nowhere says where to go", { path: null }, async ({ window, server }) => {
  window.faults.expect(/status of 404/);
  const desk = await window.open("/file/nowhere.rs");
  await desk.page.locator(".empty h1").waitFor();
  await desk.page.goto(`${server.origin}/thread/nobody`);
  await desk.page.locator(".empty h1").waitFor();
  await desk.page.getByRole("link", { name: "Changes", exact: true }).click();
  await desk.file("src/cache.rs").waitFor();
});

scene("a read-only page has nothing to write with, and says so", { args: ["--read-only"] }, async ({ desk, page, window, server, workspace }) => {
  window.faults.expect(/status of 403/);
  const acts = "reply resolve reopen delete edit apply comment-file submit viewed".split(" ").map((act) => `[data-act=${act}]`).join(", ");
  for (const path of ["/", "/file/src/cache.rs", "/thread/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001", "/threads"]) {
    await page.goto(server.origin + path);
    await page.locator("header .tag", { hasText: "read-only" }).waitFor();
    assert.equal(await page.locator(acts).count(), 0, path);
  }
  await page.goto(server.origin);
  await desk.number("src/cache.rs", 30).click();
  await page.keyboard.press("j");
  await page.keyboard.press("c");
  assert.equal(await desk.composer.count(), 0);
  // It is live all the same.
  await workspace.agent("review", "reply", "7f3a", "-m", "Said elsewhere.");
  await desk.comment("Said elsewhere.").waitFor();
  const status = await page.evaluate(async () => {
    const token = document.querySelector('meta[name="skein-page"]').content;
    const body = JSON.stringify({});
    const headers = { "content-type": "application/json", "x-skein-page": token };
    return (await fetch("/api/v1/submit", { method: "POST", headers, body })).status;
  }).catch(() => 0);
  assert.equal(status, 403);
});
