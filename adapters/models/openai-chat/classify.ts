/**
 * Which class of failure an answer of a provider is. Status codes alone do not tell: an empty account answers 429 like a
 * busy one, and a prompt that is too long answers 400 like a malformed one.
 */
import type { FailureClass } from '../../../src/ports/model.ts';

/** What a provider said, as far as it said it. */
export interface ProviderAnswer {
  readonly status?: number;
  readonly code?: string;
  readonly type?: string;
  readonly message: string;
}

interface Rule {
  readonly class: FailureClass;
  readonly statuses?: readonly number[];
  readonly words?: RegExp;
  readonly message?: RegExp;
}

/** The first rule that matches decides; `words` are looked for in code and type. */
const RULES: readonly Rule[] = [
  { class: 'billing', statuses: [402] },
  {
    class: 'billing',
    words: /insufficient_(quota|credits|balance|funds)|billing|credit_balance|payment_required/,
  },
  { class: 'billing', statuses: [400, 403, 429], message: /credit balance|exceeded your current quota/i },
  {
    class: 'context-exceeded',
    words: /context_length_exceeded|exceed_context_size|context_window|string_above_max/,
  },
  {
    class: 'context-exceeded',
    statuses: [400, 413, 422, 500],
    message:
      /maximum context length|context (length|window|size)|prompt is too long|input (is )?too long|too many (input )?tokens/i,
  },
  { class: 'auth', statuses: [401, 403] },
  { class: 'auth', words: /invalid_api_key|authentication|permission_denied/ },
  { class: 'auth', statuses: [400], message: /api key (is )?(not valid|invalid|expired)|invalid api key/i },
  { class: 'model-not-found', statuses: [404] },
  { class: 'model-not-found', words: /model_not_found|model_not_available/ },
  {
    class: 'model-not-found',
    statuses: [400, 422],
    message: /model\b.{0,120}\b(not found|does not exist|not exist)|not a valid model|unknown model/i,
  },
  { class: 'timeout', statuses: [408, 504] },
  { class: 'overload', statuses: [503, 529] },
  { class: 'overload', words: /overloaded|unavailable/ },
  { class: 'rate-limit', statuses: [429] },
  { class: 'rate-limit', words: /rate_limit/ },
];

function matches(rule: Rule, answer: ProviderAnswer): boolean {
  if (rule.statuses && !rule.statuses.includes(answer.status ?? 0)) return false;
  if (rule.words && !rule.words.test(`${answer.code ?? ''} ${answer.type ?? ''}`.toLowerCase())) return false;
  return !rule.message || rule.message.test(answer.message);
}

export function classifyAnswer(answer: ProviderAnswer): FailureClass {
  const rule = RULES.find((candidate) => matches(candidate, answer));
  if (rule) return rule.class;
  const { status } = answer;
  if (status !== undefined && status >= 400 && status < 500) return 'invalid-request';
  if (/invalid_request/.test(`${answer.code} ${answer.type}`)) return 'invalid-request';
  return 'server';
}
