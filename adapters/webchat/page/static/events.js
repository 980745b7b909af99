// The event stream: puts what happens elsewhere into the page. Events may come twice; showing one again changes nothing.
import { isSignedIn } from './api.js';
import { localTimes } from './clock.js';
import { app, isAtEnd, paneOf, panes, placeKey, scrollToEnd } from './places.js';

const REOPEN_MS = 2_000;
/** A short gap is not worth a word. */
const PATIENCE_MS = 1_200;
const SPOKEN_LENGTH = 400;

/** Work under way, by place: `{ working, previews: Map(runId → html) }`. Forgotten whenever the connection is lost. */
const live = new Map();
/** Signs that change nothing in the list of threads. */
const LOSSY = ['delta', 'typing', 'queued'];
/** Places with messages that the reader has not seen. */
const unread = new Set();
let lastEventId;
let patience;
let threadsTimer;

function fragment(html) {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content.firstElementChild;
}

function showMessage(message) {
  const pane = paneOf(message);
  const present = document.getElementById(`message-${message.id}`);
  if (present) {
    replaceMessage(present, message);
    return;
  }
  if (message.author.kind === 'bot') live.get(placeKey(message))?.previews.clear();
  if (!pane) {
    if (message.author.kind === 'bot') markUnread(placeKey(message));
    return;
  }
  const wasAtEnd = isAtEnd(pane);
  const item = fragment(message.html);
  const list = pane.querySelector('[data-messages]');
  const after = [...list.children].findLast((other) => Number(other.dataset.seq) < message.seq);
  if (after) after.after(item);
  else list.prepend(item);
  window.htmx?.process(item);
  localTimes(item);
  pane.querySelector('[data-empty]').hidden = true;
  drawLive(pane);
  follow(pane, wasAtEnd || message.author.kind === 'user');
  if (message.author.kind === 'bot') announce(message.author.name, item);
}

/** Keeps the keyboard where it is when a card is drawn anew, and the link to a thread that the new one does not know of. */
function replaceMessage(present, message) {
  const pane = present.closest('[data-pane]');
  const wasAtEnd = isAtEnd(pane);
  const focused = present.contains(document.activeElement) ? document.activeElement.ariaLabel : undefined;
  const item = fragment(message.html);
  const link = present.querySelector('.message-thread')?.innerHTML;
  const place = item.querySelector('.message-thread');
  if (link && place && !item.querySelector('.card')) place.innerHTML = link;
  present.replaceWith(item);
  window.htmx?.process(item);
  localTimes(item);
  if (focused) [...item.querySelectorAll('button, a')].find((part) => part.ariaLabel === focused)?.focus();
  follow(pane, wasAtEnd);
}

function follow(pane, mayScroll) {
  if (mayScroll) scrollToEnd(pane);
  else pane.querySelector('[data-to-newest]').hidden = false;
}

function announce(author, item) {
  const words = item.querySelector('.text, .card')?.textContent.replace(/\s+/g, ' ').trim() ?? '';
  document.getElementById('announcer').textContent = `${author}: ${words.slice(0, SPOKEN_LENGTH)}`;
}

function showThread(thread) {
  const message = document.getElementById(`message-${thread.id}`);
  const place = message?.querySelector('.message-thread');
  if (place && !message.querySelector('.card')) {
    place.innerHTML = thread.html;
    window.htmx?.process(place);
  }
}

/** A small sign on a message that waits for its turn. */
function showQueued({ id, queued }) {
  const head = document.querySelector(`#message-${CSS.escape(id)} .message-head`);
  head?.querySelector('.waiting')?.remove();
  if (!queued || !head) return;
  const sign = document.createElement('span');
  sign.className = 'tag waiting';
  sign.textContent = 'waiting its turn';
  head.append(' ', sign);
}

function liveAt(place) {
  const key = placeKey(place);
  const found = live.get(key) ?? { working: false, previews: new Map() };
  live.set(key, found);
  return found;
}

function showLive(place, change) {
  const state = liveAt(place);
  change(state);
  const pane = paneOf(place);
  if (!pane) return;
  const wasAtEnd = isAtEnd(pane);
  drawLive(pane);
  if (wasAtEnd) scrollToEnd(pane);
}

/** Shows in a pane what is under way there. */
export function drawLive(pane) {
  const { working = false, previews = new Map() } = live.get(placeKey(pane.dataset)) ?? {};
  pane.querySelector('[data-typing]').hidden = !working;
  const area = pane.querySelector('[data-previews]');
  for (const shown of [...area.children]) if (!previews.has(shown.dataset.run)) shown.remove();
  for (const [run, html] of previews) {
    let item = [...area.children].find((shown) => shown.dataset.run === run);
    if (!item) {
      item = fragment('<div class="preview"><div class="text"></div></div>');
      item.dataset.run = run;
      area.append(item);
    }
    item.firstElementChild.innerHTML = html;
  }
}

function markUnread(key) {
  unread.add(key);
  drawUnread();
}

/** Also forgets what is open now. */
export function drawUnread() {
  for (const pane of panes()) unread.delete(placeKey(pane.dataset));
  for (const link of document.querySelectorAll('[data-place]')) {
    const mark = link.querySelector('.unread');
    if (mark) mark.hidden = !unread.has(link.dataset.place);
  }
}

/** The list of threads comes from the server, since only there it is known what each is bound to. */
function refreshThreads() {
  clearTimeout(threadsTimer);
  threadsTimer = setTimeout(() => document.body.dispatchEvent(new Event('threads-changed')), 150);
}

function banner(words) {
  clearTimeout(patience);
  patience = undefined;
  const place = document.getElementById('banner');
  place.textContent = words;
  place.hidden = words === '';
}

function connected() {
  banner('');
  live.clear();
  for (const pane of panes()) drawLive(pane);
  for (const sign of document.querySelectorAll('.waiting')) sign.remove();
  refreshThreads();
}

function lost(source) {
  // Each attempt that fails comes here again; the first one counts.
  patience ??= setTimeout(() => banner('Connection to Skein lost. Reconnecting…'), PATIENCE_MS);
  if (source.readyState === EventSource.CLOSED) setTimeout(reopen, REOPEN_MS);
}

async function reopen() {
  if ((await isSignedIn()) === false) {
    banner('This browser is signed out. Open the address that Skein printed when it started.');
    return;
  }
  listen();
}

function listen() {
  const source = new EventSource(`/api/webchat/events?format=html&lastEventId=${lastEventId}`);
  const on = (type, handle) =>
    source.addEventListener(type, (event) => {
      if (event.lastEventId) lastEventId = event.lastEventId;
      const data = JSON.parse(event.data);
      handle(data);
      if (!LOSSY.includes(type) && data.conversation === app().dataset.conversation) refreshThreads();
    });
  on('message', showMessage);
  on('card', (message) => {
    const present = document.getElementById(`message-${message.id}`);
    if (present) replaceMessage(present, message);
  });
  on('thread', showThread);
  on('delta', (delta) => showLive(delta, (state) => state.previews.set(delta.runId, delta.html)));
  on('typing', ({ working, ...place }) =>
    showLive(place, (state) => {
      state.working = working;
      if (!working) state.previews.clear();
    }),
  );
  on('queued', showQueued);
  on('reset', () => location.reload());
  source.onopen = connected;
  source.onerror = () => lost(source);
}

export function startEvents() {
  lastEventId = app().dataset.lastEvent;
  listen();
}
