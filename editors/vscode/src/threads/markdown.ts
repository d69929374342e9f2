// Comments as Markdown that loads nothing.

/** An image in one line without code: `![alt](address "title")`. */
const IMAGE = /!\[([^\]\n]*)\]\(([^()\s]*(?:\s+"[^"\n]*")?)\)/g;
/** Everything in which `<` is no tag, and at last the start of a tag. */
const TAGS = new RegExp(
  [
    // A block of code, also in a list or a quotation, up to its end or that of the text.
    /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(?<fence>`{3,}|~{3,})[\s\S]*?(?:^[ \t>]*\k<fence>[`~]*[ \t]*$|$(?![\s\S]))/,
    // Lines of code that are indented.
    /(?<=(?:^|\n)[ \t]*\n)(?:(?: {4}|\t)[^\n]*\n?)+/,
    // An escaped character, code in a paragraph, and addresses.
    /\\[^\n]/,
    /(?<!`)(?<ticks>`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])*?(?<!`)\k<ticks>(?!`)/,
    /<[a-z][a-z0-9+.-]{1,31}:[^\s<>]*>|<[^\s<>@]+@[^\s<>]+>/,
    /(?<tag><)(?=[a-z/!?])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gim",
);
/** Separates `!` from `[`, so that no image begins there; invisible, also in code. */
const WORD_JOINER = "\u2060";

/**
 * Turns images into links, because VS Code would request an image from its host.
 *
 * Images that are not in the usual form, and text that only looks like one, get an invisible character: it is not
 * necessary to know what is code, and `vec![1]` is displayed as it is.
 */
export function withoutImages(body: string): string {
  const linked = body
    .split("\n")
    .map((line) => (line.includes("`") ? line : line.replace(IMAGE, linkToImage)))
    .join("\n");
  if (!linked.includes("](") && !linked.includes("]:")) {
    return linked;
  }
  return linked.replace(/!(?=\[)/g, `!${WORD_JOINER}`);
}

/** Escapes tags of HTML outside of code, because VS Code drops them: `Result<Foo>` would be displayed as `Result`. */
export function escapeTags(body: string): string {
  return body.replace(TAGS, (part) => (part === "<" ? "\\<" : part));
}

/** Returns the text of a comment as it is displayed: without images and tags, and with a title above a suggestion. */
export function displayedBody(body: string): string {
  const fence = /^ {0,3}(`{3,}|~{3,}).*$/m.exec(body);
  const titled =
    fence !== null && hasSuggestion(fence[0])
      ? `${body.slice(0, fence.index)}**Suggested change:**\n\n${body.slice(fence.index)}`
      : body;
  return withoutImages(escapeTags(titled));
}

/** Returns the text so that Markdown displays it as it is. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, "\\$&");
}

export function hasSuggestion(body: string): boolean {
  return /^ {0,3}(`{3,}|~{3,})\s*suggestion\b/m.test(body);
}

/** Returns a suggestion block with this text. Its fence is longer than any in the text. */
export function suggestionBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}suggestion\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}

function linkToImage(_image: string, alt: string, target: string): string {
  return `[image: ${alt === "" ? "no description" : alt}](${target})`;
}
