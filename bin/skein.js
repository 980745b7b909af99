#!/usr/bin/env node
/**
 * Starts Skein on a Node that can run it. Plain JavaScript of a kind that old versions understand, since it has to run
 * on them to say that they are too old.
 *
 *   new enough → compile cache → src/main.ts
 *   too old    → the Node that `npm ci` brought along runs this file again
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 18];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Exit code "unavailable", see sysexits(3). */
const UNAVAILABLE = 69;

const PARENT_CHECK_MS = 250;

/** Shown by `ps`, and tells a child that it is one: it must not start a child again. */
const CHILD = 'skein';

/** Less memory for short-lived objects: a third less in all under load, at the same speed. `npm start` says it too. */
const LEAN = '--max-semi-space-size=4';

const script = fileURLToPath(import.meta.url);
const root = dirname(dirname(script));
const bundledNode = join(root, 'node_modules', 'node', 'bin', 'node');

if (isNewEnough(process.versions.node)) {
  endWithParent();
  stopWithNpm();
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'skein'));
  await import('../src/main.ts');
} else if (existsSync(bundledNode) && process.argv0 !== CHILD) {
  runOn(bundledNode);
} else {
  process.stderr.write(
    `Skein needs Node ${NEEDED.join('.')} or newer, and this is ${process.version}. ` +
      `Run "npm ci" in ${root}, which brings one along, or install Node 24.\n`,
  );
  process.exit(UNAVAILABLE);
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The channel to the child has no messages: it is there so that the child notices when this process is gone. */
function runOn(node) {
  const child = spawn(node, [LEAN, script].concat(process.argv.slice(2)), {
    argv0: CHILD,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`Cannot run ${node}: ${error.message}. Run "npm ci" in ${root} again.\n`);
    process.exit(UNAVAILABLE);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

/** Also when the parent was killed and could not say so. */
function endWithParent() {
  if (process.channel === undefined) return;
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}

/**
 * Npm starts a shell that starts this process, and neither of them passes on that the other has ended: a signal to npm, or
 * its death, would leave this process behind with its port and its state folder.
 */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const began = ancestry();
  const timer = setInterval(() => {
    if (ancestry() === began) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Who started this process, and who started that one where /proc tells. */
function ancestry() {
  const parent = process.ppid;
  try {
    // The name, in brackets, may hold spaces and brackets of its own.
    const [, grandparent] = readFileSync(`/proc/${parent}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return `${parent} ${grandparent}`;
  } catch {
    return String(parent);
  }
}
