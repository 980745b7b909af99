/**
 * The answer to one interaction. Discord takes the first word within three seconds only, so what takes longer is put off
 * with a sign that it is being worked on, and follows; a quarter of an hour later nothing follows any more.
 *
 *   answered at once · or: put off → the answer takes the sign's place · or: too late → a message in its place
 */
import { InteractionResponseType, MessageFlags, RESTJSONErrorCodes, Routes } from 'discord.js';
import { splitText } from '../../../src/core/split.ts';
import { AppError, asError } from '../../../src/errors.ts';
import { anyAnswer, type CallDiscord, type DiscordCall } from '../calls.ts';
import { discordCode } from '../errors.ts';
import type { Interaction } from '../gateway/events.ts';
import type { Insist } from '../gateway/in-turn.ts';
import { formatText } from '../outbound/format.ts';
import { MAX_TEXT_LENGTH } from '../outbound/message-body.ts';
import { retry } from '../retry.ts';

/** Most commands are done by then; Discord waits for three seconds, and the way there takes its time too. */
const PUT_OFF_AFTER_MS = 800;
/** Discord's fifteen minutes, less the time that a call may take. */
const TOKEN_LIFE_MS = 14 * 60_000 + 30_000;
const PACE = { firstMs: 500, longestMs: 10_000 };
/** https://docs.discord.com/developers/interactions/receiving-and-responding#responding-to-an-interaction */
const FIRST_WORD_WITHIN_MS = 3_000;
const DONE = 'Done.';

/** Discord no longer knows the interaction. */
const OVER: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InvalidWebhookToken,
  RESTJSONErrorCodes.UnknownWebhook,
];

type Stage = 'unanswered' | 'put-off-private' | 'put-off-public' | 'put-off-silent' | 'answered' | 'over';

export interface InteractionAnswer {
  /** Whether something was said. */
  readonly hasSpoken: boolean;
  say(text: string, isPrivate: boolean): Promise<void>;
  /** There is nothing to say: what was asked for is done. */
  finish(): Promise<void>;
  /** Not a word more; what is under way ends. */
  stop(): void;
}

export interface InteractionAnswerParts {
  readonly call: CallDiscord;
  readonly insisting: Insist;
  /** Whether answers are for the person alone, where they need not be. */
  readonly isEphemeral: boolean;
  /** A button's message stays as it is, whatever is answered. */
  readonly isButton: boolean;
  /** Says it in the place itself. */
  sayInPlace(text: string): Promise<void>;
}

function isOver(thrown: unknown): boolean {
  return OVER.includes(discordCode(thrown));
}

function message(text: string, isPrivate: boolean) {
  return {
    content: formatText(text),
    allowed_mentions: { parse: [] },
    ...(isPrivate && { flags: MessageFlags.Ephemeral }),
  };
}

