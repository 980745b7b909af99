// The few calls of the web chat's HTTP API that the page makes.

/** A random id, so that sending the same thing again after a lost answer shows it once. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `u${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export const postMessage = (body) =>
  call('/api/webchat/messages', { method: 'POST', body: JSON.stringify(body) });

export const postThread = (body) =>
  call('/api/webchat/threads', { method: 'POST', body: JSON.stringify(body) });

export async function completions(place, text, signal) {
  const query = new URLSearchParams({ ...place, text });
  return (await call(`/api/webchat/commands?${query}`, { signal })).completions;
}

/** Strangers who wait to be let in. */
export const pairings = async () => (await call('/api/pairings')).pairings;

export const decidePairing = (code, decision) =>
  call(`/api/pairings/${encodeURIComponent(code)}`, { method: 'POST', body: JSON.stringify({ decision }) });

/** Whether this browser is still let in; undefined when nobody answers. */
export async function isSignedIn() {
  try {
    return (await fetch('/api/webchat/conversations')).status !== 401;
  } catch {
    return undefined;
  }
}

/** Rejects with an Error whose message is for the reader. */
async function call(path, init) {
  let response;
  try {
    response = await fetch(path, { ...init, headers: { 'Content-Type': 'application/json' } });
  } catch (cause) {
    if (cause.name === 'AbortError') throw cause;
    throw new Error('Skein cannot be reached.', { cause });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error?.message ?? `Skein answered with ${response.status}.`);
  return answer;
}
