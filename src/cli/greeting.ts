/** What `skein start` says once it is ready. Holds the access token, so it is for the person's terminal alone. */

import { OFFLINE_MODEL } from '../config/default-models.ts';
import type { Config } from '../config/load.ts';

const CONNECT =
  'No model is connected, so a built-in stand-in answers. To connect one, put OPENAI_API_KEY, OPENROUTER_API_KEY or ' +
  'OLLAMA_BASE_URL into .env and start again.';

export function greeting({ defaultModel }: Pick<Config, 'defaultModel'>, pageUrl: string): string {
  return `Skein is ready. Open ${pageUrl}\n${modelLine(defaultModel)}\n`;
}

function modelLine({ provider, model }: Config['defaultModel']): string {
  if (provider === OFFLINE_MODEL.provider) return CONNECT;
  return model === undefined
    ? `Model: the first one installed in ${provider}`
    : `Model: ${provider}/${model}`;
}
