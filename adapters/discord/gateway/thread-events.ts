/** What happens to threads, channels and servers themselves: what is bound in them sleeps, or is told that it is gone. */
import { type GatewayDispatchPayload, Routes } from 'discord.js';
import { asError } from '../../../src/errors.ts';
import type { ChannelHandlers } from '../../../src/ports/channel.ts';
import type { Log } from '../../../src/ports/log.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';
import { type PlaceAnswer, placeSchema } from '../schema.ts';
import { addressIn, conversationIn, type KnownPlace, type Places, placeOf } from './places.ts';

type Handlers = Pick<ChannelHandlers, 'threadGone' | 'threadArchived' | 'bindings'>;

export interface ThreadEvents {
  /** To be asked before the places take note of it. The work rejects when the store does, and may be repeated. */
  workFor(event: GatewayDispatchPayload): (() => Promise<void>) | undefined;
  /** A new session of the gateway has begun. */
  begin(): void;
}

export function createThreadEvents(parts: {
  account: string;
  handlers: Handlers;
  places: Places;
  call: CallDiscord;
  log: Log;
}): ThreadEvents {
  const { account, handlers, places, call, log } = parts;
  /** Threads that the bot has joined in this session. */
  const joined = new Set<string>();

  async function deleted(gone: readonly KnownPlace[]): Promise<void> {
    for (const place of gone) {
      joined.delete(place.id);
      await handlers.threadGone(addressIn(account, place), 'deleted');
    }
  }

  /** As a member the bot hears of a private thread, and people see it in the list. */
  async function join(thread: string): Promise<void> {
    joined.add(thread);
    try {
      await call({
        what: 'join a thread',
        method: 'PUT',
        route: Routes.threadMembers(thread, '@me'),
        answer: anyAnswer,
        isLossy: true,
      });
    } catch (thrown) {
      joined.delete(thread);
      log.warn({ thread, err: asError(thrown) }, 'a thread could not be joined; its next change tries again');
    }
  }

  async function updated(event: PlaceAnswer): Promise<void> {
    const address = addressIn(account, placeOf(event));
    const { archived = false, locked = false } = event.thread_metadata ?? {};
    if (locked || archived) joined.delete(event.id);
    if (locked) return handlers.threadGone(address, 'locked');
    if (archived) return handlers.threadArchived(address);
    if (joined.has(event.id)) return;
    const bindings = await handlers.bindings(conversationIn(account, placeOf(event)));
    if (bindings.some(({ thread }) => thread === event.id)) await join(event.id);
  }

  return {
    workFor({ t, d }) {
      switch (t) {
        case 'THREAD_UPDATE':
          return () => updated(placeSchema.parse(d));
        case 'THREAD_DELETE':
        case 'CHANNEL_DELETE':
          return () => deleted([placeOf(placeSchema.parse(d))]);
        case 'GUILD_DELETE': {
          // One that is away for a while comes back.
          if (d.unavailable) return undefined;
          const channels = places.channelsOf(d.id);
          return () => deleted(channels);
        }
        default:
          return undefined;
      }
    },
    begin: () => joined.clear(),
  };
}
