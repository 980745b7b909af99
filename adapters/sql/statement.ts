/**
 * Statements written with Kysely and compiled once. Kysely checks names and types and makes the SQL; what runs is the text
 * it made, with the arguments of the call put where the placeholders stood. Nothing here executes anything.
 *
 *   statement<Args>()((db, arg) => db.selectFrom(…).where('id', '=', arg('id'))) → { sql, bind(args) }
 */
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Schema } from './schema.ts';

export type SqlValue = string | number | null | Uint8Array;
export type SqlArgs = Readonly<Record<string, SqlValue>>;

export interface Statement<Args extends SqlArgs, Row> {
  readonly sql: string;
  bind(args: Args): SqlValue[];
  /** Only a type: what a row of the result looks like. */
  readonly row?: Row;
}

export type SchemaBuilder = Kysely<Schema>;
export type Placeholders<Args> = <Name extends keyof Args & string>(name: Name) => Args[Name];

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const builder: SchemaBuilder = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A query of Kysely, or SQL in its `sql` template. */
interface Compilable<Row> {
  compile(db: SchemaBuilder): CompiledQuery<Row>;
}

/** Compiled at its first use, so that a process pays for the statements it runs. */
export function statement<Args extends SqlArgs = Record<never, never>>() {
  return <Row>(
    build: (db: SchemaBuilder, arg: Placeholders<Args>) => Compilable<Row>,
  ): Statement<Args, Row> => {
    const compile = once(() => {
      const compiled = build(
        builder,
        (name) => new Placeholder(name) as unknown as Args[typeof name],
      ).compile(builder);
      return { sql: compiled.sql, parameters: compiled.parameters };
    });
    return {
      get sql() {
        return compile().sql;
      },
      bind: (args) => compile().parameters.map((value) => bound(value, args)),
    };
  };
}

function bound(value: unknown, args: SqlArgs): SqlValue {
  return value instanceof Placeholder ? (args[value.name] ?? null) : (value as SqlValue);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** One statement for each set of columns that a change touches; there are few, and each is compiled once. */
export function patchStatement<Args extends SqlArgs>() {
  return (
    build: (db: SchemaBuilder, arg: Placeholders<Args>, columns: SqlArgs) => Compilable<unknown>,
  ): ((columns: SqlArgs) => Statement<SqlArgs, unknown>) => {
    const made = new Map<string, Statement<SqlArgs, unknown>>();
    return (columns) => {
      const names = Object.keys(columns).sort();
      const shape = names.join(' ');
      const known = made.get(shape);
      if (known) return known;
      const fresh = statement<SqlArgs>()((db, arg) =>
        build(db, arg as unknown as Placeholders<Args>, valuesOf(arg, names)),
      );
      made.set(shape, fresh);
      return fresh;
    };
  };
}

/** A placeholder for each of the columns, under the column's own name. */
export function valuesOf<Args, Name extends keyof Args & string>(
  arg: Placeholders<Args>,
  names: readonly Name[],
): Pick<Args, Name> {
  return Object.fromEntries(names.map((name) => [name, arg(name)])) as Pick<Args, Name>;
}

/** Several values as one argument, for `listed`. */
export function jsonList(values: readonly string[]): string {
  return JSON.stringify(values);
}

/** The values of a `jsonList` argument: `where('id', 'in', listed(arg('ids')))`. One text, however many there are. */
export function listed(list: string) {
  return sql<string>`(select value from json_each(${list}))`;
}
