/** Limits of a message that Discord checks itself and its published description does not. */
import { type ApiError, invalidForm } from './api-error.ts';
import type { Json } from './world.ts';

const FLAG_COMPONENTS_V2 = 1 << 15;
const LINK_STYLE = 5;

interface Broken {
  readonly field: string;
  readonly reason: string;
  readonly problem: string;
}

const tooLong = (field: string, length: number): Broken => ({
  field,
  reason: 'BASE_TYPE_MAX_LENGTH',
  problem: `Must be ${length} or fewer in length.`,
});

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const textLength = (value: unknown): number => (typeof value === 'string' ? [...value].length : 0);

/** Every component below, with its path. */
function walk(components: readonly Json[], path: string): readonly (readonly [string, Json])[] {
  return components.flatMap((component, index) => {
    const here = `${path}.${index}`;
    return [[here, component] as const, ...walk(list(component.components), `${here}.components`)];
  });
}

function brokenComponents(body: Json): readonly Broken[] {
  const rows = list(body.components);
  const isV2 = (Number(body.flags ?? 0) & FLAG_COMPONENTS_V2) !== 0;
  const broken: Broken[] = [];
  if (!isV2 && rows.length > 5)
    broken.push({
      field: 'components',
      reason: 'BASE_TYPE_BAD_LENGTH',
      problem: 'Must be between 1 and 5 in length.',
    });
  const ids = new Set<string>();
  for (const [field, component] of walk(rows, 'components')) {
    const id = component.custom_id;
    if (component.type === 1 && list(component.components).length > 5)
      broken.push({
        field: `${field}.components`,
        reason: 'BASE_TYPE_BAD_LENGTH',
        problem: 'At most 5 buttons.',
      });
    if (component.type === 2 && component.style === LINK_STYLE && typeof component.url !== 'string')
      broken.push({ field: `${field}.url`, reason: 'BASE_TYPE_REQUIRED', problem: 'This field is required' });
    if (component.type === 2 && component.style !== LINK_STYLE && component.style !== 6 && !id)
      broken.push({
        field: `${field}.custom_id`,
        reason: 'BASE_TYPE_REQUIRED',
        problem: 'This field is required',
      });
    if (textLength(component.label) > 80) broken.push(tooLong(`${field}.label`, 80));
    if (typeof id !== 'string') continue;
    if (textLength(id) > 100) broken.push(tooLong(`${field}.custom_id`, 100));
    if (ids.has(id))
      broken.push({
        field: `${field}.custom_id`,
        reason: 'COMPONENT_CUSTOM_ID_DUPLICATED',
        problem: 'Component custom id cannot be duplicated',
      });
    ids.add(id);
  }
  return broken;
}

function brokenEmbeds(body: Json): readonly Broken[] {
  let total = 0;
  const broken: Broken[] = [];
  const check = (field: string, value: unknown, limit: number) => {
    total += textLength(value);
    if (textLength(value) > limit) broken.push(tooLong(field, limit));
  };
  list(body.embeds).forEach((embed, index) => {
    const at = `embeds.${index}`;
    check(`${at}.title`, embed.title, 256);
    check(`${at}.description`, embed.description, 4096);
    check(`${at}.footer.text`, (embed.footer as Json | undefined)?.text, 2048);
    check(`${at}.author.name`, (embed.author as Json | undefined)?.name, 256);
    const fields = list(embed.fields);
    if (fields.length > 25) broken.push(tooLong(`${at}.fields`, 25));
    fields.forEach((field, position) => {
      check(`${at}.fields.${position}.name`, field.name, 256);
      check(`${at}.fields.${position}.value`, field.value, 1024);
    });
  });
  if (list(body.embeds).length > 10) broken.push(tooLong('embeds', 10));
  if (total > 6000)
    broken.push({
      field: 'embeds',
      reason: 'MAX_EMBED_SIZE_EXCEEDED',
      problem: 'Embed size exceeds maximum size of 6000',
    });
  return broken;
}

export function brokenMessage(body: Json): readonly Broken[] {
  const broken = [...brokenEmbeds(body), ...brokenComponents(body)];
  if (textLength(body.content) > 2000) broken.unshift(tooLong('content', 2000));
  return broken;
}

/** A name of 1 to 100 characters. */
export function brokenThreadName(name: unknown): readonly Broken[] {
  const length = typeof name === 'string' ? [...name].length : 0;
  if (length >= 1 && length <= 100) return [];
  return [{ field: 'name', reason: 'BASE_TYPE_BAD_LENGTH', problem: 'Must be between 1 and 100 in length.' }];
}

/** Half of a surrogate pair anywhere in the body, as a path; Discord answers it with an error or shows rubbish. */
export function loneSurrogate(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path || 'body';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = loneSurrogate(inner, path ? `${path}.${key}` : key);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const formError = ({ field, reason, problem }: Broken): ApiError =>
  invalidForm(field, reason, problem);
export type { Broken };
