/**
 * The rules that keep the house up, asserted on the source text: who may import whom, and what may be used where. See
 * docs/architecture.md.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  /** Without comments; texts are kept. */
  readonly code: string;
  /** Files of ours, from the root. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

const files: readonly SourceFile[] = globSync(['src/**/*.ts', 'adapters/**/*.ts', 'commands/**/*.ts'], {
  cwd: root,
}).map((path) => readSource(path.split(sep).join('/')));

function readSource(path: string): SourceFile {
  const code = withoutComments(readFileSync(join(root, path), 'utf8'));
  const specifiers = importsIn(code);
  return {
    path,
    code,
    imports: specifiers
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) =>
        relative(root, join(root, dirname(path), specifier))
          .split(sep)
          .join('/'),
      ),
    packages: specifiers.filter((specifier) => !/^(\.|node:)/.test(specifier)).map(packageName),
  };
}

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`. */
function importsIn(code: string): readonly string[] {
  const statements = code.matchAll(
    /^\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|^\s*import\s*'([^']+)'/gm,
  );
  const dynamic = code.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g);
  return [...statements, ...dynamic].map((match) => (match[1] ?? match[2])!);
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Comments become blanks, so that a rule can be spoken of where it holds. Strings with `//` in them stay. */
function withoutComments(text: string): string {
  const token =
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?\*\/|(?<![\\/[])\/\/.*$/gm;
  return text.replaceAll(token, (match) => (match.startsWith('/') ? ' '.repeat(match.length) : match));
}

/** Files below `scope` that break the rule, as `file → what`. */
function offenders(scope: RegExp, wrong: (file: SourceFile) => readonly string[]): readonly string[] {
  return files
    .filter(({ path }) => scope.test(path))
    .flatMap((file) => wrong(file).map((what) => `${file.path} → ${what}`));
}

function importsOutside(scope: RegExp, allowed: RegExp): readonly string[] {
  return offenders(scope, ({ imports }) => imports.filter((path) => !allowed.test(path)));
}

function matches(scope: RegExp, pattern: RegExp): readonly string[] {
  return offenders(scope, ({ code }) => [...code.matchAll(pattern)].map((match) => match[0].trim()));
}

test('the rules look at files that exist', () => {
  expect(files.length).toBeGreaterThan(50);
  for (const { path, imports } of files) {
    for (const target of imports) expect(existsSync(join(root, target)), `${path} → ${target}`).toBe(true);
  }
});

test('CHAN-02: the top level has its folders and files', () => {
  const wanted = [
    'src',
    'adapters',
    'commands',
    'test',
    'package.json',
    'tsconfig.json',
    '.env.example',
    'README.md',
  ];
  const there = readdirSync(root);
  expect(wanted.filter((name) => !there.includes(name))).toEqual([]);
});

test('CHAN-01: core imports core only, and no package', () => {
  expect(importsOutside(/^src\/core\//, /^src\/core\//)).toEqual([]);
  expect(offenders(/^src\/core\//, ({ packages }) => packages)).toEqual([]);
});

test('ports import core, ports and errors only', () => {
  expect(importsOutside(/^src\/ports\//, /^src\/(core\/|ports\/|errors\.ts$)/)).toEqual([]);
});

test('adapters import core, ports, errors and their own folder only', () => {
  const folders = new Set(files.flatMap(({ path }) => /^adapters\/([^/]+)\//.exec(path)?.[1] ?? []));
  for (const folder of folders) {
    const own = new RegExp(`^(src/(core/|ports/|errors\\.ts$)|adapters/${folder}/)`);
    expect(importsOutside(new RegExp(`^adapters/${folder}/`), own)).toEqual([]);
  }
});

test('only the composition root imports adapters', () => {
  const wrong = offenders(/^(src\/(?!app(-[a-z]+)?\.ts)|commands\/)/, ({ imports }) =>
    imports.filter((path) => path.startsWith('adapters/')),
  );
  expect(wrong).toEqual([]);
});

test('services and commands import neither the configuration, the command line nor the composition root', () => {
  const services = /^(src\/(access|runs|subagents|threads|delivery|tools|http)\/|commands\/)/;
  const wrong = offenders(services, ({ imports }) =>
    imports.filter((path) => /^src\/(config\/|cli\/|app\.ts|main\.ts)/.test(path)),
  );
  expect(wrong).toEqual([]);
});

/** Packages that stand for one outside thing, and the only folder that may know it. */
const HOMES: readonly (readonly [packages: RegExp, home: RegExp])[] = [
  [/^(better-sqlite3|kysely)$/, /^adapters\/sql\//],
  [/^(@ai-sdk\/.+|ai)$/, /^adapters\/models\//],
  [/^discord\.js$|^@discordjs\//, /^adapters\/discord\//],
  [/^@slack\//, /^adapters\/slack\//],
  [/^(bullmq|ioredis)$/, /^adapters\/bullmq\//],
  [/^pino$/, /^adapters\/node\//],
  [/^commander$/, /^src\/cli\//],
  [/^(json5|fastest-levenshtein)$/, /^src\/config\//],
];

test.each(HOMES)('packages %s are imported in %s only', (packages, home) => {
  const wrong = files
    .filter(({ path }) => !home.test(path))
    .flatMap((file) =>
      file.packages.filter((name) => packages.test(name)).map((name) => `${file.path} → ${name}`),
    );
  expect(wrong).toEqual([]);
});

test('the environment is read in src/config only', () => {
  expect(matches(/^(?!src\/config\/)/, /\bprocess\.env\b/g)).toEqual([]);
});

test('time, timers and randomness come from adapters/node only', () => {
  const ambient =
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandom(?:UUID|Bytes|Int)\(|\bset(?:Timeout|Interval)\(|'node:timers[^']*'/g;
  expect(matches(/^(?!adapters\/node\/)/, ambient)).toEqual([]);
});

test('no module keeps changing state of its own', () => {
  expect(matches(/./, /^(?:export )?(?:let|var) .*/gm)).toEqual([]);
});

test('there are no default exports', () => {
  expect(matches(/./, /^export default\b.*/gm)).toEqual([]);
});

test('no file is named after a drawer', () => {
  const drawer = /(^|[/-])(managers?|helpers?|utils?|common|misc)([-./]|$)/;
  expect(files.map(({ path }) => path).filter((path) => drawer.test(path))).toEqual([]);
});

test('imports have no cycles', () => {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const cycleFrom = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of importsOf.get(path) ?? []) {
      const cycle = cycleFrom(next, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  expect(files.map(({ path }) => cycleFrom(path, [])?.join(' → ')).filter(Boolean)).toEqual([]);
});

const page = join(root, 'docs', 'architecture.md');

test('every folder and file in the tree of docs/architecture.md exists', () => {
  if (!existsSync(page)) return;
  const blocks = [...readFileSync(page, 'utf8').matchAll(/```(?:text)?\n((?:.*\n)*?)```/g)];
  const layout = blocks.map((match) => match[1]!).find((block) => /^src\/\s/m.test(block)) ?? '';
  const paths = pathsInTree(layout);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** Two blanks a level; a line begins with one path or several folders, and whatever follows them is prose. */
function pathsInTree(layout: string): readonly string[] {
  const parents: string[] = [];
  return layout.split('\n').flatMap((line) => {
    const level = Math.floor((line.length - line.trimStart().length) / 2);
    const words = line.trim().split(/\s+/);
    const isPath = (word: string) => /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(word) && /[/.]/.test(word);
    const end = words.findIndex((word) => !isPath(word));
    const names = words.slice(0, end === -1 ? words.length : end);
    if (names.length === 0) return [];
    parents.length = Math.min(parents.length, level);
    const prefix = parents.join('');
    if (names.length === 1 && names[0]!.endsWith('/')) parents[level] = names[0]!;
    return names.map((name) => prefix + name);
  });
}
