// Talks to the server. Every write carries the token of the page.
const token = document.querySelector('meta[name="skein-page"]')?.content ?? "";
const AWAY = { error: "The server does not answer.", hint: "Start `skein serve` again; what you wrote is kept here." };

async function ask(path, options) {
  try {
    const response = await fetch(`/api/v1${path}`, options);
    const type = response.headers.get("content-type") ?? "";
    const data = type.includes("json") ? await response.json() : await response.text();
    return { ok: response.ok, status: response.status, data };
  } catch {
    return { ok: false, status: 0, data: AWAY };
  }
}

export const get = (path) => ask(path, {});

export const post = (path, body = {}) =>
  ask(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-skein-page": token },
    body: JSON.stringify(body),
  });

export const id = (text) => encodeURIComponent(text);
