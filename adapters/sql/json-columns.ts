/**
 * What the JSON columns hold. A row may have been written by an older version or edited by hand, so text from the database
 * is parsed here and nowhere else. `exactly` makes the compiler compare a schema with the type it stands for, both ways: a
 * field added to the type and forgotten here would otherwise be dropped in silence.
 */
import { z } from 'zod';
import type { Address } from '../../src/core/address.ts';
import type { RunCard } from '../../src/core/card.ts';
import type { Usage } from '../../src/core/run.ts';
import { RUN_STATUSES } from '../../src/core/run.ts';
import { AppError } from '../../src/errors.ts';

type Plain<T> = T extends string | number | boolean | null | undefined
  ? T extends string
    ? string extends T
      ? string
      : T extends { readonly [key: symbol]: string }
        ? string
        : T
    : T
  : { -readonly [K in keyof T]: Plain<T[K]> };
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? unknown : 'differs from its type';

/** One JSON column: written with `JSON.stringify`, read back with `parse`. */
export interface JsonColumn<T> {
  parse(text: string): T;
  /** `undefined` for NULL. */
  parseOptional(text: string | null): T | undefined;
}

export function exactly<T>() {
  return <S extends z.ZodType>(
    name: string,
    schema: S & Same<Plain<z.output<S>>, Plain<T>>,
  ): JsonColumn<T> & { readonly schema: S } => {
    const parse = (text: string): T => {
      try {
        return schema.parse(JSON.parse(text)) as T;
      } catch (cause) {
        throw new AppError('store-failed', `A stored ${name} cannot be read.`, { cause });
      }
    };
    return { schema, parse, parseOptional: (text) => (text === null ? undefined : parse(text)) };
  };
}

export const usageJson = exactly<Usage>()(
  'usage',
  z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() }),
);

export const addressJson = exactly<Address>()(
  'address',
  z.object({
    channel: z.string(),
    account: z.string(),
    chatType: z.enum(['direct', 'group', 'channel']),
    conversation: z.string(),
    thread: z.string().exactOptional(),
  }),
);

export const cardJson = exactly<RunCard>()(
  'card',
  z.object({
    runId: z.string(),
    agent: z.string(),
    label: z.string(),
    state: z.enum(['opening', ...RUN_STATUSES]),
    thread: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    startedAt: z.number().exactOptional(),
    endedAt: z.number().exactOptional(),
    usage: usageJson.schema,
    activeChildren: z.number(),
    note: z.string().exactOptional(),
    actions: z.array(
      z.object({ label: z.string(), command: z.string(), thread: z.string().exactOptional() }),
    ),
  }),
);
