// Writes times as how long ago they were, and keeps them right.
const UNITS = [[31536000, "y"], [2592000, "mo"], [604800, "w"], [86400, "d"], [3600, "h"], [60, "m"]];

function age(seconds) {
  const unit = UNITS.find(([length]) => seconds >= length);
  return unit ? `${Math.floor(seconds / unit[0])}${unit[1]} ago` : "just now";
}

export function ages(root = document) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    const text = age((Date.now() - at) / 1000);
    if (time.textContent !== text) time.textContent = text;
    time.title = new Date(at).toLocaleString();
  }
}

setInterval(ages, 30000);
