// Authorization of this page. A cookie is valid for one start of the server. After a restart, an open page proves that it has a key,
// without sending the key: another program may be listening on the port.
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";

export const keys = { page: meta("skein-page"), resume: meta("skein-resume") };

let renewing = null;

// Returns `renewed`, `refused` if the page is too old, or `away` if no server answers.
export function renew() {
  renewing ??= requestKeys()
    .catch(() => "away")
    .finally(() => (renewing = null));
  return renewing;
}

async function requestKeys() {
  const { start } = await (await fetch("/hello")).json();
  const [until] = keys.resume.split("-");
  const proof = `${until}-${await digest("again", keys.resume, start)}`;
  const headers = { "content-type": "application/json" };
  const response = await fetch("/session", { method: "POST", headers, body: JSON.stringify({ proof }) });
  if (!response.ok) return "refused";
  Object.assign(keys, await response.json());
  return "renewed";
}

// Hashes texts as the server does: each after its length, in eight bytes.
async function digest(...parts) {
  const bytes = parts.flatMap((part) => {
    const text = new TextEncoder().encode(part);
    const length = new DataView(new ArrayBuffer(8));
    length.setBigUint64(0, BigInt(text.length), true);
    return [length, text];
  });
  const hash = await crypto.subtle.digest("SHA-256", await new Blob(bytes).arrayBuffer());
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
