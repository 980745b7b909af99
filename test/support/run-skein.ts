/** The command line as a person uses it: `bin/skein.js` in a process of its own. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const launcher = fileURLToPath(new URL('../../bin/skein.js', import.meta.url));

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `cwd`: a folder of the test's own, since `.env` and `skein.json5` are read from there. Nothing else is inherited. */
export function runSkein(
  args: readonly string[],
  place: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Options of Node itself. */
    readonly nodeOptions?: readonly string[];
  },
): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', HOME: place.cwd, ...place.env };
  const argv = [...(place.nodeOptions ?? []), launcher, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { cwd: place.cwd, env }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

/** Makes a process believe that its Node is too old; processes that it starts are not fooled. */
export const OLD_NODE = [
  '--import',
  'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.19.0"})',
] as const;
