import assert from "node:assert/strict";
import { test } from "node:test";
import { displayedBody, escapeMarkdown, escapeTags, hasSuggestion, suggestionBlock, withoutImages } from "../src/threads/markdown";

/** What Markdown could read as an image. */
const IMAGE_START = /!\[/;

test("an image becomes a link", () => {
  assert.equal(withoutImages("See ![a cat](https://h/x.png)."), "See [image: a cat](https://h/x.png).");
  assert.equal(withoutImages('![](https://h/x.png "t")'), '[image: no description](https://h/x.png "t")');
});

test("no other form of an image is left", () => {
  const bodies = [
    "![a][b]\n\n[b]: https://h/x.png",
    "![b]\n\n[b]: https://h/x.png",
    "![a [nested] b](https://h/x.png)",
    "`code` ![a](https://h/x.png)",
    "![a](<https://h/a b.png>)",
    "1. ```\n   ```\n   ![a](https://h/x.png)",
    "![two\nlines](https://h/x.png)",
    "[![badge](https://h/x.svg)](https://h)",
    "![a](https://h/(x).png)",
  ];
  for (const body of bodies) {
    assert.doesNotMatch(withoutImages(body), IMAGE_START, body);
  }
});

test("code without links stays as it is", () => {
  const body = "Use `vec![1, 2]`:\n\n```rust\n#![allow(x)]\nlet a = vec![f(1)];\n```";
  assert.equal(withoutImages(body), body);
});

test("code next to a link looks as before", () => {
  const shown = withoutImages("`vec![1]`, see [docs](https://h)");
  assert.equal(shown.replaceAll("\u2060", ""), "`vec![1]`, see [docs](https://h)");
});

test("what looks like a tag is displayed as it is written", () => {
  assert.equal(escapeTags("Return Result<Foo> or </b> or <!-- no -->."), "Return Result\\<Foo> or \\</b> or \\<!-- no -->.");
  assert.equal(displayedBody("a <img src=x> b"), "a \\<img src=x> b");
  assert.equal(escapeTags("`Vec<u8>` and Vec<u8>\n\n`open <b>"), "`Vec<u8>` and Vec\\<u8>\n\n`open \\<b>");
});

test("code, addresses and what is escaped already stay as they are", () => {
  const bodies = [
    "Use `Result<Foo>` or ``a ` <b>``.",
    "See <https://h/x> and <mira@example.com>, a < b, a<3.",
    "Already \\<b>.",
    "```rust\nlet a: Vec<u8> = b;\n```",
    "````md\n```\n<b>\n```\n````",
    "~~~\n<b>\n~~~",
    "- ```\n  <b>\n  ```",
    "> ```\n> <b>\n> ```",
    "```\n<b> without an end",
    "Code:\n\n    Vec<u8>\n    Vec<u8>\n",
  ];
  for (const body of bodies) {
    assert.equal(escapeTags(body), body);
  }
});

test("a tag after a block of code is escaped", () => {
  assert.equal(escapeTags("```\n<b>\n```\n<i>"), "```\n<b>\n```\n\\<i>");
});

test("a long text is escaped quickly", () => {
  const body = "`".repeat(5_000) + "<".repeat(5_000) + " \n".repeat(5_000);
  assert.equal(escapeTags(body), body);
});

test("a suggestion block is recognised", () => {
  assert.equal(hasSuggestion("Text\n\n```suggestion\nx\n```"), true);
  assert.equal(hasSuggestion("~~~~ suggestion\n~~~~"), true);
  assert.equal(hasSuggestion("```rust\nsuggestion\n```"), false);
});

test("the fence of a suggestion is longer than any in its text", () => {
  assert.equal(suggestionBlock("x"), "```suggestion\nx\n```");
  assert.equal(suggestionBlock(""), "```suggestion\n```");
  assert.equal(suggestionBlock("```\na\n```\n"), "````suggestion\n```\na\n```\n````");
});

test("escaped text is displayed as it is", () => {
  assert.equal(escapeMarkdown("a *b* [c](d)"), "a \\*b\\* \\[c\\]\\(d\\)");
});
