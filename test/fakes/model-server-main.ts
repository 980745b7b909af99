/**
 * The fake model server as a process of its own, for benchmarks and crash tests: prints `{"baseUrl", "rootUrl"}` as one line,
 * answers "ok" at once (with the argument `spawning` also plays the parts of `spawning-model.ts`), tells at `/journal` what it
 * was asked and when, and ends with SIGTERM or when the process at the other end of its standard input is gone.
 */
import { fstatSync } from 'node:fs';
import { createFakeModelServer } from './model-server.ts';
import { spawningModel } from './spawning-model.ts';

const server = await createFakeModelServer();
if (process.argv.includes('spawning')) server.reply(spawningModel);
process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl, rootUrl: server.rootUrl })}\n`);

const stop = () => {
  void server.close().then(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
const input = fstatSync(0);
if (input.isFIFO() || input.isSocket()) process.stdin.once('end', stop).once('close', stop).resume();
