// Brings the server-rendered page to life. Everything listens on the document, so parts of it may be replaced at any time.
import { localTimes, startClock } from './clock.js';
import { startCompletion } from './completion.js';
import { focusComposer, restoreDrafts, startComposer } from './composer.js';
import { drawLive, drawUnread, startEvents } from './events.js';
import { startPairings } from './pairings.js';
import { app, panes, scrollToEnd } from './places.js';

/** On a phone the focus would bring up the keyboard over what the reader came to see. */
const hasKeyboard = matchMedia('(hover: hover)');
let shownApp;

/** Each time the inside of the page is new. */
function settle() {
  if (shownApp === app()) return;
  shownApp = app();
  localTimes(shownApp);
  restoreDrafts();
  drawUnread();
  for (const pane of panes()) {
    drawLive(pane);
    scrollToEnd(pane);
  }
  if (hasKeyboard.matches) focusComposer();
}

/** The head of an open thread says the same as its line in the list. */
function copyBinding() {
  const line = document.querySelector('.threads a[aria-current] .thread-bound');
  const head = document.querySelector('[data-thread-bound]');
  if (line && head) head.innerHTML = line.innerHTML;
}

function toggleSidebar(isOpen) {
  app().classList.toggle('sidebar-open', isOpen);
  document.querySelector(isOpen ? '[data-close-sidebar]' : '[data-open-sidebar]')?.focus();
}

function onClick(event) {
  const isOpen = app().classList.contains('sidebar-open');
  if (event.target.closest('[data-open-sidebar]')) toggleSidebar(true);
  else if (isOpen && (event.target.closest('[data-close-sidebar]') || !event.target.closest('.sidebar')))
    toggleSidebar(false);
}

function onEscape(event) {
  if (event.key !== 'Escape' || event.defaultPrevented) return;
  if (app().classList.contains('sidebar-open')) toggleSidebar(false);
  else document.querySelector('[data-close-thread]')?.click();
}

document.addEventListener('click', onClick);
document.addEventListener('keydown', onEscape);
document.addEventListener('htmx:afterSettle', () => {
  settle();
  drawUnread();
  copyBinding();
});
// What a link leads to could not be shown here (signed out, gone): let the browser go there and show why.
document.addEventListener('htmx:responseError', ({ detail }) => {
  if (detail.boosted) location.assign(detail.pathInfo.requestPath);
});
startComposer();
startCompletion();
startClock();
settle();
startEvents();
startPairings();
