/**
 * What a person asks for, as far as the stand-in understands it. Plain patterns over one message; anything they do not
 * cover is `other`, which is answered with what can be said instead.
 */
import { findSpawns, MAX_PHRASE } from './spawn-phrases.ts';

export type PersonRequest =
  | { readonly kind: 'spawn'; readonly tasks: readonly string[]; readonly isInThread: boolean }
  | { readonly kind: 'spawn-without-task' }
  | { readonly kind: 'tell'; readonly label: string; readonly message: string }
  | { readonly kind: 'report' }
  | { readonly kind: 'go-on' }
  | { readonly kind: 'greeting' }
  | { readonly kind: 'help' }
  | { readonly kind: 'other'; readonly text: string };

/** `**`, quotes, an address and courtesies in front of the request proper. */
const LEAD =
  /^(?:(?:hey|hi|hello|ok|okay|please|pls|now|then|also|and|just|kindly|skein|<?@[\w!&|-]+>?|(?:could|can|would|will) you|i(?:'d| would)? (?:want|like) you to|let'?s|go(?: ahead)?(?: and)?)[,:!]?\s+)+/i;

const GO_ON = /^(?:go on|go ahead|continue|carry on|keep going|more|next|tell me more|and then\??)$/i;
const REPORT =
  /^(?:(?:give me |show me |send )?(?:a |an |the |your )?(?:short |brief |quick )?(?:status|progress|report|summary)(?: (?:report|update|please))?|summari[sz]e(?: .{0,40})?|report back|results?|what(?:'s| is) the status|(?:so )?what (?:have|did) (?:you|they|it) (?:found|find|got|get)(?: out)?(?: so far)?|any (?:news|results|updates?)|how(?:'s| is| are) (?:it|they|things) going)$/i;
const HELP = /^(?:help|what can you do|what do you (?:do|understand)|how does (?:this|it) work)$/i;
const GREETING = /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|yo|moin|hallo)(?: (?:there|skein))?$/i;
const TELL = /^(?:ask|tell)\s+(?:the\s+)?(?:subagent\s+)?["“]?(.+?)["”]?\s+to\s+(.+)$/is;

function withoutEnd(text: string): string {
  return text
    .replace(/[\s.!?…]+$/, '')
    .replace(/,?\s+(?:please|pls|thanks|thank you)$/i, '')
    .trim();
}

function asSpawn(request: string): PersonRequest | undefined {
  const spawn = findSpawns(request);
  if (!spawn) return undefined;
  return spawn.tasks.length > 0 ? { kind: 'spawn', ...spawn } : { kind: 'spawn-without-task' };
}

/** `text` without marks of who wrote it. A page of it can only be a task with its particulars. */
export function understand(text: string): PersonRequest {
  const trimmed = text.trim();
  if (trimmed.length > MAX_PHRASE)
    return asSpawn(trimmed.replace(LEAD, '')) ?? { kind: 'other', text: trimmed };
  const bare = withoutEnd(trimmed);
  if (GREETING.test(bare)) return { kind: 'greeting' };
  const request = withoutEnd(bare.replace(LEAD, ''));
  const plain = request.replace(/\s+/g, ' ');
  if (GO_ON.test(plain) || GO_ON.test(bare)) return { kind: 'go-on' };
  if (REPORT.test(plain)) return { kind: 'report' };
  if (HELP.test(plain) || plain === '') return { kind: 'help' };
  const spawn = asSpawn(request);
  if (spawn) return spawn;
  const tell = TELL.exec(request);
  if (tell?.[1] && tell[2]) return { kind: 'tell', label: tell[1].trim(), message: tell[2].trim() };
  return { kind: 'other', text: trimmed };
}
