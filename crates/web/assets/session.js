// Authorization of this page. A cookie is valid for one start of the server. After a restart, an open page proves that it has a key,
// without sending the key: another program may be listening on the port.
//
// A browser sends the cookie to the servers of all ports of this host, so a write also needs a key, which is stored for this origin.
const STORAGE_KEY = "skein-keys";
const LOGIN = /^#keys=([^,]+),([^,]+),(.*)$/;
// A key that is older than this is replaced when a page is opened, so that it does not expire between two visits.
const RENEW_AFTER = 60 * 60 * 1000;
const KEY_AGE = 72 * 60 * 60 * 1000;

let keys = { page: "", resume: "" };
let renewing = null;
storeFromLogin();

// The one-time link leads to an address with the keys. Any site can link to an address with wrong ones, so they replace stored keys only
// if the server accepts them.
function storeFromLogin() {
  const login = LOGIN.exec(location.hash);
  if (!login) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (login[3]) location.replace(`#${login[3]}`);
  const given = { page: login[1], resume: login[2] };
  if (!stored().page) store(given);
  else if (given.page !== keys.page) renew(given);
}

function store(fresh) {
  keys = fresh;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(fresh));
  } catch {
    // Without storage, this page alone can write.
  }
}

// Another tab may have renewed the keys.
function stored() {
  try {
    keys = JSON.parse(localStorage.getItem(STORAGE_KEY)) ?? keys;
  } catch {
    // The keys of this page remain.
  }
  return keys;
}

export const pageKey = () => stored().page;

export function renewOldKeys() {
  const [until] = stored().resume.split("-");
  if (until && Number(until) - KEY_AGE + RENEW_AFTER < Date.now()) renew();
}

// Returns `renewed`, `refused` if the page is too old, or `away` if no server answers.
export function renew(given = stored()) {
  renewing ??= requestKeys(given)
    .catch(() => "away")
    .finally(() => (renewing = null));
  return renewing;
}

async function requestKeys({ resume }) {
  const { start } = await (await fetch("/hello")).json();
  const [until] = resume.split("-");
  const proof = `${until}-${await digest("again", resume, start)}`;
  const headers = { "content-type": "application/json" };
  const response = await fetch("/session", { method: "POST", headers, body: JSON.stringify({ proof }) });
  if (!response.ok) return "refused";
  store(await response.json());
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
