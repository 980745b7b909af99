/** Random ids and tokens from the system's cryptographic source. */
import { randomBytes } from 'node:crypto';
import type { Ids } from '../../src/ports/ids.ts';

/** 12 bits beside the milliseconds order the ids of one millisecond. */
const LAST_COUNT = 0xfff;

/** Ids of one instance sort in the order in which they were made, also when the clock is set back. */
export function createSystemIds(): Ids {
  let lastAt = 0;
  let count = 0;
  const nextStamp = () => {
    const now = Date.now();
    if (now > lastAt) {
      lastAt = now;
      count = 0;
    } else if (count === LAST_COUNT) {
      lastAt += 1;
      count = 0;
    } else {
      count += 1;
    }
    return { at: lastAt, count };
  };
  return {
    uuid() {
      const { at, count: ordinal } = nextStamp();
      return formatUuid(at, ordinal, randomBytes(8));
    },
    secret: () => randomBytes(32).toString('base64url'),
  };
}

/** RFC 9562, version 7: 48 bits of time, 12 of order, 62 random ones. */
function formatUuid(at: number, ordinal: number, random: Buffer): string {
  random[0] = (random[0]! & 0x3f) | 0x80;
  const time = at.toString(16).padStart(12, '0');
  const order = ordinal.toString(16).padStart(3, '0');
  const tail = random.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
