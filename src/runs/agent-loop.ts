/**
 * Carries out one claimed run, step by step, until it ends, waits, or is no longer ours:
 *
 *   take in inputs → [finish tool calls left by a crash] → model → store the step → tools → …
 *
 * It decides nothing that a crash may not forget: every step is stored before it is acted on, by `steps.ts`.
 */

import type { AfterCommit, Commit } from '../commit.ts';
import { failureText } from '../core/failure-text.ts';
import type { Mask } from '../core/mask.ts';
import type { Entry } from '../core/transcript.ts';
import { AppError, asError } from '../errors.ts';
import { type Clock, sleep } from '../ports/clock.ts';
import type { Live } from '../ports/live.ts';
import type { Log } from '../ports/log.ts';
import { isTransient, type ModelDescription, type ModelFailure, type Models } from '../ports/model.ts';
import type { Settings } from '../ports/settings.ts';
import type { Run, Session, StoreReads, StoreTx, ToolCallRow } from '../ports/store/index.ts';
import { callModel } from './call-model.ts';
import type { createToolCaller } from './call-tools.ts';
import { requireOwned } from './owned.ts';
import { createPictureReader } from './pictures.ts';
import { buildRequest, MAX_PROMPT_ENTRIES } from './prompt.ts';
import type { RunEnd, Settlement } from './settle.ts';
import { type createSteps, type Prepared, prepareStep } from './steps.ts';
import type { Toolbox } from './tool.ts';

/** Why a run was stopped from outside. `lost`: another process has it; `shutdown`: this one is ending. */
export type StopCause = 'cancelled' | 'timed-out' | 'lost' | 'shutdown';

/** Lets the loop be stopped; `cause` is set before `signal` aborts. */
export interface RunControl {
  readonly signal: AbortSignal;
  cause(): StopCause | undefined;
}

export interface LoopDeps {
  readonly commit: Commit;
  readonly read: StoreReads;
  readonly settlement: Settlement;
  readonly steps: ReturnType<typeof createSteps>;
  readonly callTools: ReturnType<typeof createToolCaller>;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly settings: Settings;
  readonly live: Live;
  readonly mask: Mask;
  readonly clock: Clock;
  readonly log: Log;
}

/** A run that has gone on for this many steps is not getting anywhere. */
const MAX_STEPS = 200;
/** Attempts at one step, by crash or by a failure that may pass, before the run is given up. */
export const MAX_ATTEMPTS = 3;
const RETRY_BASE_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** A provider may ask for hours; nobody waits that long for an answer without a word. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** How often a run that could not be stored is offered again. */
const STORE_RETRY_MS = 1_000;

