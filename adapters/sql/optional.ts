/** Between absent fields, as the ports have them, and NULL, as columns have them. */

/** The fields whose value is not NULL. */
export type Present<T> = { [K in keyof T]?: Exclude<T[K], null> };

export function present<T extends object>(fields: T): Present<T> {
  const kept: Present<T> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== null && value !== undefined) kept[name] = value as Exclude<T[typeof name], null>;
  }
  return kept;
}

/** The columns that a change names; `undefined` leaves a column as it is, `null` clears it. */
export function named<T extends Readonly<Record<string, string | number | null | undefined>>>(
  columns: T,
): Readonly<Record<string, string | number | null>> {
  const kept: Record<string, string | number | null> = {};
  for (const name in columns) {
    const value = columns[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

export function flag(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** JSON for a column; absent stays absent, `null` clears. */
export function json(value: unknown): string | null | undefined {
  return value === undefined || value === null ? value : JSON.stringify(value);
}
