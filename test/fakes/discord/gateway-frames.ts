/** Frames of the gateway, and the close codes for wrong ones. */
import type { WebSocket } from 'ws';
import type { Json } from './world.ts';

export function sendFrame(socket: WebSocket, op: number, body?: unknown): void {
  socket.send(JSON.stringify({ op, ...(body === undefined ? {} : { d: body }) }));
}

/** Throws GatewayClose for what is no JSON. */
export function parseFrame(text: string): { op: number; d: Json } {
  try {
    const frame = JSON.parse(text) as { op: number; d: Json | null };
    return { op: frame.op, d: typeof frame.d === 'object' && frame.d !== null ? frame.d : {} };
  } catch {
    throw new GatewayClose(4002, 'Error while decoding payload.');
  }
}

/** Ends the connection with that code. */
export class GatewayClose extends Error {
  override readonly name = 'GatewayClose';
  readonly code: number;

  constructor(code: number, reason: string) {
    super(reason);
    this.code = code;
  }
}
