/**
 * Requests held against Discord's published API description, where that file exists beside the project. It says what is
 * unknown or of the wrong shape; the limits that the description leaves out are checked elsewhere.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface CheckedRequest {
  readonly method: string;
  /** Decoded, without `/api/v10`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed; of a multipart body its `payload_json` part. */
  readonly body: unknown;
}

export interface DiscordOpenapi {
  readonly isAvailable: boolean;
  /** What is wrong with the request, empty when nothing is. */
  check(request: CheckedRequest): readonly string[];
  /** The same of an answer that is no error. */
  checkAnswer(answer: CheckedAnswer): readonly string[];
}

interface CheckedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Parsed; undefined without one. */
  readonly body: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses?: Readonly<Record<string, { readonly content?: unknown }>>;
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

type PathItem = Readonly<Record<string, unknown>> & Pick<Operation, 'parameters'>;

interface Description {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const FILE = fileURLToPath(new URL('../../../shared/data/discord-openapi.json', import.meta.url));

/** Whoever only plays with the stand-in misses nothing by it; a test that is green without the check proves less. */
const UNCHECKED = "Requests are not checked against Discord's API description, which is not here.";
const UNCHECKED_IN_TESTS =
  "!!! Discord's API description is not there: NO REQUEST IS CHECKED against it, so these tests prove less !!!";

/** discord.js adds these to bodies in which the description does not have them. */
const TOLERATED: ReadonlySet<string> = new Set(['tts', 'enforce_nonce', 'type']);

const errorsOf = ({ errors }: ValidateFunction): readonly string[] =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath || 'body'} ${message}`);

const once = <T>(make: () => T): (() => T) => {
  const made: T[] = [];
  return () => {
    made[0] ??= make();
    return made[0];
  };
};

/** Read once a process, since the file is large. */
export const createDiscordOpenapi = once(loadDiscordOpenapi);

function loadDiscordOpenapi(): DiscordOpenapi {
  if (!existsSync(FILE)) {
    console.warn(process.env.VITEST === undefined ? UNCHECKED : UNCHECKED_IN_TESTS);
    return { isAvailable: false, check: () => [], checkAnswer: () => [] };
  }
  return createChecker(JSON.parse(readFileSync(FILE, 'utf8')) as Description);
}

function createChecker(description: Description): DiscordOpenapi {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, validateSchema: false });
  ajv.addSchema(description, 'discord');
  const paths = Object.keys(description.paths).map((path) => ({ path, parts: path.split('/') }));
  const validators = new Map<string, ValidateFunction | undefined>();

  /** The path of the description, the one with the fewest placeholders first. */
  const findPath = (path: string): string | undefined => {
    const parts = path.split('/');
    const fits = (pattern: readonly string[]) =>
      pattern.length === parts.length &&
      pattern.every((name, index) => name.startsWith('{') || name === parts[index]);
    const holes = ({ path: pattern }: { path: string }) => pattern.split('{').length;
    return paths.filter((each) => fits(each.parts)).sort((one, other) => holes(one) - holes(other))[0]?.path;
  };

  const validatorFor = (
    path: string,
    method: string,
    within: readonly string[],
  ): ValidateFunction | undefined => {
    const key = `${method} ${path} ${within.join(' ')}`;
    if (!validators.has(key)) {
      const pointer = ['paths', path, method, ...within, 'content', 'application/json', 'schema']
        .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/');
      validators.set(key, ajv.compile({ $ref: `discord#/${pointer}` }));
    }
    return validators.get(key);
  };

  const unfold = (schema: Schema): readonly Schema[] => {
    const reference = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    if (reference !== undefined) {
      const target = description.components.schemas[reference];
      return target ? unfold(target) : [];
    }
    const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] ?? []) as readonly Schema[]);
    return [schema, ...inner.flatMap(unfold)];
  };

  const knownKeys = (schema: Schema): ReadonlySet<string> =>
    new Set(unfold(schema).flatMap(({ properties }) => Object.keys((properties ?? {}) as object)));

  const unknownKeys = (schema: Schema, body: unknown): readonly string[] => {
    if (Array.isArray(body)) {
      const items = unfold(schema).find((each) => each.items)?.items as Schema | undefined;
      return items ? body.flatMap((item) => unknownKeys(items, item)) : [];
    }
    if (typeof body !== 'object' || body === null) return [];
    const known = knownKeys(schema);
    return Object.keys(body).filter((key) => !known.has(key) && !TOLERATED.has(key));
  };

  const checkBody = (path: string, method: string, { requestBody }: Operation, body: unknown) => {
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) return body === undefined ? [] : ['a body where none is known'];
    if (body === undefined) return requestBody?.required ? ['no body where one is needed'] : [];
    const problems = unknownKeys(schema, body).map((key) => `unknown key ${key}`);
    const validate = validatorFor(path, method, ['requestBody']);
    if (!validate || validate(body)) return problems;
    return [...problems, ...errorsOf(validate)];
  };

  const operationAt = (path: string | undefined, method: string): Operation | undefined =>
    path === undefined ? undefined : (description.paths[path]?.[method] as Operation | undefined);

  return {
    isAvailable: true,
    checkAnswer: ({ method: verb, path: called, status, body }) => {
      const path = findPath(called);
      const method = verb.toLowerCase();
      const answer = operationAt(path, method)?.responses?.[status];
      if (path === undefined || !answer) return [`no such answer: ${status}`];
      if (!answer.content) return body === undefined ? [] : ['a body where none is known'];
      const validate = validatorFor(path, method, ['responses', String(status)]);
      return !validate || validate(body) ? [] : errorsOf(validate);
    },
    check: (request) => {
      const path = findPath(request.path);
      const method = request.method.toLowerCase();
      const item = path === undefined ? undefined : description.paths[path];
      const operation = operationAt(path, method);
      if (path === undefined || !item || !operation) return ['no such method and path'];
      const known = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      const queries = new Set(known.filter((each) => each.in === 'query').map(({ name }) => name));
      const unknown = Object.keys(request.query).filter((name) => !queries.has(name));
      return [
        ...unknown.map((name) => `unknown query ${name}`),
        ...checkBody(path, method, operation, request.body),
      ];
    },
  };
}
