/** What strict providers demand of a chat request. Written from their documented rules, not from what Skein sends. */

export interface ChatToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly reasoning_effort?: string;
}

const ROLES = ['system', 'user', 'assistant', 'tool'];

function isJsonObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function callViolations(calls: readonly ChatToolCall[], at: number): string[] {
  const ids = calls.map((call) => call.id);
  return [
    ...(new Set(ids).size < ids.length ? [`message ${at}: tool call ids are not unique`] : []),
    ...calls
      .filter((call) => !isJsonObject(call.function?.arguments))
      .map((call) => `message ${at}: the arguments of ${call.id} are not a JSON object`),
    ...calls
      .filter((call) => !/^[\w-]{1,64}$/.test(call.function?.name ?? ''))
      .map((call) => `message ${at}: "${call.function?.name}" is not a function name`),
  ];
}

function contentViolations(message: ChatMessage, at: number): string[] {
  const isText = typeof message.content === 'string' || Array.isArray(message.content);
  if (message.role === 'assistant' && message.tool_calls?.length) return [];
  if (!isText) return [`message ${at}: ${message.role} without content`];
  return message.role === 'user' && message.content === '' ? [`message ${at}: empty user message`] : [];
}

/** Beside text a user's message may hold pictures, whole, in the message itself. */
function partViolations(message: ChatMessage, at: number): string[] {
  if (!Array.isArray(message.content)) return [];
  const parts = message.content as readonly {
    type?: string;
    text?: unknown;
    image_url?: { url?: unknown };
  }[];
  return parts.flatMap((part) => {
    if (part.type === 'text')
      return typeof part.text === 'string' ? [] : [`message ${at}: text without text`];
    if (part.type !== 'image_url' || message.role !== 'user') {
      return [`message ${at}: a part of type ${part.type} in a message of ${message.role}`];
    }
    const isWhole = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(
      String(part.image_url?.url),
    );
    return isWhole ? [] : [`message ${at}: a picture that is no data URL`];
  });
}

/** Each tool call is answered once, right behind the message that made it. */
function resultViolations(messages: readonly ChatMessage[]): string[] {
  const found: string[] = [];
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) {
        found.push(`message ${at}: a result for ${message.tool_call_id}, which no call before it made`);
      }
      continue;
    }
    for (const id of open) found.push(`message ${at}: the tool call ${id} has no result before it`);
    open = new Set((message.tool_calls ?? []).map((call) => call.id));
  }
  for (const id of open) found.push(`the tool call ${id} has no result`);
  return found;
}

export function findViolations(body: ChatBody): readonly string[] {
  const messages = body.messages ?? [];
  if (typeof body.model !== 'string' || body.model === '') return ['no model is named'];
  if (messages.length === 0) return ['there are no messages'];
  return [
    ...messages.flatMap((message, at) => [
      ...(ROLES.includes(message.role) ? [] : [`message ${at}: unknown role ${message.role}`]),
      ...(message.role === 'system' && at > 0
        ? [`message ${at}: a system message that is not the first`]
        : []),
      ...contentViolations(message, at),
      ...partViolations(message, at),
      ...callViolations(message.tool_calls ?? [], at),
    ]),
    ...(messages.every((message) => message.role === 'system') ? ['there is no user message'] : []),
    ...resultViolations(messages),
  ];
}
