// What is half-written, kept in the browser until it is sent: it outlives a reload and the server.
const PREFIX = `skein:${document.querySelector('meta[name="skein-root"]')?.content}:`;

export function put(key, value) {
  if (value.text) localStorage.setItem(PREFIX + key, JSON.stringify(value));
  else drop(key);
}

export function drop(key) {
  localStorage.removeItem(PREFIX + key);
}

export function all() {
  const found = [];
  for (let index = 0; index < localStorage.length; index += 1) {
    const key = localStorage.key(index);
    if (!key.startsWith(PREFIX)) continue;
    try {
      found.push([key.slice(PREFIX.length), JSON.parse(localStorage.getItem(key))]);
    } catch {
      // Something else wrote under our name; it is not ours to delete.
    }
  }
  return found;
}

// Tells when another tab of the same browser changed something; a value that is gone is none.
export function changed(does) {
  addEventListener("storage", ({ key, newValue }) => {
    if (key?.startsWith(PREFIX)) does(key.slice(PREFIX.length), newValue && JSON.parse(newValue));
  });
}
