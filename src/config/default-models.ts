/**
 * Which model answers when nothing is configured: the first row whose provider can be used, else the offline stand-in.
 * The only place where model ids are written down.
 */
export interface DefaultModel {
  readonly provider: string;
  /** Absent: the provider is asked at first use, and its first installed model is taken. */
  readonly model?: string;
}

export const DEFAULT_MODELS: readonly DefaultModel[] = [
  { provider: 'openai', model: 'gpt-5-mini' },
  { provider: 'openrouter', model: 'openai/gpt-5-mini' },
  { provider: 'ollama' },
];

export const OFFLINE_MODEL = { provider: 'offline', model: 'stand-in' } as const satisfies DefaultModel;
