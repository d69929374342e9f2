// Unsent texts, stored in the browser until they are sent: they survive a reload and a restart of the server.
const PREFIX = `skein:${document.querySelector('meta[name="skein-root"]')?.content}:`;

export function saveText(key, value) {
  if (value.text) localStorage.setItem(PREFIX + key, JSON.stringify(value));
  else deleteText(key);
}

export function deleteText(key) {
  localStorage.removeItem(PREFIX + key);
}

export function allTexts() {
  const found = [];
  for (let index = 0; index < localStorage.length; index += 1) {
    const key = localStorage.key(index);
    if (!key.startsWith(PREFIX)) continue;
    try {
      found.push([key.slice(PREFIX.length), JSON.parse(localStorage.getItem(key))]);
    } catch {
      // Not written by this script, so it is not deleted.
    }
  }
  return found;
}

// Calls `callback` with the key, the new and the old value when another tab of the same browser changed a text; a missing text is null.
export function onOtherTabChange(callback) {
  addEventListener("storage", ({ key, newValue, oldValue }) => {
    if (key?.startsWith(PREFIX)) callback(key.slice(PREFIX.length), newValue && JSON.parse(newValue), oldValue && JSON.parse(oldValue));
  });
}
