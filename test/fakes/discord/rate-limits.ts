/** Buckets by route and major parameter, their headers, and refusals on demand. */
import type { JournalEntry } from './journal.ts';

export interface Bucket {
  readonly limit: number;
  readonly windowMs: number;
}

export interface Storm {
  /** A pattern for `METHOD /path`. */
  readonly call: RegExp;
  readonly retryAfterMs: number;
  /** Default 1. */
  readonly times?: number;
  /** Only every so many-th of the matching calls; default 1. */
  readonly every?: number;
  /** Default `user`. `global` also sets the global header. */
  readonly scope?: 'user' | 'global' | 'shared';
}

export interface RateLimits {
  /** The limit of the routes whose `METHOD /path` matches; later ones win. */
  setLimit(call: RegExp, bucket: Bucket): void;
  /** Matching calls to come are refused with 429. */
  refuse(storm: Storm): void;
  /** Answers of 401, 403 and 429 (without the shared ones): what Discord bans for. */
  readonly invalidRequests: number;
}

export interface Verdict {
  readonly headers: Record<string, string>;
  readonly refusal?: {
    readonly retryAfterMs: number;
    readonly isGlobal: boolean;
    readonly isShared: boolean;
  };
}

export type ActiveRateLimits = RateLimits & {
  take(call: JournalEntry, route: string, major: string): Verdict;
  count(status: number, isShared: boolean): void;
};

const DEFAULT_BUCKET: Bucket = { limit: 1_000, windowMs: 1_000 };

interface Window {
  endsAt: number;
  used: number;
}

export function createRateLimits(now: () => number): ActiveRateLimits {
  const limits: { call: RegExp; bucket: Bucket }[] = [];
  const storms: { storm: Storm; left: number; seen: number }[] = [];
  const windows = new Map<string, Window>();
  let invalidRequests = 0;

  const windowOf = (key: string, bucket: Bucket): Window => {
    const known = windows.get(key);
    if (known && known.endsAt > now()) return known;
    const fresh = { endsAt: now() + bucket.windowMs, used: 0 };
    windows.set(key, fresh);
    return fresh;
  };

  const stormFor = (name: string): Storm | undefined => {
    const found = storms.find(({ storm, left }) => left > 0 && storm.call.test(name));
    if (!found) return undefined;
    found.seen += 1;
    if (found.seen % (found.storm.every ?? 1) !== 0) return undefined;
    found.left -= 1;
    return found.storm;
  };

  return {
    get invalidRequests() {
      return invalidRequests;
    },
    setLimit: (call, bucket) => limits.unshift({ call, bucket }),
    refuse: (storm) => storms.push({ storm, left: storm.times ?? 1, seen: 0 }),
    count: (status, isShared) => {
      if (status === 401 || status === 403 || (status === 429 && !isShared)) invalidRequests += 1;
    },
    take: (call, route, major) => {
      const name = `${call.method} ${call.path}`;
      const storm = stormFor(name);
      if (storm) return stormVerdict(storm, route);
      const bucket = limits.find((each) => each.call.test(name))?.bucket ?? DEFAULT_BUCKET;
      const window = windowOf(`${route}|${major}`, bucket);
      const resetAfterMs = window.endsAt - now();
      const isOver = window.used >= bucket.limit;
      if (!isOver) window.used += 1;
      const headers = {
        'X-RateLimit-Limit': String(bucket.limit),
        'X-RateLimit-Remaining': String(bucket.limit - window.used),
        'X-RateLimit-Reset': (window.endsAt / 1000).toFixed(3),
        'X-RateLimit-Reset-After': (resetAfterMs / 1000).toFixed(3),
        'X-RateLimit-Bucket': bucketId(route),
      };
      if (!isOver) return { headers };
      return {
        headers: { ...headers, ...retryHeaders(resetAfterMs), 'X-RateLimit-Scope': 'user' },
        refusal: { retryAfterMs: resetAfterMs, isGlobal: false, isShared: false },
      };
    },
  };
}

/** Whole seconds as Discord sends them; below one second the fraction stays, so that tests need not wait. */
const retryHeaders = (retryAfterMs: number) => ({
  'Retry-After': String(retryAfterMs < 1000 ? retryAfterMs / 1000 : Math.ceil(retryAfterMs / 1000)),
});

function stormVerdict({ retryAfterMs, scope = 'user' }: Storm, route: string): Verdict {
  const isGlobal = scope === 'global';
  return {
    headers: {
      ...retryHeaders(retryAfterMs),
      'X-RateLimit-Scope': scope,
      ...(isGlobal
        ? { 'X-RateLimit-Global': 'true' }
        : {
            'X-RateLimit-Limit': '5',
            'X-RateLimit-Remaining': '0',
            'X-RateLimit-Reset-After': (retryAfterMs / 1000).toFixed(3),
            'X-RateLimit-Bucket': bucketId(route),
          }),
    },
    refusal: { retryAfterMs, isGlobal, isShared: scope === 'shared' },
  };
}

/** A short stable name for the route. */
function bucketId(route: string): string {
  let hash = 0;
  for (const letter of route) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash.toString(16).padStart(8, '0').repeat(4);
}
