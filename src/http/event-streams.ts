/**
 * Connections with an event stream on them. An answer that nobody reads is never finished, so whoever takes nothing for a
 * whole period is disconnected; otherwise a client that hangs would hold its connection for ever.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../ports/clock.ts';

/** Longer than the heartbeat of a stream, which a client that reads takes within moments. */
const STALL_MS = 30_000;

export interface EventStreams {
  /** The same connection may be added again with its next stream. */
  add(socket: Socket): void;
  /** Disconnects all of them. */
  end(): void;
}

export function createEventStreams(clock: Clock): EventStreams {
  const sockets = new Set<Socket>();

  return {
    add(socket) {
      if (socket.destroyed || sockets.has(socket)) return;
      sockets.add(socket);
      const cancel = watch(socket, clock);
      socket.once('close', () => {
        cancel();
        sockets.delete(socket);
      });
    },
    end() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns the way to stop watching. */
function watch(socket: Socket, clock: Clock): () => void {
  let takenBefore = taken(socket);
  let cancel = clock.after(STALL_MS, function check() {
    const takenNow = taken(socket);
    if (socket.writableLength > 0 && takenNow === takenBefore) {
      socket.destroy();
      return;
    }
    takenBefore = takenNow;
    cancel = clock.after(STALL_MS, check);
  });
  return () => cancel();
}

/** Bytes that have left this process. */
function taken(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
