// Where things are in the document: panes, and the place (channel or thread) that each is for.

export const app = () => document.getElementById('app');

export const panes = () => [...document.querySelectorAll('[data-pane]')];

/** `general`, or `general/<thread>`. */
export const placeKey = ({ conversation, thread }) => (thread ? `${conversation}/${thread}` : conversation);

export const paneOf = (place) => panes().find((pane) => placeKey(pane.dataset) === placeKey(place));

/** The place of a pane or button, without an empty thread. */
export function placeOf({ dataset: { conversation, thread } }) {
  return thread ? { conversation, thread } : { conversation };
}

/** Follows a link of our own as if it had been pressed, so that only the inside of the page changes. */
export function go(path) {
  const link = document.createElement('a');
  link.href = path;
  link.hidden = true;
  app().append(link);
  window.htmx?.process(link);
  link.click();
}

const NEAR_END_PX = 80;

export function isAtEnd(pane) {
  const area = pane.querySelector('[data-scroll]');
  return area.scrollHeight - area.scrollTop - area.clientHeight < NEAR_END_PX;
}

export function scrollToEnd(pane) {
  const area = pane.querySelector('[data-scroll]');
  area.scrollTop = area.scrollHeight;
  pane.querySelector('[data-to-newest]').hidden = true;
}
