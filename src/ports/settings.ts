/**
 * The configuration as the services ask it: resolved, with defaults and overrides applied. All durations in milliseconds.
 */
import type { AccessRules } from '../core/access-rules.ts';
import type { Address } from '../core/address.ts';
import type { QueueMode } from '../core/assignment.ts';
import type { PlaceFacts } from '../core/message.ts';
import type { Lane } from '../core/run.ts';
import type { DmScope } from '../core/session-key.ts';
import type { ToolRules } from '../core/tool-policy.ts';

export interface SubagentSettings {
  readonly model?: string;
  readonly thinking?: string;
  /** 0 = no limit. */
  readonly runTimeoutMs: number;
  readonly maxSpawnDepth: number;
  readonly maxChildren: number;
  /** 0 = never. */
  readonly archiveAfterMs: number;
  /** Agents that may be spawned, in order of configuration; always existing ones. */
  readonly allowedAgents: readonly string[];
}

export interface BindingSettings {
  readonly isEnabled: boolean;
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly canSpawn: boolean;
  readonly defaultContext: 'fork' | 'isolated';
}

/** What happens to messages that come while a session is at work. */
export interface QueueSettings {
  readonly mode: QueueMode;
  /** As many messages of people may wait in one session. */
  readonly cap: number;
  /** What gives way when there are more: the oldest are condensed, or the oldest or the newest one is refused. */
  readonly drop: 'summarize' | 'old' | 'new';
  /** Messages in quick succession are taken in together. */
  readonly debounceMs: number;
}

/**
 * What happens to messages that came while nobody listened: somebody there is asked, they are answered, or they are left.
 */
export type CatchUp = 'ask' | 'answer' | 'off';

export interface Settings {
  /** Configured agents; the first one answers where nothing else is said. */
  readonly agents: readonly string[];
  readonly dmScope: DmScope;
  /** `undefined`: whatever the models offer by default. */
  model(agentId: string): string | undefined;
  thinking(agentId: string): string | undefined;
  subagents(agentId: string): SubagentSettings;
  bindings(channel: string, account: string): BindingSettings;
  queue(channel: string): QueueSettings;
  /** Who may speak where. */
  access(channel: string, account: string): AccessRules;
  catchUp(channel: string, account: string): CatchUp;
  /** Whether a mention in that channel is answered in a thread opened from it. */
  autoThread(address: Address, place: PlaceFacts | undefined): boolean;
  toolRules(agentId: string): ToolRules;
  /** How many runs of the lane may be running at once, over all processes. */
  laneCap(lane: Lane): number;
  /** Whether the configuration names that sender as an owner. */
  isOwner(channel: string, senderId: string): boolean;
}
