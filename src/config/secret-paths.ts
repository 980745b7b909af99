/** Which settings are secrets, told by their names, so that a new key of that kind is covered without a list. */
import type { Path } from './schema-walk.ts';

const SECRET_KEY = /token$|secret|api_?key|password|credential/i;
/** Objects whose values often are secrets, under whatever name. */
const SECRET_PARENTS: readonly string[] = ['env', 'headers'];

export function isSecretPath(path: Path): boolean {
  return path.some(
    (key, index) => SECRET_KEY.test(String(key)) || SECRET_PARENTS.includes(String(path[index - 1])),
  );
}

/** Every text at a secret path below `value`. */
export function collectSecrets(value: unknown, path: Path = []): readonly string[] {
  if (typeof value === 'string') return value !== '' && isSecretPath(path) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => collectSecrets(item, [...path, key]));
}
