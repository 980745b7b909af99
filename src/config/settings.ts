/** The configuration as the services ask it: the `Settings` port over a loaded configuration. */
import type { Settings } from '../ports/settings.ts';
import { accessRules } from './access-rules.ts';
import { agentIds, agentModel, agentThinking, laneCaps, subagentSettings } from './agents.ts';
import { autoThread } from './auto-thread.ts';
import { catchUp } from './catch-up.ts';
import type { Config } from './load.ts';
import { threadBindingSettings } from './thread-bindings.ts';
import { toolRules } from './tool-rules.ts';

/** `processors`: of this machine; they bound the main lane where the file does not. */
export function createSettings(config: Config, processors: number): Settings {
  const caps = laneCaps(config, processors);
  const { queue } = config.messages;
  return {
    agents: agentIds(config),
    dmScope: config.session.dmScope,
    model: (agentId) => agentModel(config, agentId)?.primary,
    thinking: (agentId) => agentThinking(config, agentId),
    subagents: (agentId) => subagentSettings(config, agentId),
    bindings: (channel, account) => threadBindingSettings(config, channel, account),
    queue: (channel) => ({
      mode: queue.byChannel[channel] ?? queue.mode,
      cap: queue.cap,
      drop: queue.drop,
      debounceMs: queue.debounceMs,
    }),
    access: (channel, account) => accessRules(config, channel, account),
    catchUp: (channel, account) => catchUp(config, channel, account),
    autoThread: (address, place) => autoThread(config, address, place?.space),
    toolRules: (agentId) => toolRules(config, agentId),
    laneCap: (lane) => caps[lane],
    isOwner: (channel, senderId) => config.commands.ownerAllowFrom.includes(`${channel}:${senderId}`),
  };
}
