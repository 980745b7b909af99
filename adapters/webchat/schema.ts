/**
 * What the web chat's API accepts. A body or query is read here once; whatever passes is trusted afterwards. Problems name
 * the field and what was expected of it.
 */
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const NAME_EXPECTED = 'expected 1 to 64 of a-z, 0-9, "_" and "-", beginning with a letter or digit';
/** Beyond this a message is refused as too large (413), in UTF-16 units. */
export const MAX_TEXT_LENGTH = 100_000;
export const MAX_TITLE_LENGTH = 100;
const MAX_LIMIT = 500;
/** The name under which the person who holds the token writes. */
export const OWNER = 'owner';

const Name = z.string(NAME_EXPECTED).regex(NAME, NAME_EXPECTED);
const UserName = Name.refine(
  (name) => name !== OWNER,
  `"${OWNER}" is reserved; leave the field out to write as the owner`,
);
const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'expected a whole number of at least 0')
    .transform((digits) => Math.min(Number(digits), max));

/** Half a surrogate pair could not be stored, and the message would not be the same when it is posted again. */
const wellFormed = z.string('expected text').transform((text) => text.toWellFormed());

export const PostMessage = z
  .strictObject({
    conversation: Name,
    thread: Name.optional(),
    user: UserName.optional(),
    text: wellFormed.refine((text) => text.trim() !== '', 'expected text that is not empty'),
    id: Name.optional(),
    via: z.literal('button', 'expected "button", or no such field').optional(),
  })
  .refine(({ via, text }) => via === undefined || /^[/!]/.test(text), {
    path: ['text'],
    message: 'expected a command, since "via" is "button"',
  });
export type PostMessage = z.infer<typeof PostMessage>;

export const PostThread = z.strictObject({
  conversation: Name,
  messageId: Name.optional(),
  title: wellFormed
    .transform((title) => title.replace(/\s+/g, ' ').trim())
    .refine((title) => title !== '', 'expected text that is not empty')
    .refine((title) => title.length <= MAX_TITLE_LENGTH, `expected at most ${MAX_TITLE_LENGTH} characters`)
    .optional(),
});
export type PostThread = z.infer<typeof PostThread>;

export const MessagesQuery = z.object({
  conversation: Name,
  thread: Name.optional(),
  after: count(Number.MAX_SAFE_INTEGER).optional(),
  limit: count(MAX_LIMIT)
    .refine((limit) => limit > 0, `expected 1 to ${MAX_LIMIT}`)
    .default(100),
});

export const ThreadsQuery = z.object({ conversation: Name });

export const CommandsQuery = z.object({
  conversation: Name,
  thread: Name.optional(),
  text: z.string('expected the text typed so far').max(2_000, 'expected at most 2000 characters'),
});

export const EventsQuery = z.object({
  conversation: Name.optional(),
  lastEventId: count(Number.MAX_SAFE_INTEGER).optional(),
  format: z.literal('html', 'expected "html", or no such parameter').optional(),
});

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** @throws AppError `bad-request`, or `payload-too-large` for a text that is too long. */
export function readBody<S extends z.ZodType>(schema: S, body: string): z.infer<S> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new AppError('bad-request', 'The body is not valid JSON.', { cause });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new AppError('bad-request', 'The body must be a JSON object.');
  }
  const text = (parsed as { text?: unknown }).text;
  if (typeof text === 'string' && text.length > MAX_TEXT_LENGTH) {
    throw new AppError('payload-too-large', `text: at most ${MAX_TEXT_LENGTH} characters are accepted.`);
  }
  return check(schema, parsed);
}

/** Empty parameters count as absent, so that a form may send them. */
export function readQuery<S extends z.ZodType>(schema: S, query: Record<string, string>): z.infer<S> {
  const given = Object.entries(query).filter(([name, value]) => value !== '' || name === 'text');
  return check(schema, Object.fromEntries(given));
}

function check<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('bad-request', describe(result.error.issues[0]!));
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `There is no field "${issue.keys[0]}".`;
  return `${issue.path.join('.')}: ${issue.message}.`;
}
