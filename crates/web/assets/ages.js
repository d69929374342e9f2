// Writes times as how long ago they were, and keeps them right; those with `data-clock` as the clock shows them.
const UNITS = [[31536000, "y"], [2592000, "mo"], [604800, "w"], [86400, "d"], [3600, "h"], [60, "m"]];

function age(seconds) {
  const unit = UNITS.find(([length]) => seconds >= length);
  return unit ? `${Math.floor(seconds / unit[0])}${unit[1]} ago` : "just now";
}

function clock(at) {
  const time = { hour: "2-digit", minute: "2-digit" };
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Date(at).toLocaleString([], isToday ? time : { weekday: "short", ...time });
}

export function ages(root = document) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    const text = time.hasAttribute("data-clock") ? clock(at) : age((Date.now() - at) / 1000);
    if (time.textContent !== text) time.textContent = text;
    time.title = new Date(at).toLocaleString();
  }
}

setInterval(ages, 30000);
