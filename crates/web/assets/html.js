// Makes elements. Text is always set as text, never as markup.

// Returns a text on one line, with invisible characters by their numbers: they could make a name look like another one.
export function shownText(text) {
  const short = { "\n": "\\n", "\t": "\\t" };
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => short[character] ?? `\\u{${character.codePointAt(0).toString(16)}}`);
}

export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
