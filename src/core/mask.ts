/**
 * Takes the process's own secrets out of what it says: a model or a tool may have come to know one, and what is said in a
 * chat cannot be taken back. Exact matches only, so that no other text is ever changed.
 */
import type { RunCard } from './card.ts';

const HIDDEN = '[redacted]';
/** Shorter ones would black out ordinary words. */
const SHORTEST_SECRET = 8;
/** So much of a secret at the end of a text that is still being written may become the whole of it. */
const SHORTEST_BEGINNING = 4;

export interface Mask {
  text(text: string): string;
  /** For a text that goes on: the beginning of a secret at its end is held back too. */
  unfinished(text: string): string;
  /** For each text in a value that came as JSON; the names of its fields stay. */
  json(value: unknown): unknown;
}

export function createMask(secrets: readonly string[]): Mask {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const whole = (text: string) => known.reduce((masked, secret) => masked.replaceAll(secret, HIDDEN), text);
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return whole(value);
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, json(field)]));
  };
  return {
    text: whole,
    json,
    unfinished(text) {
      const masked = whole(text);
      for (const secret of known) {
        for (let length = secret.length - 1; length >= SHORTEST_BEGINNING; length--) {
          if (masked.endsWith(secret.slice(0, length))) return masked.slice(0, -length);
        }
      }
      return masked;
    },
  };
}

/** The words of a card come from models too. */
export function maskedCard(card: RunCard, mask: Mask): RunCard {
  return {
    ...card,
    label: mask.text(card.label),
    ...(card.title !== undefined && { title: mask.text(card.title) }),
    ...(card.note !== undefined && { note: mask.text(card.note) }),
  };
}
