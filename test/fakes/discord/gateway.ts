/**
 * The gateway: hello, identify or resume, heartbeats, and numbered events to each session that may hear them. Sessions
 * outlive their connection until they are invalidated, so what happens meanwhile is told on resuming.
 */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { GatewayClose, parseFrame, sendFrame } from './gateway-frames.ts';
import { type GatewaySession, hears, pushEvent, readsContent, shardOf } from './gateway-session.ts';
import { checkIdentify, readyJson } from './identify.ts';
import { type GatewayEvent, INTENTS, type Platform } from './platform.ts';
import { guildCreateJson } from './wire-channel.ts';
import { memberJson } from './wire-user.ts';
import type { Json } from './world.ts';

export interface GatewayDrop {
  /** A close code; left out, the connection just breaks. */
  readonly code?: number;
  /** Default true; false makes the next RESUME fail, so that a new session must begin. */
  readonly isResumable?: boolean;
}

export interface GatewayControl {
  /** Cuts all connections. */
  drop(how?: GatewayDrop): void;
  /** Asks all clients to reconnect (op 7). */
  askReconnect(): void;
  /** Cuts all connections and takes none until `resume`. */
  pause(): void;
  resume(): void;
  /** To all clients, whatever it is. */
  sendRaw(frame: string | Uint8Array): void;
  /** When IDENTIFY was received, and for which shard. */
  readonly identifies: readonly { readonly at: number; readonly shard: readonly [number, number] }[];
  /** When sessions were resumed. */
  readonly resumes: readonly number[];
  readonly connections: number;
}

export interface Gateway extends GatewayControl {
  publish(event: GatewayEvent): void;
  /** The answer of `GET /gateway/bot`. */
  info(): Json;
  close(): Promise<void>;
}

interface GatewayParts {
  readonly platform: Platform;
  readonly server: Server;
  readonly url: () => string;
  readonly isToken: (token: unknown) => boolean;
}