export function createInteractionAnswer(
  { id, token, application_id: application }: Interaction,
  parts: InteractionAnswerParts,
): InteractionAnswer {
  const { call, insisting, isButton } = parts;
  const { clock, log, signal } = insisting;
  const beganAt = clock.now();
  let stage: Stage = 'unanswered';
  let hasSpoken = false;
  let last: Promise<void> = Promise.resolve();

  const cancel = clock.after(PUT_OFF_AFTER_MS, () => {
    inOrder(putOff).catch((thrown: unknown) => {
      log.warn({ eventId: id, err: asError(thrown) }, 'an interaction could not be put off');
    });
  });

  /** One step at a time, since each depends on what came of the one before. */
  function inOrder(step: () => Promise<void>): Promise<void> {
    const next = last.then(step);
    last = next.catch(() => undefined);
    return next;
  }

  /** Tried again while Discord still waits; what happened all the same shows in the next call. */
  async function insistOn(made: Omit<DiscordCall<unknown>, 'answer' | 'isTokenless'>): Promise<void> {
    const lifeMs = stage === 'unanswered' ? FIRST_WORD_WITHIN_MS : TOKEN_LIFE_MS;
    const pace = { ...PACE, until: beganAt + lifeMs };
    await retry(() => call({ ...made, answer: anyAnswer, isTokenless: true }), pace, { clock, signal });
  }

  async function respond(type: InteractionResponseType, data?: object): Promise<void> {
    await insistOn({
      what: 'answer an interaction',
      method: 'POST',
      route: Routes.interactionCallback(id, token),
      body: { type, ...(data && { data }) },
    });
  }

  async function putOff(): Promise<void> {
    if (stage !== 'unanswered') return;
    if (isButton) {
      await firstStep('put-off-silent', () => respond(InteractionResponseType.DeferredMessageUpdate));
      return;
    }
    const { isEphemeral } = parts;
    await firstStep(isEphemeral ? 'put-off-private' : 'put-off-public', () =>
      respond(InteractionResponseType.DeferredChannelMessageWithSource, {
        ...(isEphemeral && { flags: MessageFlags.Ephemeral }),
      }),
    );
  }

  /** False: it came too late, or an earlier try, whose answer was lost, has got through. */
  async function firstStep(next: Stage, step: () => Promise<void>): Promise<boolean> {
    try {
      await step();
      stage = next;
      return true;
    } catch (thrown) {
      const isThere = discordCode(thrown) === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged;
      if (isThere) stage = isButton ? 'put-off-silent' : 'put-off-private';
      else if (isOver(thrown)) end(thrown);
      else throw thrown;
      return false;
    }
  }

  function end(thrown: unknown): void {
    stage = 'over';
    log.warn({ eventId: id, err: asError(thrown) }, 'an interaction was answered too late');
  }

  /** Whether it is seen by everybody was decided when it was put off. */
  async function edit(text: string): Promise<void> {
    await insistOn({
      what: 'answer an interaction',
      method: 'PATCH',
      route: Routes.webhookMessage(application, token),
      body: message(text, false),
    });
  }

  async function follow(text: string, isPrivate: boolean): Promise<void> {
    await insistOn({
      what: 'answer an interaction',
      method: 'POST',
      route: Routes.webhook(application, token),
      body: message(text, isPrivate),
    });
  }

  /** A sign that everybody sees must not become an answer for one person. */
  async function takeBack(): Promise<void> {
    await insistOn({
      what: 'answer an interaction',
      method: 'DELETE',
      route: Routes.webhookMessage(application, token),
    });
  }

  async function sayFirst(text: string, isPrivate: boolean): Promise<void> {
    if (stage === 'unanswered') {
      const type = InteractionResponseType.ChannelMessageWithSource;
      if (await firstStep('answered', () => respond(type, message(text, isPrivate)))) return;
    }
    if (stage === 'over') throw new AppError('channel-not-found', 'The interaction is over.');
    if (stage === 'put-off-public' && isPrivate) await takeBack();
    const canEdit = stage === 'put-off-private' || (stage === 'put-off-public' && !isPrivate);
    await (canEdit ? edit(text) : follow(text, isPrivate));
    stage = 'answered';
  }

  async function sayAll(text: string, isPrivate: boolean): Promise<void> {
    const [first, ...rest] = splitText(text, MAX_TEXT_LENGTH);
    if (first === undefined) return;
    const isAlone = isPrivate || parts.isEphemeral;
    try {
      await sayFirst(first, isAlone);
      for (const chunk of rest) await follow(chunk, isAlone);
    } catch (thrown) {
      const isTooLate = stage === 'over' || isOver(thrown) || clock.now() - beganAt > TOKEN_LIFE_MS;
      if (!isTooLate) throw thrown;
      if (stage !== 'over') end(thrown);
      // Nobody else is to read what was meant for one person.
      if (!isPrivate) await parts.sayInPlace(text);
    }
  }

  return {
    get hasSpoken() {
      return hasSpoken;
    },
    say(text, isPrivate) {
      hasSpoken = true;
      cancel();
      return inOrder(() => sayAll(text, isPrivate));
    },
    finish() {
      cancel();
      return inOrder(async () => {
        if (isButton) await putOff();
        else if (stage === 'put-off-public') await takeBack();
        else if (stage !== 'over') await sayFirst(DONE, true);
      });
    },
    stop: cancel,
  };
}
