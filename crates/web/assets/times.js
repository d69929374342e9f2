// Shows times relative to now, and updates them; those with `data-clock` as a time of day.
const UNITS = [[31536000, "y"], [2592000, "mo"], [604800, "w"], [86400, "d"], [3600, "h"], [60, "m"]];

function relativeTime(seconds) {
  const unit = UNITS.find(([length]) => seconds >= length);
  return unit ? `${Math.floor(seconds / unit[0])}${unit[1]} ago` : "just now";
}

function timeOfDay(at) {
  const time = { hour: "2-digit", minute: "2-digit" };
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Date(at).toLocaleString([], isToday ? time : { weekday: "short", ...time });
}

export function updateTimes(root = document) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    const text = time.hasAttribute("data-clock") ? timeOfDay(at) : relativeTime((Date.now() - at) / 1000);
    if (time.textContent !== text) time.textContent = text;
    time.title = new Date(at).toLocaleString();
  }
}

setInterval(updateTimes, 30000);
