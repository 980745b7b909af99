/**
 * Session keys: building and parsing, inverse to each other for every shape. A key names a session; it grants nothing
 * (authority is in the session's stored role).
 */
import type { Address } from './address.ts';
import type { SessionKey } from './ids.ts';

export type ParsedKey =
  | { readonly kind: 'main'; readonly agentId: string }
  | {
      readonly kind: 'chat';
      readonly agentId: string;
      readonly channel: string;
      readonly chat: 'channel' | 'group';
      readonly id: string;
      readonly thread?: string;
    }
  | {
      readonly kind: 'direct';
      readonly agentId: string;
      readonly peer: string;
      readonly channel?: string;
      readonly account?: string;
    }
  /** `path`: one UUID a level. */
  | { readonly kind: 'subagent'; readonly agentId: string; readonly path: readonly string[] }
  | { readonly kind: 'acp' | 'dashboard'; readonly agentId: string; readonly id: string }
  | { readonly kind: 'slash'; readonly agentId: string; readonly channel: string; readonly user: string }
  | { readonly kind: 'cron' | 'hook' | 'node'; readonly id: string };

const AGENT_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const PART = /^[^:\s]+$/;

export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}

export function buildSessionKey(parsed: ParsedKey): SessionKey {
  return build(parsed) as SessionKey;
}

function build(parsed: ParsedKey): string {
  switch (parsed.kind) {
    case 'cron':
    case 'hook':
      return `${parsed.kind}:${parsed.id}`;
    case 'node':
      return `node-${parsed.id}`;
  }
  const agent = `agent:${parsed.agentId.toLowerCase()}`;
  switch (parsed.kind) {
    case 'main':
      return `${agent}:main`;
    case 'chat': {
      const thread = parsed.thread === undefined ? '' : `:thread:${parsed.thread}`;
      return `${agent}:${parsed.channel}:${parsed.chat}:${parsed.id}${thread}`;
    }
    case 'direct': {
      const scope = [parsed.channel, parsed.account].filter((part) => part !== undefined);
      return [agent, ...scope, 'direct', parsed.peer].join(':');
    }
    case 'subagent':
      return agent + parsed.path.map((uuid) => `:subagent:${uuid}`).join('');
    case 'acp':
    case 'dashboard':
      return `${agent}:${parsed.kind}:${parsed.id}`;
    case 'slash':
      return `${agent}:${parsed.channel}:slash:${parsed.user}`;
  }
}

/** `undefined` for anything that is not exactly one of the shapes. Ids are kept byte for byte, agent ids lower-cased. */
export function parseSessionKey(key: string): ParsedKey | undefined {
  const node = /^node-(\S+)$/.exec(key);
  if (node) return { kind: 'node', id: node[1]! };
  const scheduled = /^(cron|hook):(\S+)$/.exec(key);
  if (scheduled) return { kind: scheduled[1] as 'cron' | 'hook', id: scheduled[2]! };
  const parts = key.split(':');
  const [prefix, agent, ...rest] = parts;
  if (prefix !== 'agent' || agent === undefined) return undefined;
  const agentId = agent.toLowerCase();
  if (!isAgentId(agentId)) return undefined;
  if (!rest.every((part) => PART.test(part))) return undefined;
  return parseRest(agentId, rest);
}

function parseRest(agentId: string, rest: readonly string[]): ParsedKey | undefined {
  const [a, b, c, d, e] = rest;
  if (rest.length === 1) return a === 'main' ? { kind: 'main', agentId } : undefined;
  if (a === 'subagent') {
    const isPath = rest.length % 2 === 0 && rest.every((part, i) => i % 2 === 1 || part === 'subagent');
    return isPath ? { kind: 'subagent', agentId, path: rest.filter((_, i) => i % 2 === 1) } : undefined;
  }
  if (rest.length === 2) {
    if (a === 'acp' || a === 'dashboard') return { kind: a, agentId, id: b! };
    return a === 'direct' ? { kind: 'direct', agentId, peer: b! } : undefined;
  }
  if (rest.length === 3) {
    if (b === 'channel' || b === 'group') return { kind: 'chat', agentId, channel: a!, chat: b, id: c! };
    if (b === 'slash') return { kind: 'slash', agentId, channel: a!, user: c! };
    return b === 'direct' ? { kind: 'direct', agentId, channel: a!, peer: c! } : undefined;
  }
  if (rest.length === 4 && c === 'direct') {
    return { kind: 'direct', agentId, channel: a!, account: b!, peer: d! };
  }
  if (rest.length === 5 && (b === 'channel' || b === 'group') && d === 'thread') {
    return { kind: 'chat', agentId, channel: a!, chat: b, id: c!, thread: e! };
  }
  return undefined;
}

/** What a person, a tool call or a row gave as a key, in the one spelling that is stored; `undefined` if it is none. */
export function asSessionKey(text: string): SessionKey | undefined {
  const parsed = parseSessionKey(text);
  return parsed && buildSessionKey(parsed);
}

/** How direct messages are told apart: `session.dmScope`. */
export type DmScope = 'main' | 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer';

/** The session that an address belongs to when no binding says otherwise. `peer`: who writes, for direct messages. */
export function keyForAddress(agentId: string, address: Address, peer: string, dmScope: DmScope): SessionKey {
  const { channel, account } = address;
  if (address.chatType === 'direct') {
    if (dmScope === 'main') return buildSessionKey({ kind: 'main', agentId });
    return buildSessionKey({
      kind: 'direct',
      agentId,
      peer,
      ...(dmScope !== 'per-peer' && { channel }),
      ...(dmScope === 'per-account-channel-peer' && { account }),
    });
  }
  return buildSessionKey({
    kind: 'chat',
    agentId,
    channel,
    chat: address.chatType,
    id: address.conversation,
    ...(address.thread !== undefined && { thread: address.thread }),
  });
}

export function kindOfKey(parsed: ParsedKey): 'main' | 'group' | 'cron' | 'hook' | 'node' | 'other' {
  switch (parsed.kind) {
    case 'main':
    case 'cron':
    case 'hook':
    case 'node':
      return parsed.kind;
    case 'chat':
      return 'group';
    default:
      return 'other';
  }
}
