/**
 * Reading the zod schema as data: which keys there are at a place, and what is expected there. Knows nothing of any key
 * in particular.
 */
import { z } from 'zod';

export type Path = readonly PropertyKey[];

/** The schemas that a value at this place is checked by, outermost wrapper first; unions give each of their options. */
function layers(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodPipe) return [schema, ...layers(schema.in)];
  if (schema instanceof z.ZodUnion) return [schema, ...schema.options.flatMap(layers)];
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodOptional
  ) {
    return [schema, ...layers(schema.unwrap())];
  }
  return [schema];
}

/** Known keys of the object at this place; `undefined` where any key may stand (or none). */
export function knownKeys(schema: z.core.$ZodType): readonly string[] | undefined {
  const objects = layers(schema).filter((layer) => layer instanceof z.ZodObject);
  return objects.length === 0 ? undefined : objects.flatMap((object) => Object.keys(object.shape));
}

/** The schema of one key or index below `schema`. */
export function childSchema(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  for (const layer of layers(schema)) {
    if (layer instanceof z.ZodObject && Object.hasOwn(layer.shape, key)) return layer.shape[String(key)];
    if (layer instanceof z.ZodRecord) return layer.valueType;
    if (layer instanceof z.ZodArray) return layer.element;
  }
  return undefined;
}

/** What the names of a record's entries are checked by. */
export function keySchema(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  return layers(schema).find((layer) => layer instanceof z.ZodRecord)?.keyType;
}

/** The texts that are accepted there, where those are few. */
export function knownValues(schema: z.core.$ZodType): readonly string[] {
  return layers(schema).flatMap((layer) => {
    if (layer instanceof z.ZodEnum) return layer.options.map(String);
    const known = layer instanceof z.ZodType ? layer.meta()?.known : undefined;
    return Array.isArray(known) ? known.map(String) : [];
  });
}

export function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  let current: z.core.$ZodType | undefined = schema;
  for (const key of path) current = current && childSchema(current, key);
  return current;
}

/** Type and range in words: `a whole number from 1 to 5`. */
export function expectation(schema: z.core.$ZodType): string {
  const all = layers(schema);
  for (const layer of all) {
    const expected = layer instanceof z.ZodType ? layer.meta()?.expected : undefined;
    if (typeof expected === 'string') return expected;
  }
  const innermost = all.at(-1);
  if (innermost instanceof z.ZodNumber) return numberRange(innermost);
  if (innermost instanceof z.ZodEnum) return `one of ${innermost.options.map(quote).join(', ')}`;
  if (innermost instanceof z.ZodBoolean) return 'true or false';
  if (innermost instanceof z.ZodString) return 'a text that is not empty';
  if (innermost instanceof z.ZodArray) return `a list, each item ${expectation(innermost.element)}`;
  return 'an object { … }';
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}

/** zod reports the limits of a safe integer for whole numbers without a limit of their own. */
function numberRange(schema: z.ZodNumber): string {
  const kind = schema.isInt ? 'a whole number' : 'a number';
  const hasMin = schema.minValue !== null && schema.minValue > Number.MIN_SAFE_INTEGER;
  const hasMax = schema.maxValue !== null && schema.maxValue < Number.MAX_SAFE_INTEGER;
  if (hasMin && hasMax) return `${kind} from ${schema.minValue} to ${schema.maxValue}`;
  if (!hasMin) return kind;
  const isExclusive = !schema.safeParse(schema.minValue).success;
  return `${kind} ${isExclusive ? '>' : '>='} ${schema.minValue}`;
}

/** `agents.list[0].id`; keys that are not plain words are quoted. */
export function formatPath(path: Path): string {
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      const word = String(key);
      const plain = /^[\w$*-]+$/.test(word) ? word : quote(word);
      return index === 0 ? plain : `.${plain}`;
    })
    .join('');
}

/** Paths of all keys that the schema knows, with `*` for any name and without list indexes. */
export function allKnownPaths(schema: z.core.$ZodType, prefix: Path = []): readonly Path[] {
  const below = layers(schema).flatMap((layer): readonly (readonly [string, z.core.$ZodType])[] => {
    if (layer instanceof z.ZodObject) return Object.entries(layer.shape);
    return layer instanceof z.ZodRecord ? [['*', layer.valueType]] : [];
  });
  const list = layers(schema).find((layer) => layer instanceof z.ZodArray);
  return [
    ...(list ? allKnownPaths(list.element, prefix) : []),
    ...below.flatMap(([key, child]) => [[...prefix, key], ...allKnownPaths(child, [...prefix, key])]),
  ];
}