const DAY_MS = 86_400_000;
const SEND_LIMIT = 120;
const SEND_WINDOW_MS = 60_000;
const MAX_FRAME = 4_096;
export function createGateway({ platform, server, url, isToken }: GatewayParts): Gateway {
  const { world, settings, now } = platform;
  const sockets = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, GatewaySession>();
  const identifies: { at: number; shard: readonly [number, number] }[] = [];
  const resumes: number[] = [];
  let isPaused = false;
  let sessionCount = 0;

  const onUpgrade = (request: { url?: string }, socket: Duplex, head: Buffer) => {
    if (isPaused || !request.url?.startsWith('/gateway')) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request as never, socket, head, accept);
  };
  server.on('upgrade', onUpgrade);

  function accept(socket: WebSocket): void {
    const line: Line = { socket, session: undefined, sends: [] };
    socket.on('message', (raw) => receive(line, raw));
    socket.on('close', (code) => leave(line, code));
    socket.on('error', () => undefined);
    sendFrame(socket, 10, { heartbeat_interval: settings.heartbeatIntervalMs, _trace: [] });
  }

  /** A client that closes with 1000 or 1001 gives its session up. */
  function leave({ session, socket }: Line, code: number): void {
    if (session?.socket !== socket) return;
    session.socket = undefined;
    if (code === 1000 || code === 1001) sessions.delete(session.id);
  }

  function receive(line: Line, raw: RawData): void {
    try {
      takeFrame(line, raw.toString());
    } catch (error) {
      if (!(error instanceof GatewayClose)) throw error;
      line.socket.close(error.code, error.message);
    }
  }

  function takeFrame(line: Line, text: string): void {
    if (Buffer.byteLength(text) > MAX_FRAME) throw new GatewayClose(4002, 'Error while decoding payload.');
    line.sends = [...line.sends.filter((at) => at > now() - SEND_WINDOW_MS), now()];
    if (line.sends.length > SEND_LIMIT) throw new GatewayClose(4008, 'Rate limited.');
    const { op, d } = parseFrame(text);
    if (op === 1) {
      if (settings.answersHeartbeats) sendFrame(line.socket, 11);
    } else if (op === 2) {
      identify(line, d);
    } else if (op === 6) {
      resumeSession(line, d);
    } else if (!line.session) {
      throw new GatewayClose(4003, 'Not authenticated.');
    } else if (op === 8) {
      sendMembers(line.session, d);
    } else if (op !== 3 && op !== 4) {
      throw new GatewayClose(4001, 'Unknown opcode.');
    }
  }

  function identify(line: Line, body: Json): void {
    const { socket } = line;
    if (line.session) throw new GatewayClose(4005, 'Already authenticated.');
    if (!isToken(body.token)) throw new GatewayClose(4004, 'Authentication failed.');
    const { intents, index, count } = checkIdentify(world.application.flags, body);
    if (isTooSoon(index)) {
      sendFrame(socket, 9, false);
      return;
    }
    identifies.push({ at: now(), shard: [index, count] });
    sessionCount += 1;
    const session: GatewaySession = {
      id: `session-${sessionCount}-${platform.newId()}`,
      intents,
      shard: [index, count],
      sequence: 0,
      events: [],
      socket,
    };
    sessions.set(session.id, session);
    line.session = session;
    greet(session);
    platform.changed();
  }

  const guildsOf = ({ shard }: GatewaySession) =>
    [...world.guilds.values()].filter(
      ({ id, members }) => members.has(world.bot.id) && shardOf(id, shard[1]) === shard[0],
    );

  function greet(session: GatewaySession): void {
    const guilds = guildsOf(session);
    pushEvent(session, 'READY', readyJson(world, { session, guilds, resumeUrl: url() }));
    if ((session.intents & INTENTS.guilds) === 0) return;
    for (const guild of guilds)
      if (!guild.isUnavailable) pushEvent(session, 'GUILD_CREATE', guildCreateJson(world, guild));
  }

  /** Shards share a key when their numbers are equal modulo `maxConcurrency`. */
  function isTooSoon(index: number): boolean {
    const key = index % settings.maxConcurrency;
    return identifies.some(
      ({ at, shard }) =>
        shard[0] % settings.maxConcurrency === key && now() - at < settings.identifyIntervalMs,
    );
  }

  function resumeSession(line: Line, body: Json): void {
    const { socket } = line;
    if (!isToken(body.token)) throw new GatewayClose(4004, 'Authentication failed.');
    const session = sessions.get(String(body.session_id));
    if (!session || (session.events[0]?.sequence ?? 1) > Number(body.seq) + 1) {
      sendFrame(socket, 9, false);
      return;
    }
    const heard = Number(body.seq);
    if (heard > session.sequence) throw new GatewayClose(4007, 'Invalid seq.');
    session.socket?.terminate();
    session.socket = socket;
    line.session = session;
    for (const { sequence, frame } of session.events) if (sequence > heard) socket.send(frame);
    resumes.push(now());
    pushEvent(session, 'RESUMED', {});
    platform.changed();
  }

  function sendMembers(session: GatewaySession, body: Json): void {
    const guild = world.guilds.get(String(body.guild_id));
    if (!guild) return;
    const wanted = body.user_ids === undefined ? undefined : new Set([body.user_ids].flat().map(String));
    const members = [...guild.members.values()].filter(({ user }) => !wanted || wanted.has(user.id));
    pushEvent(session, 'GUILD_MEMBERS_CHUNK', {
      guild_id: guild.id,
      members: members.map(memberJson),
      chunk_index: 0,
      chunk_count: 1,
      ...(body.nonce === undefined ? {} : { nonce: body.nonce }),
    });
  }

  function drop({ code, isResumable = true }: GatewayDrop = {}): void {
    const open = [...sockets.clients];
    if (!isResumable) sessions.clear();
    for (const session of sessions.values()) session.socket = undefined;
    for (const socket of open) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
  }

  return {
    identifies,
    resumes,
    get connections() {
      return [...sessions.values()].filter(({ socket }) => socket !== undefined).length;
    },
    drop,
    askReconnect: () => {
      for (const socket of sockets.clients) sendFrame(socket, 7, null);
    },
    pause: () => {
      isPaused = true;
      drop();
    },
    resume: () => {
      isPaused = false;
    },
    sendRaw: (frame) => {
      for (const socket of sockets.clients) socket.send(frame);
    },
    publish: (event) => {
      for (const session of sessions.values())
        if (hears(platform, session, event))
          pushEvent(session, event.name, event.data(readsContent(session)));
    },
    info: () => {
      const used = identifies.filter(({ at }) => at > now() - DAY_MS).length;
      return {
        url: url(),
        shards: settings.recommendedShards,
        session_start_limit: {
          total: settings.identifyLimit,
          remaining: Math.max(0, settings.identifyLimit - used),
          reset_after: DAY_MS,
          max_concurrency: settings.maxConcurrency,
        },
      };
    },
    close: async () => {
      server.off('upgrade', onUpgrade);
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => sockets.close(resolve));
      sessions.clear();
    },
  };
}

/** One connection and what came over it. */
interface Line {
  readonly socket: WebSocket;
  session: GatewaySession | undefined;
  sends: readonly number[];
}
