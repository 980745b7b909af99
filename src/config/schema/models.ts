/** `models.*`: providers beside the built-in ones, or changes to those. */
import { z } from 'zod';
import { nonEmpty, url } from './values.ts';

/** US dollars for a million tokens of each class. */
const price = z.number().min(0);

const model = z.object({
  id: nonEmpty,
  name: nonEmpty.exactOptional(),
  contextWindow: z.int().min(1).exactOptional(),
  /** What it takes in: `text`, and `image` where it can see. */
  input: z.array(nonEmpty).exactOptional(),
  cost: z
    .object({
      input: price.default(0),
      output: price.default(0),
      cacheRead: price.exactOptional(),
      cacheWrite: price.exactOptional(),
    })
    .exactOptional(),
});

const provider = z.object({
  api: z.enum(['openai-chat', 'openai-responses', 'anthropic', 'google', 'offline']).exactOptional(),
  baseUrl: url.exactOptional(),
  apiKey: nonEmpty.exactOptional(),
  models: z.array(model).exactOptional(),
});

const providerId = nonEmpty
  .regex(/^[^/\s:]+$/)
  .meta({ expected: 'a provider id without "/", ":" and spaces' });

export const modelsSchema = z.object({ providers: z.record(providerId, provider).default({}) });
