// Times in the reader's own zone, and durations that go on ticking.

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

/** The two largest units that are not zero: `1d 2h`, `45m`, `12s`. */
export function formatDuration(ms) {
  let rest = Math.max(0, Math.floor(ms / 1_000));
  const first = UNITS.findIndex(([, seconds]) => rest >= seconds);
  if (first < 0) return '0s';
  const words = [];
  for (const [unit, seconds] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) words.push(`${count}${unit}`);
  }
  return words.join(' ');
}

/** Puts local times below `root`; a message of another day shows its date too. */
export function localTimes(root) {
  const today = new Date().toDateString();
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    const clock = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    const day = at.toLocaleDateString([], { day: 'numeric', month: 'short' });
    time.textContent = at.toDateString() === today ? clock : `${day}, ${clock}`;
    time.title = at.toLocaleString();
  }
}

function tick() {
  const now = Date.now();
  for (const part of document.querySelectorAll('[data-since]')) {
    setText(part, formatDuration(now - Number(part.dataset.since)));
  }
  for (const part of document.querySelectorAll('[data-left]')) {
    part.dataset.until ??= String(now + Number(part.dataset.left));
    setText(part, formatDuration(Number(part.dataset.until) - now));
  }
}

function setText(part, text) {
  if (part.textContent !== text) part.textContent = text;
}

export function startClock() {
  tick();
  setInterval(tick, 1_000);
}
