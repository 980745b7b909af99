/** Sessions as rows, both ways. */
import type { Insertable, Selectable } from 'kysely';
import type { RunId, SessionKey } from '../../../src/core/ids.ts';
import { runId } from '../../../src/core/ids.ts';
import type { NewSession, Session, SessionPatch } from '../../../src/ports/store/index.ts';
import { addressJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import { flag, json, named, present } from '../optional.ts';
import type { SessionTable } from '../schema.ts';

const kindOf = wordOf<Session['kind']>({
  main: true,
  group: true,
  cron: true,
  hook: true,
  node: true,
  other: true,
});
const roleOf = wordOf<Session['role']>({ main: true, orchestrator: true, leaf: true });
const cleanupOf = wordOf<Session['cleanup']>({ keep: true, delete: true });
const modeOf = wordOf<NonNullable<Session['mode']>>({ run: true, session: true });
const queueModeOf = wordOf<NonNullable<Session['queueMode']>>({
  steer: true,
  followup: true,
  collect: true,
  interrupt: true,
});
const policyOf = wordOf<NonNullable<Session['sendPolicy']>>({ allow: true, deny: true });

export const sessionKey = (text: string): SessionKey => text as SessionKey;
const optionalRunId = (text: string | null): RunId | null => (text === null ? null : runId(text));

export function toSession(row: Selectable<SessionTable>): Session {
  return {
    key: sessionKey(row.key),
    id: row.id,
    kind: kindOf(row.kind),
    agentId: row.agent_id,
    depth: row.depth,
    role: roleOf(row.role),
    cleanup: cleanupOf(row.cleanup),
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedTokens: row.cached_tokens,
    },
    contextTokens: row.context_tokens,
    stateVersion: row.state_version,
    hasAbortedLastRun: row.has_aborted_last_run === 1,
    isPinned: row.is_pinned === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...present({
      label: row.label,
      taskName: row.task_name,
      displayName: row.display_name,
      spawnedBy: row.spawned_by === null ? null : sessionKey(row.spawned_by),
      spawnedByRun: optionalRunId(row.spawned_by_run),
      ordinal: row.ordinal,
      mode: row.mode === null ? null : modeOf(row.mode),
      model: row.model,
      thinking: row.thinking,
      sendPolicy: row.send_policy === null ? null : policyOf(row.send_policy),
      queueMode: row.queue_mode === null ? null : queueModeOf(row.queue_mode),
      route: addressJson.parseOptional(row.route) ?? null,
      group: row.group_name,
      icon: row.icon,
      archiveAt: row.archive_at,
      archivedAt: row.archived_at,
    }),
  };
}

export type NewSessionRow = Pick<Insertable<SessionTable>, (typeof NEW_SESSION_COLUMNS)[number]>;

export const NEW_SESSION_COLUMNS = [
  'key',
  'id',
  'kind',
  'agent_id',
  'label',
  'task_name',
  'display_name',
  'spawned_by',
  'spawned_by_run',
  'depth',
  'role',
  'ordinal',
  'mode',
  'cleanup',
  'model',
  'thinking',
  'send_policy',
  'queue_mode',
  'route',
  'group_name',
  'icon',
  'created_at',
  'updated_at',
] as const;

export function fromNewSession(session: NewSession): NewSessionRow {
  return {
    key: session.key,
    id: session.id,
    kind: session.kind,
    agent_id: session.agentId,
    label: session.label ?? null,
    task_name: session.taskName ?? null,
    display_name: session.displayName ?? null,
    spawned_by: session.spawnedBy ?? null,
    spawned_by_run: session.spawnedByRun ?? null,
    depth: session.depth,
    role: session.role,
    ordinal: session.ordinal ?? null,
    mode: session.mode ?? null,
    cleanup: session.cleanup,
    model: session.model ?? null,
    thinking: session.thinking ?? null,
    send_policy: session.sendPolicy ?? null,
    queue_mode: session.queueMode ?? null,
    route: json(session.route) ?? null,
    group_name: session.group ?? null,
    icon: session.icon ?? null,
    created_at: session.createdAt,
    updated_at: session.createdAt,
  };
}

/** The columns that the patch sets; its `addUsage` is not among them. */
export function fromSessionPatch(patch: SessionPatch) {
  return named({
    label: patch.label,
    display_name: patch.displayName,
    model: patch.model,
    thinking: patch.thinking,
    send_policy: patch.sendPolicy,
    queue_mode: patch.queueMode,
    route: json(patch.route),
    has_aborted_last_run: flag(patch.hasAbortedLastRun),
    is_pinned: flag(patch.isPinned),
    group_name: patch.group,
    icon: patch.icon,
    archive_at: patch.archiveAt,
    archived_at: patch.archivedAt,
    context_tokens: patch.contextTokens,
  });
}
