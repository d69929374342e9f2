// What lets this page in. A cookie is good for one start of the server; a page that is open goes on with the next one by proving that it
// was given a key. The key itself is never sent: another program may be listening on the port.
const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";

export const keys = { page: meta("skein-page"), resume: meta("skein-resume") };

let renewing = null;

// Returns `renewed`, `refused` where the page is too old, or `away` where no server answers.
export function renew() {
  renewing ??= attempt()
    .catch(() => "away")
    .finally(() => (renewing = null));
  return renewing;
}

async function attempt() {
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
