/** Takes credentials out of texts that end up in logs and chats: the configured key, look-alikes, and logins in addresses. */

const MAX_LENGTH = 400;
const HIDDEN = '[redacted]';

export function redactKey(text: string, apiKey: string | undefined): string {
  const withoutKey = apiKey ? text.replaceAll(apiKey, HIDDEN) : text;
  const clean = withoutKey
    .replace(/\bBearer\s+[^\s"',]+/gi, `Bearer ${HIDDEN}`)
    .replace(/\bsk-[\w*-]{6,}/g, HIDDEN)
    .replace(/(:\/\/)[^/@\s]+@/g, `$1${HIDDEN}@`);
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}
