/** What a browser sees that has not opened the printed address yet. Carries its own style, allowed by its hash. */
import { createHash } from 'node:crypto';

const STYLE = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;
font:16px/1.6 system-ui,sans-serif;background:Canvas;color:CanvasText}main{max-width:32rem;padding:2rem}
h1{font-size:1.4rem;margin:0 0 .5rem}code{font-family:ui-monospace,monospace;font-size:.95em}p{margin:.6rem 0}`;

const HTML = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Skein: please sign in</title><style>${STYLE}</style></head>
<body><main><h1>This browser is not signed in</h1>
<p>When Skein started, it printed an address that ends in <code>/?token=…</code>. Open that address once in this browser;
afterwards this page works without it.</p>
<p>Can’t find it any more? Restart Skein and it prints the address again. If you have just opened it,
<a href="/">try again</a>.</p></main></body></html>`;

export function signedOutPage(): { readonly html: string; readonly contentSecurityPolicy: string } {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return {
    html: HTML,
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}
