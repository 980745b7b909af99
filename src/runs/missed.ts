/**
 * Messages that came in while nobody listened. The adapter asks where to look (`cursors`) and hands over what it finds
 * (`missed`), place by place.
 *
 *   seen before → nothing          older than a day → dropped, with the reason
 *   access does not let it in → dropped as it would have been
 *   answer, or a short gap → admitted, in order         ask → kept, and one note asks what is to become of them
 *
 * Every step may be repeated after a crash: a message is admitted once, and asked about once.
 */
import type { Commit } from '../commit.ts';
import { type Address, placeKey } from '../core/address.ts';
import { heldMessage } from '../core/held-message.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { Cursor, InboundMessage } from '../ports/channel.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { CatchUp, Settings } from '../ports/settings.ts';
import type { StoreReads } from '../ports/store/index.ts';
import type { Admission } from './admit.ts';
import { missedNote, missedNoteEnd, missedNoteId } from './missed-note.ts';

const DAY_MS = 24 * 3_600_000;
/** Places where the bot has had nothing to do for longer are not looked at. */
const ACTIVE_MS = 7 * DAY_MS;
const MAX_PLACES = 200;
/** Older messages are not answered any more. */
const LOOK_BACK_MS = DAY_MS;
/** After a shorter gap people still wait for their answer. */
const ASK_AFTER_MS = 5 * 60_000;

export interface MissedDeps {
  readonly commit: Commit;
  readonly read: StoreReads;
  readonly admission: Admission;
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
}

export function createMissed(deps: MissedDeps) {
  const { commit, read, admission, directory, settings, clock, log } = deps;

  /**
   * Places that were active lately, and those where a session lives. Where nothing was heard in a bound thread yet, its own
   * id stands for the newest message: on platforms whose ids grow (Discord, Slack) nothing in it is older.
   */
  async function cursors(channel: string, account: string): Promise<readonly Cursor[]> {
    if (settings.catchUp(channel, account) === 'off') return [];
    const active = await read.cursors.active(channel, account, clock.now() - ACTIVE_MS, MAX_PLACES);
    const known = new Set(active.map(({ address }) => placeKey(address)));
    const found = [...active];
    for (const { address } of await read.bindings.ofAccount(channel, account, MAX_PLACES)) {
      if (found.length >= MAX_PLACES) break;
      if (known.has(placeKey(address))) continue;
      const cursor = await read.cursors.get(address);
      if (cursor) found.push(cursor);
      else if (address.thread !== undefined) found.push({ address, eventId: address.thread });
    }
    return found;
  }

  async function unseen(
    address: Address,
    messages: readonly InboundMessage[],
  ): Promise<readonly InboundMessage[]> {
    const waiting = new Set((await read.cursors.missed(address)).map(({ message }) => message.eventId));
    const found: InboundMessage[] = [];
    for (const message of messages) {
      if (waiting.has(message.eventId)) continue;
      const earlier = await read.admissions.result(address.channel, address.account, message.eventId);
      if (earlier === undefined) found.push(message);
    }
    return found;
  }

  /** Left unanswered for good, with the reason. */
  async function leave({ address, eventId, sender }: InboundMessage): Promise<void> {
    const { channel, account } = address;
    await commit(async (tx) => {
      const now = clock.now();
      const result = { receipt: { status: 'dropped', reason: 'missed' } };
      if (!(await tx.admissions.record({ channel, account, eventId, result }, now))) return;
      await tx.admissions.drop({ address, eventId, senderId: sender.id, reason: 'missed', at: now });
      await tx.cursors.advance(address, eventId, false, now);
    });
  }

  async function ask(address: Address, messages: readonly InboundMessage[]): Promise<void> {
    const { channel, account } = address;
    await commit(async (tx, after) => {
      const now = clock.now();
      const before = (await tx.cursors.missed(address)).at(-1)?.message.eventId;
      const fresh: InboundMessage[] = [];
      for (const message of messages) {
        const earlier = await tx.admissions.result(channel, account, message.eventId);
        if (earlier === undefined) fresh.push(message);
      }
      await tx.cursors.putMissed(fresh.map(heldMessage), now);
      for (const { eventId } of fresh) await tx.cursors.advance(address, eventId, true, now);
      const waiting = await tx.cursors.missed(address);
      const newest = waiting.at(-1)?.message.eventId;
      if (newest === undefined || newest === before) return;
      const earlierNote = before && (await tx.operations.get(missedNoteId(address, before)));
      const hasCards = directory.capabilities(address)?.hasCards === true;
      await tx.operations.insert(
        [
          ...(earlierNote ? [missedNoteEnd(earlierNote, 'More came in meanwhile; I ask again below.')] : []),
          missedNote(address, waiting, settings.agents[0]!, hasCards),
        ],
        now,
      );
      after.publish({ type: 'operations', channel, account });
    });
  }

  async function missed(address: Address, messages: readonly InboundMessage[]): Promise<void> {
    const rule = settings.catchUp(address.channel, address.account);
    const oldestAt = clock.now() - LOOK_BACK_MS;
    const wanted: InboundMessage[] = [];
    for (const message of await unseen(address, messages)) {
      if (rule === 'off' || message.at < oldestAt) await leave(message);
      else if (await admission.screen(message)) wanted.push(message);
    }
    const [oldest] = wanted;
    if (oldest) await letIn(address, wanted, oldest, rule);
    await passed(address, messages);
  }

  /** Not before all that was let in is stored: after a crash it is looked for behind the cursor. */
  async function passed(address: Address, messages: readonly InboundMessage[]): Promise<void> {
    const newest = messages.at(-1);
    if (newest) await commit((tx) => tx.cursors.advance(address, newest.eventId, false, clock.now()));
  }

  async function letIn(
    address: Address,
    wanted: readonly InboundMessage[],
    oldest: InboundMessage,
    rule: CatchUp,
  ): Promise<void> {
    const isAsked = rule === 'ask' && clock.now() - oldest.at > ASK_AFTER_MS;
    const { channel, account, conversation, thread } = address;
    log.info(
      { channel, account, conversation, thread, count: wanted.length, isAsked },
      'messages were missed while nobody listened',
    );
    if (isAsked) await ask(address, wanted);
    else for (const message of wanted) await admission.receive(message);
  }

  return { cursors, missed };
}