export function createAgentLoop(deps: LoopDeps) {
  const { commit, read, settlement, steps, callTools, models, toolbox, settings, live, mask, clock, log } =
    deps;

  /** Who joins a run often writes several messages in quick succession; one step takes them all in. */
  function joinPauseMs({ origin }: Run): number {
    return origin.delivery.kind === 'external'
      ? settings.queue(origin.delivery.address.channel).debounceMs
      : 0;
  }

  /** Only subagents have a card that shows it. */
  function progress(run: Run, session: Session, tool: string | undefined): void {
    if (session.depth > 0)
      live.publish({ type: 'progress', runId: run.id, ...(tool !== undefined && { tool }) });
  }

  async function end(run: Run, status: RunEnd['status'], code: string): Promise<void> {
    await commit(async (tx, after) => endOwned(tx, after, await requireOwned(tx, run), status, code));
  }

  /** `owned` is the row as it is now: what the run has said and used since it was claimed stands in it. */
  async function endOwned(
    tx: StoreTx,
    after: AfterCommit,
    owned: Run,
    status: RunEnd['status'],
    code: string,
  ): Promise<void> {
    const outcome = { text: '', error: { code, message: failureText(code) } };
    const expected = { from: ['running'] as const, fence: owned.fence };
    const end = { status, outcome, usage: owned.usage };
    await settlement.end(tx, after, owned, expected, end, clock.now());
  }

  /** Back into the queue, for this or another process; an orderly stop of ours is no failed attempt. */
  async function release(run: Run, notBefore: number | null): Promise<void> {
    const now = clock.now();
    await commit(async (tx, after) => {
      const owned = await requireOwned(tx, run);
      if (owned.cancelRequestedAt !== undefined) return endOwned(tx, after, owned, 'cancelled', 'cancelled');
      await tx.runs.update(
        run.id,
        { from: ['running'], fence: run.fence },
        {
          status: 'queued',
          notBefore,
          ...(notBefore === null && { attempt: Math.max(0, owned.attempt - 1) }),
          ...(owned.deadlineAt !== undefined && { remainingMs: Math.max(0, owned.deadlineAt - now) }),
        },
      );
      if (notBefore === null) after.wake(run.lane, run.sessionKey);
    });
  }

  async function stopped(run: Run, cause: StopCause | undefined): Promise<void> {
    if (cause === 'cancelled') await end(run, 'cancelled', 'cancelled');
    else if (cause === 'timed-out') await end(run, 'timed_out', 'run-timeout');
    else if (cause === 'shutdown') await release(run, null);
    // lost: whoever took it over decides.
  }

  async function failed(run: Run, failure: ModelFailure): Promise<void> {
    log.warn(
      { runId: run.id, attempt: run.attempt, class: failure.class, error: failure.message },
      'a model call failed',
    );
    if (!isTransient(failure) || run.attempt >= MAX_ATTEMPTS) return end(run, 'failed', failure.class);
    const backoffMs = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 4 ** (run.attempt - 1));
    return release(run, clock.now() + Math.min(failure.retryAfterMs ?? backoffMs, LONGEST_WAIT_MS));
  }

  async function modelFor(run: Run, session: Session): Promise<ModelDescription> {
    const wanted = run.model ?? session.model ?? settings.model(session.agentId);
    const known = wanted === undefined ? undefined : models.describe(wanted);
    return known ?? models.defaultModel();
  }

  async function steadyLoop(first: Prepared, control: RunControl): Promise<void> {
    let { run, unfinished } = first;
    const { session } = first;
    const { delivery } = run.origin;
    const address = delivery.kind === 'external' ? { address: delivery.address } : {};
    let entries: readonly Entry[] = await read.entries.tail(session.key, MAX_PROMPT_ENTRIES);
    const model = await modelFor(run, session);
    const loadPictures = createPictureReader(read.files);
    // The claim has taken in what was there; after tool calls and further steps there may be more.
    let mayHaveMore = unfinished.length > 0;

    const tools = async (calls: readonly ToolCallRow[]): Promise<boolean> => {
      const onProgress = (tool: string | undefined) => progress(run, session, tool);
      const turn = await callTools({ run, session, calls, signal: control.signal, onProgress });
      entries = [...entries, ...turn.entries];
      return turn.isWaiting;
    };

    for (;;) {
      if (control.signal.aborted) return stopped(run, control.cause());
      if (run.step >= MAX_STEPS) return end(run, 'failed', 'too-many-steps');
      if (unfinished.length > 0) {
        if (await tools(unfinished)) return;
        unfinished = [];
        if (control.signal.aborted) continue;
      }
      if (mayHaveMore) {
        const next = await commit(async (tx, after) =>
          prepareStep(tx, after, await requireOwned(tx, run), clock.now()),
        );
        entries = [...entries, ...next.taken];
      }
      mayHaveMore = true;
      const pictures = await loadPictures(entries, model.takesImages);
      const asked = { run, session, entries, model: model.ref, pictures };
      const request = buildRequest(asked, settings, toolbox);
      const reply = await callModel(models, request, control.signal, mask, {
        live,
        clock,
        runId: run.id,
        ...address,
      });
      if (control.signal.aborted) return stopped(run, control.cause());
      if (reply.kind === 'failure') return failed(run, reply.failure);
      const step = await steps.record(run, reply);
      if (step.kind === 'left') return;
      run = step.run;
      entries = [...entries, ...step.entries];
      if (step.kind === 'again') await sleep(clock, joinPauseMs(run), control.signal);
      if (step.kind === 'tools' && (await tools(step.calls))) return;
    }
  }

  /** Never rejects: a run that is lost is somebody else's, and any other fault ends the run with a word to the user. */
  return async function execute(first: Prepared, control: RunControl): Promise<void> {
    const { run } = first;
    const { delivery } = run.origin;
    const typing = (isWorking: boolean) => {
      if (delivery.kind === 'external') {
        live.publish({ type: 'typing', runId: run.id, address: delivery.address, isWorking });
      }
    };
    typing(true);
    progress(run, first.session, undefined);
    try {
      if (run.cancelRequestedAt !== undefined) await stopped(run, 'cancelled');
      else if (run.attempt > MAX_ATTEMPTS) await end(run, 'interrupted', 'interrupted');
      else await steadyLoop(first, control);
    } catch (thrown) {
      if (isStoreAway(thrown)) await putOff(run, control, thrown);
      else await giveUp(run, thrown);
    } finally {
      typing(false);
    }
  };

  /** Nothing is wrong with the run: it goes on behind its last recorded step as soon as anything can be stored again. */
  async function putOff(run: Run, { signal }: RunControl, thrown: AppError): Promise<void> {
    log.error(
      { runId: run.id, error: thrown.message },
      'a step could not be stored; the run goes on when it can',
    );
    while (!signal.aborted) {
      await sleep(clock, STORE_RETRY_MS, signal);
      try {
        return await release(run, null);
      } catch (again) {
        if (!isStoreAway(again)) return giveUp(run, again);
      }
    }
    // Its lease runs out, or its process is found dead.
  }

  async function giveUp(run: Run, thrown: unknown): Promise<void> {
    const error = asError(thrown);
    if (error instanceof AppError && error.code === 'run-lost') {
      log.warn({ runId: run.id }, 'the run was taken over by another process');
      return;
    }
    const isWithoutModel = hasNoModel(error);
    if (isWithoutModel) log.warn({ runId: run.id, error: error.message }, 'there is no model to ask');
    else
      log.error(
        { runId: run.id, error: error.message, stack: error.stack },
        'the run failed by a fault of ours',
      );
    try {
      await end(run, 'failed', isWithoutModel ? 'no-model' : 'internal');
    } catch (second) {
      // The lease will run out and another attempt is made; after three the run is given up as interrupted.
      log.error(
        { runId: run.id, error: asError(second).message },
        'the failure of the run could not be stored',
      );
    }
  }
}

/** A local server that is not running, has nothing installed, or a default model that no provider serves. */
function hasNoModel(error: Error): boolean {
  return error instanceof AppError && (error.code === 'model-unavailable' || error.code === 'config-invalid');
}

function isStoreAway(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && (thrown.code === 'store-full' || thrown.code === 'store-busy');
}
