import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isOwnerAlive, processOwner } from '../../adapters/node/index.ts';

test('a process knows itself as alive, and no two names are the same', () => {
  const owner = processOwner();
  expect(isOwnerAlive(owner)).toBe(true);
  expect(processOwner()).not.toBe(owner);
});

test('a process that has ended is dead', async () => {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  const [boot, , start] = processOwner().split(':');
  expect(isOwnerAlive(`${boot}:${child.pid}:${start}:x`)).toBe(false);
});

test('a pid that was given out again does not keep its former owner alive', () => {
  const [boot, pid, start, random] = processOwner().split(':');
  expect(isOwnerAlive(`${boot}:${pid}:${Number(start) - 1}:${random}`)).toBe(false);
});

test('owners that cannot be looked at from here count as alive', () => {
  expect(isOwnerAlive('another-boot:1:1:x')).toBe(true);
  expect(isOwnerAlive('not an owner')).toBe(true);
});
