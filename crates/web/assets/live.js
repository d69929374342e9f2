// Events from the server: the tab that holds the lock has the stream, and passes events on to the other tabs.
import { renew } from "./session.js";

// How often an open page renews its keys.
const RENEWED_EVERY = 6 * 60 * 60 * 1000;

const channel = new BroadcastChannel("skein");
const state = document.getElementById("live");
let last = document.querySelector('meta[name="skein-moment"]')?.content ?? "";
let onEvent = () => {};

export function followEvents(callback) {
  onEvent = callback;
  channel.onmessage = ({ data }) => handleMessage(data);
  let hasStream = !navigator.locks;
  if (hasStream) stream();
  else navigator.locks.request("skein-events", () => ((hasStream = true), new Promise(stream)));
  // Events from before this tab began to listen are fetched once.
  setTimeout(() => hasStream || onEvent(), 200);
  document.addEventListener("visibilitychange", () => document.hidden || onEvent());
}

function stream() {
  let pause = 250;
  const open = () => {
    const source = new EventSource(`/events?after=${encodeURIComponent(last)}`);
    source.onopen = () => {
      pause = 250;
      broadcast({ up: true });
    };
    source.onmessage = (event) => broadcast({ id: event.lastEventId });
    source.addEventListener("reset", (event) => broadcast({ id: event.lastEventId }));
    source.onerror = () => {
      source.close();
      broadcast({ up: false });
      retry();
    };
  };
  const retry = () => {
    setTimeout(again, pause);
    pause = Math.min(pause * 2, 4000);
  };
  const again = async () => {
    const result = await renew();
    if (result === "refused") broadcast({ refused: true });
    // A server that starts between the two requests would refuse the old cookie.
    if (result === "away") retry();
    else open();
  };
  setInterval(renew, RENEWED_EVERY);
  open();
}

function broadcast(message) {
  channel.postMessage(message);
  handleMessage(message);
}

function handleMessage({ id, up, refused }) {
  if (refused) state.textContent = "This page is too old. Open the link that `skein serve` prints; unsent text is kept.";
  else if (up !== undefined) state.textContent = up ? "" : "Not connected. Trying again…";
  if (!id) return;
  last = id;
  // A hidden tab is updated when it becomes visible.
  if (!document.hidden) onEvent();
}
