/** Our thinking levels in the provider's words, and how a model says that it has no such control. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { THINKING_LEVELS } from '../../../src/core/thinking.ts';
import type { ModelFailure } from '../../../src/ports/model.ts';

type Effort = NonNullable<LanguageModelV4CallOptions['reasoning']>;

/** The highest level that every server with this control knows is `high`. */
const EFFORTS: Readonly<Record<(typeof THINKING_LEVELS)[number], Effort>> = {
  off: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

export function effortFor(thinking: string | undefined): Effort | undefined {
  return Object.entries(EFFORTS).find(([level]) => level === thinking)?.[1];
}

export function refusesThinking(failure: ModelFailure): boolean {
  return failure.class === 'invalid-request' && /reasoning|thinking/i.test(failure.message);
}
