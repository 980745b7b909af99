/** What asking the provider of the default model has shown. */
import { type Check, fail, ok, warn } from '../core/check.ts';

/** As the adapter of models tells it; `not-asked`: an interface that has no cheap question. */
export type ProviderReach =
  | { readonly kind: 'reached'; readonly models?: readonly string[] }
  | { readonly kind: 'key-refused' }
  | { readonly kind: 'unreachable'; readonly problem: string }
  | { readonly kind: 'offline' }
  | { readonly kind: 'not-asked' };

const NAME = 'model';

/** `model` absent: the first one that the provider has. */
export function modelCheck(provider: string, model: string | undefined, reach: ProviderReach): Check {
  const called = model === undefined ? provider : `${provider}/${model}`;
  switch (reach.kind) {
    case 'offline':
      return warn(
        NAME,
        'No model is connected; the built-in stand-in answers.',
        'Put OPENAI_API_KEY, OPENROUTER_API_KEY or OLLAMA_BASE_URL into .env.',
      );
    case 'not-asked':
      return ok(NAME, `${called}; not asked, since its interface has no cheap question.`);
    case 'key-refused':
      return fail(
        NAME,
        `${provider} refuses the key.`,
        `Put a valid key for ${provider} into .env or models.providers.${provider}.apiKey.`,
      );
    case 'unreachable':
      return fail(
        NAME,
        `${provider} cannot be reached: ${reach.problem}.`,
        `Is it running? Check the network and models.providers.${provider}.baseUrl.`,
      );
    case 'reached':
      return reached(called, model, reach.models);
  }
}

function reached(called: string, model: string | undefined, models: readonly string[] | undefined): Check {
  if (models === undefined) return ok(NAME, `${called} can be reached.`);
  if (models.length === 0)
    return fail(NAME, `${called} has no model.`, 'Install one, such as with "ollama pull llama3.2".');
  if (model === undefined || models.includes(model)) return ok(NAME, `${called} can be reached.`);
  return warn(
    NAME,
    `The provider answers, but does not list ${model}.`,
    'Check the name in agents.defaults.model; some providers do not list all that they have.',
  );
}
