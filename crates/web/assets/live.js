// Events from the server: the tab that holds the lock has the stream, and passes events on to the other tabs.
import { renew } from "./session.js";

// A page that is open for long keeps its keys fresh.
const RENEWED_EVERY = 6 * 60 * 60 * 1000;

const channel = new BroadcastChannel("skein");
const state = document.getElementById("live");
let last = document.querySelector('meta[name="skein-moment"]')?.content ?? "";
let told = () => {};

export function follow(does) {
  told = does;
  channel.onmessage = ({ data }) => hear(data);
  let leads = !navigator.locks;
  if (leads) stream();
  else navigator.locks.request("skein-events", () => ((leads = true), new Promise(stream)));
  // What happened before this tab heard the others is looked up once.
  setTimeout(() => leads || told(), 200);
  document.addEventListener("visibilitychange", () => document.hidden || told());
}

function stream() {
  let pause = 250;
  const open = () => {
    const source = new EventSource(`/events?after=${encodeURIComponent(last)}`);
    source.onopen = () => {
      pause = 250;
      tell({ up: true });
    };
    source.onmessage = (event) => tell({ id: event.lastEventId });
    source.addEventListener("reset", (event) => tell({ id: event.lastEventId }));
    source.onerror = () => {
      source.close();
      tell({ up: false });
      setTimeout(again, pause);
      pause = Math.min(pause * 2, 4000);
    };
  };
  const again = async () => {
    if ((await renew()) === "refused") tell({ refused: true });
    open();
  };
  setInterval(renew, RENEWED_EVERY);
  open();
}

function tell(news) {
  channel.postMessage(news);
  hear(news);
}

function hear({ id, up, refused }) {
  if (refused) state.textContent = "This page is too old. Open the link that `skein serve` prints; unsent text is kept.";
  else if (up !== undefined) state.textContent = up ? "" : "Not connected. Trying again…";
  if (!id) return;
  last = id;
  // A hidden tab is updated when it becomes visible.
  if (!document.hidden) told();
}
