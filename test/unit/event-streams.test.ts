import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createEventStreams } from '../../src/http/event-streams.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { countTimers } from '../support/counted-clock.ts';

/** More than the operating system takes in between two sockets. */
const FLOOD = Buffer.alloc(32 * 1024 * 1024);

async function connected(): Promise<{ readonly ours: Socket; readonly client: Socket }> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  const [ours] = (await once(server, 'connection')) as [Socket];
  ours.on('error', () => undefined);
  onTestFinished(() => {
    client.destroy();
    ours.destroy();
    server.close();
  });
  return { ours, client };
}

test('a client that takes nothing is disconnected, and nothing is left waiting for it', async () => {
  const clock = createManualClock();
  const counted = countTimers(clock);
  const { ours, client } = await connected();
  client.pause();
  createEventStreams(counted).add(ours);
  ours.write(FLOOD);
  // The first period may still see what the operating system takes.
  clock.advance(30_000);
  await expect
    .poll(() => {
      clock.advance(30_000);
      return ours.destroyed;
    })
    .toBe(true);
  await once(ours, 'close');
  expect(counted.pending()).toBe(0);
});

test('a client that reads stays connected, and one that has nothing to read too', async () => {
  const clock = createManualClock();
  const { ours, client } = await connected();
  client.resume();
  createEventStreams(clock).add(ours);
  clock.advance(90_000);
  ours.write(FLOOD);
  await once(ours, 'drain');
  clock.advance(90_000);
  expect(ours.destroyed).toBe(false);
});
