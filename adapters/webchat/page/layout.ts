/** The whole document. No script or style is inline, so the page's security policy can forbid both. */
import { html } from 'hono/html';
import { STYLES } from './assets.ts';
import { channelPane, type Pane, threadPane } from './pane-view.ts';
import { type Sidebar, sidebarView } from './sidebar-view.ts';

export interface PageView extends Sidebar {
  readonly channel: Pane;
  readonly openThread?: Parameters<typeof threadPane>[0];
  /** Where the event stream goes on from. */
  readonly lastEventId: number;
  /** Changes when an asset does. */
  readonly version: string;
}

const HTMX_CONFIG = JSON.stringify({
  includeIndicatorStyles: false,
  allowEval: false,
  allowScriptTags: false,
  historyCacheSize: 0,
  refreshOnHistoryMiss: true,
  scrollIntoViewOnBoost: false,
  // Without `style`, which the security policy forbids as an attribute.
  attributesToSettle: ['class', 'width', 'height'],
});

export function pageView(view: PageView) {
  const place = view.openThread ? view.openThread.thread.title : `#${view.conversation}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${HTMX_CONFIG}">
<title>${place} · Skein</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${styles(view.version)}
<script src="/assets/theme.js?v=${view.version}"></script>
<script src="/assets/htmx.min.js?v=${view.version}" defer></script>
<script type="module" src="/assets/page.js?v=${view.version}"></script>
</head>
<body>
<p class="banner" id="banner" role="status" hidden></p>
<aside class="pairings" id="pairings" aria-label="People who wait to be let in" aria-live="polite" hidden></aside>
<div class="visually-hidden" id="announcer" aria-live="polite"></div>
<div class="app ${view.openThread ? 'has-thread' : ''}" id="app" hx-boost="true" hx-target="#app" hx-select="#app" hx-swap="outerHTML"
  data-conversation="${view.conversation}" data-thread="${view.thread ?? ''}" data-last-event="${view.lastEventId}">
${sidebarView(view)}
${channelPane(view.channel)}
${view.openThread ? threadPane(view.openThread) : ''}
</div>
</body>
</html>`;
}

function styles(version: string) {
  return STYLES.map((name) => html`<link rel="stylesheet" href="/assets/${name}?v=${version}">`);
}

export function notFoundView(what: string, version: string) {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found · Skein</title>${styles(version)}</head>
<body><div class="lost"><h1>${what}</h1><p><a href="/">Back to #general</a></p></div></body></html>`;
}
