/**
 * Takes secrets out of text that is written or shown: logs, errors, transcript views. Pure, linear in the length of the
 * text, and idempotent; text without secrets comes back as it was.
 *
 *   known secrets, word for word → private keys → shapes of well-known tokens
 *
 * Ids of our own (UUIDs, hashes, platform ids, session keys) have no such shape. Known secrets go first: a shape may end
 * in the middle of a key with unusual characters and would leave its tail behind.
 */
const HIDDEN = '[redacted]';

/** Shorter "secrets" would black out ordinary words. */
const SHORTEST_SECRET = 8;

/** The same as `redact`, with the secrets prepared once: for places that redact much. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const spellings = spellingsOf(secrets);
  return (text) => {
    const known = outsideHidden(text, (part) => withoutKnown(part, spellings));
    return outsideHidden(withoutPrivateKeys(known), withoutShapes);
  };
}

/** `secrets`: values that must not be shown, whatever they look like; those under 8 characters are left alone. */
export function redact(text: string, secrets: readonly string[] = []): string {
  return createRedactor(secrets)(text);
}

/** A secret as it is, inside JSON, and inside a URL; longer ones first, since one may contain another. */
function spellingsOf(secrets: readonly string[]): readonly string[] {
  const all = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), urlSpelling(secret)]);
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

/** A lone surrogate has no URL form. */
function urlSpelling(secret: string): string {
  return secret.isWellFormed() ? encodeURIComponent(secret) : secret;
}

/** What was hidden before is no text to look into again. */
function outsideHidden(text: string, change: (part: string) => string): string {
  return text.split(HIDDEN).map(change).join(HIDDEN);
}

function withoutKnown(text: string, spellings: readonly string[]): string {
  const [first, ...rest] = spellings;
  if (first === undefined) return text;
  return text
    .split(first)
    .map((part) => withoutKnown(part, rest))
    .join(HIDDEN);
}

const PRIVATE_KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PRIVATE_KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** The body of a key whose end was cut off; line breaks may be escaped. */
const KEY_BODY = /[A-Za-z0-9+/=\s\\]*/y;

function withoutPrivateKeys(text: string): string {
  const kept: string[] = [];
  let position = 0;
  let isEndAhead = true;
  for (const begin of text.matchAll(PRIVATE_KEY_BEGIN)) {
    if (begin.index < position) continue;
    const bodyAt = begin.index + begin[0].length;
    const end: number | undefined = isEndAhead ? firstMatch(PRIVATE_KEY_END, text, bodyAt) : undefined;
    isEndAhead = end !== undefined;
    const after = end ?? firstMatch(KEY_BODY, text, bodyAt) ?? bodyAt;
    kept.push(text.slice(position, begin.index), HIDDEN);
    position = after;
  }
  return kept.join('') + text.slice(position);
}

/** Where the first match at or after `from` ends. */
function firstMatch(pattern: RegExp, text: string, from: number): number | undefined {
  const search = new RegExp(pattern);
  search.lastIndex = from;
  return search.test(text) ? search.lastIndex : undefined;
}

interface Shape {
  readonly pattern: RegExp;
  /** What stays in front of the hidden part. */
  readonly keep?: (groups: readonly string[]) => string;
  /** Tells a secret from a word that merely begins alike. */
  readonly isSecret?: (match: string, groups: readonly string[]) => boolean;
}

/**
 * Every pattern begins at a border and then takes one run of characters, so that no character is looked at more than a
 * fixed number of times.
 */
const SHAPES: readonly Shape[] = [
  // https://user:password@host
  { pattern: /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/@:"']{0,256}:)[^\s/@"']+(?=@)/gi, keep: ([start]) => start! },
  // Authorization headers
  {
    pattern: /(?<!\w)((?:Bearer|Basic|Bot)[ \t]{1,4})([\w.~+/=-]{8,})/gi,
    keep: ([scheme]) => scheme!,
    isSecret: (_, [, token]) => /\d/.test(token!) || token!.length >= 24,
  },
  // OpenAI, Anthropic, OpenRouter and those that copy them
  {
    pattern: /(?<![\w-])sk-[\w-]{16,}/g,
    isSecret: (match) => /[A-Z\d]/.test(match) || /[a-z]{16}/.test(match),
  },
  // Slack
  { pattern: /(?<![\w-])(?:xox[a-z]|xapp|xoxe\.xox[a-z])-[\w-]{10,}/g },
  // Discord bot token: id, time, signature
  { pattern: /(?<![\w-])[MNO][\w-]{22,29}\.[\w-]{6,7}\.[\w-]{27,}/g },
  // GitHub, GitLab, npm, Groq, Hugging Face, Stripe
  { pattern: /(?<![\w-])(?:gh[pousr]_|github_pat_|glpat-|npm_|gsk_|hf_|[sr]k_live_)[\w-]{20,}/g },
  // Google
  { pattern: /(?<![\w-])AIza[\w-]{35}/g },
  // AWS access key id
  { pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  // JSON web token, signed or encrypted
  { pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*(?:\.[\w-]+){0,2}/g },
];

function withoutShapes(text: string): string {
  return SHAPES.reduce(withoutShape, text);
}

function withoutShape(text: string, { pattern, keep, isSecret }: Shape): string {
  return text.replaceAll(pattern, (match, ...rest: unknown[]) => {
    const groups = rest.filter((part) => typeof part === 'string').slice(0, -1);
    if (isSecret && !isSecret(match, groups)) return match;
    return `${keep ? keep(groups) : ''}${HIDDEN}`;
  });
}
