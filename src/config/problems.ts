/**
 * What is wrong with a configuration, for people: where, what was expected there, and what was found. A found value is
 * shown only where it cannot be a secret.
 */
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { nearest } from './nearest.ts';
import { expectation, formatPath, keySchema, knownValues, type Path, schemaAt } from './schema-walk.ts';
import { isSecretPath } from './secret-paths.ts';

export interface Problem {
  /** `agents.defaults.subagents.maxSpawnDepth`, or the name of an environment variable. */
  readonly path: string;
  readonly expected: string;
  /** Absent when saying it would add nothing. */
  readonly found?: string;
  /** What was probably meant by it. */
  readonly nearest?: string;
}

/** Thrown when the configuration cannot be used; nothing has been opened or written by then. */
export class ConfigError extends AppError {
  readonly problems: readonly Problem[];
  /** What would have been warned of if the values had been right. */
  readonly warnings: readonly string[];

  constructor(problems: readonly Problem[], warnings: readonly string[], source: string | undefined) {
    const lines = [
      heading(problems.length, source),
      ...problems.map(problemLine),
      ...warnings.map((text) => `  ${text}`),
    ];
    super('config-invalid', lines.join('\n'));
    this.problems = problems;
    this.warnings = warnings;
  }
}

function heading(count: number, source: string | undefined): string {
  const file = source === undefined ? '' : ` (file: ${source})`;
  return `The configuration has ${count === 1 ? 'a wrong value' : `${count} wrong values`}${file}:`;
}

function problemLine({ path, expected, found, nearest: meant }: Problem): string {
  const instead = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return `  ${path}: expected ${expected}${found === undefined ? '' : `, found ${found}`}${instead}`;
}

export function problemsOf(schema: z.ZodType, value: unknown, error: z.ZodError): readonly Problem[] {
  return error.issues.map((issue) => {
    const isKey = issue.code === 'invalid_key';
    const at = schemaAt(schema, isKey ? issue.path.slice(0, -1) : issue.path) ?? schema;
    const wanted = (isKey ? keySchema(at) : undefined) ?? at;
    const name = isKey ? issue.path.at(-1) : valueAt(value, issue.path);
    const told = issue.code === 'custom' ? issue.params : undefined;
    const known: readonly string[] = told?.known ?? knownValues(wanted);
    const meant = typeof name === 'string' ? nearest(name, known) : undefined;
    return {
      path: formatPath(issue.path) || '(the whole file)',
      expected: told?.expected ?? expectation(wanted),
      found: describeValue(name, !isKey && isSecretPath(issue.path)),
      ...(meant !== undefined && { nearest: meant }),
    };
  });
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value;
}

export function describeValue(value: unknown, isSecret: boolean): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (isSecret)
    return typeof value === 'string' && value.length === 0
      ? 'an empty text'
      : `a ${nameOf(value)} (not shown)`;
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  return String(value);
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? 'text' : typeof value;
}
