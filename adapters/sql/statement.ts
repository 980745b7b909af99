/**
 * Statements written with Kysely and compiled once. Kysely checks names and types and makes the SQL; what runs is the text
 * it made, with the arguments of the call put where the placeholders stood. Nothing here executes anything.
 *
 *   statement<Args>()((db, arg) => db.selectFrom(…).where('id', '=', arg('id'))) → { sql, bind(args) }
 */
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Schema } from './schema.ts';

export type SqlValue = string | number | null;
export type SqlArgs = Readonly<Record<string, SqlValue>>;

export interface Statement<Args extends SqlArgs, Row> {
  readonly sql: string;
  bind(args: Args): SqlValue[];
  /** Only a type: what a row of the result looks like. */
  readonly row?: Row;
}

export type SchemaBuilder = Kysely<Schema>;
type Placeholders<Args> = <Name extends keyof Args & string>(name: Name) => Args[Name];

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

/** Compiled at its first use, so that a process pays for the statements it runs. */
export function statement<Args extends SqlArgs = Record<never, never>>() {
  return <Row>(
    build: (db: SchemaBuilder, arg: Placeholders<Args>) => Compilable<Row>,
  ): Statement<Args, Row> => {
    const compile = once(() => {
      const { sql, parameters } = build(
        builder,
        (name) => new Placeholder(name) as unknown as Args[typeof name],
      ).compile();
      return { sql, parameters };
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

/** Several values for one placeholder: `where(column, 'in', listed(arg('ids')))` with `ids: jsonList(values)`. */
export function jsonList(values: readonly string[]): string {
  return JSON.stringify(values);
}
