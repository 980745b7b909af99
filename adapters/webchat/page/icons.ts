/** The page's few icons, as inline SVG in the colour of the text around them. Always decorative: words stand beside them. */
import { html, raw } from 'hono/html';

const PATHS = {
  thread: '<path d="M4 5h12v8H9l-4 3v-3H4z"/>',
  back: '<path d="M12 4 6 10l6 6"/>',
  close: '<path d="m5 5 10 10M15 5 5 15"/>',
  menu: '<path d="M3 6h14M3 10h14M3 14h14"/>',
  send: '<path d="M4 10h12M11 5l5 5-5 5"/>',
  theme: '<circle cx="10" cy="10" r="6"/><path d="M10 4a6 6 0 0 1 0 12z" fill="currentColor"/>',
  plus: '<path d="M10 4v12M4 10h12"/>',
  opening: '<circle cx="10" cy="10" r="6" stroke-dasharray="3 3"/>',
  queued: '<circle cx="10" cy="10" r="6"/><path d="M10 6.5V10l2.5 1.5"/>',
  running: '<path d="M10 4a6 6 0 1 1-6 6"/>',
  waiting: '<path d="M7.5 5v10M12.5 5v10"/>',
  succeeded: '<path d="m4.5 10.5 3.5 3.5 7.5-8"/>',
  failed: '<circle cx="10" cy="10" r="6"/><path d="M10 6.5v4M10 13.2v.1"/>',
  timed_out: '<path d="M6 4h8M6 16h8M7 4c0 4 6 4 6 12M13 4c0 4-6 4-6 12"/>',
  cancelled: '<rect x="5.5" y="5.5" width="9" height="9" rx="1.5"/>',
  interrupted: '<path d="m11 3-5 8h4l-1 6 5-8h-4z"/>',
} as const;

export type Icon = keyof typeof PATHS;

export function icon(name: Icon) {
  return html`<svg class="icon icon-${name}" viewBox="0 0 20 20" aria-hidden="true" focusable="false">${raw(PATHS[name])}</svg>`;
}
