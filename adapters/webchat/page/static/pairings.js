// Strangers who wait to be let in: a quiet line above the page for each, with what can be decided.
import { decidePairing, pairings } from './api.js';

const LOOK_AGAIN_MS = 15_000;
/** How long it stays to be read what became of one. */
const SAID_MS = 4_000;

const notice = () => document.getElementById('pairings');
const lineOf = (code) => notice().querySelector(`[data-code="${CSS.escape(code)}"]`);

function button(label, person, decision) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'button';
  made.textContent = label;
  made.ariaLabel = `${label}: ${person.name}`;
  made.addEventListener('click', () => void decide(person, decision));
  return made;
}

function show(person) {
  const line = document.createElement('p');
  line.dataset.code = person.code;
  const name = document.createElement('strong');
  name.textContent = person.name;
  const words = document.createElement('span');
  words.append(name, ` wrote to me on ${person.channel} and waits to be let in (code ${person.code}).`);
  line.append(words, button('Approve', person, 'approve'), button('Deny', person, 'deny'));
  notice().append(line);
}

function settle(line, words) {
  line.textContent = words;
  line.dataset.settled = '';
  setTimeout(() => {
    line.remove();
    notice().hidden = notice().childElementCount === 0;
  }, SAID_MS);
}

async function decide(person, decision) {
  const line = lineOf(person.code);
  for (const each of line.querySelectorAll('button')) each.disabled = true;
  try {
    await decidePairing(person.code, decision);
    settle(line, decision === 'approve' ? `${person.name} is let in.` : `${person.name} is not let in.`);
  } catch (error) {
    settle(line, `That did not work. ${error.message}`);
  }
}

/** Lines that are there stay as they are, so that the keyboard stays on their buttons. */
async function refresh() {
  const isLost = !document.getElementById('banner').hidden;
  if (isLost || document.hidden) return;
  const waiting = await pairings().catch(() => undefined);
  if (!waiting) return;
  for (const line of notice().querySelectorAll('[data-code]:not([data-settled])'))
    if (!waiting.some(({ code }) => code === line.dataset.code)) line.remove();
  for (const person of waiting) if (!lineOf(person.code)) show(person);
  notice().hidden = notice().childElementCount === 0;
}

export function startPairings() {
  document.addEventListener('visibilitychange', () => void refresh());
  setInterval(() => void refresh(), LOOK_AGAIN_MS);
  void refresh();
}
