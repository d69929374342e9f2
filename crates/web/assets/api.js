// Requests to the server. Every write carries the token of the page.
import { pageKey, renew } from "./session.js";

const AWAY = { error: "The server does not answer.", hint: "Start `skein serve` again; unsent text is kept here." };

// Sends a request. After a restart of the server, the page renews its keys first. `options` is called for each attempt.
export async function request(path, options = () => ({})) {
  const response = await fetch(path, options());
  return response.status === 403 && (await renew()) === "renewed" ? fetch(path, options()) : response;
}

async function ask(path, options) {
  try {
    const response = await request(`/api/v1${path}`, options);
    const type = response.headers.get("content-type") ?? "";
    const data = type.includes("json") ? await response.json() : await response.text();
    return { ok: response.ok, status: response.status, data };
  } catch {
    return { ok: false, status: 0, data: AWAY };
  }
}

export const get = (path) => ask(path);

export const post = (path, body = {}) =>
  ask(path, () => ({
    method: "POST",
    headers: { "content-type": "application/json", "x-skein-page": pageKey() },
    body: JSON.stringify(body),
  }));

export const id = (text) => encodeURIComponent(text);
