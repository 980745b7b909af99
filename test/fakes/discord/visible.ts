/** A message as a person sees it. */
import { FLAG_LOADING } from './wire-message.ts';
import type { Json, Message } from './world.ts';

export interface VisibleMessage {
  readonly id: string;
  readonly author: string;
  /** The content, the texts of embeds and those of text displays, joined by line breaks. */
  readonly text: string;
  /** Labels of the buttons that can be pressed. */
  readonly buttons: readonly string[];
  readonly files: readonly string[];
  /** The message replied to. */
  readonly replyTo?: string;
  /** The bot "is thinking": a deferred answer that has no words yet. */
  readonly isLoading: boolean;
}

/** All components of the message, at any depth. */
export function componentsOf(message: Message): readonly Json[] {
  const walk = (components: readonly Json[]): readonly Json[] =>
    components.flatMap((component) => [
      component,
      ...walk((component.components ?? []) as readonly Json[]),
      ...(component.accessory ? walk([component.accessory as Json]) : []),
    ]);
  return walk(message.components);
}

function embedText(embed: Json): readonly unknown[] {
  const fields = (embed.fields ?? []) as readonly Json[];
  return [
    (embed.author as Json | undefined)?.name,
    embed.title,
    embed.description,
    ...fields.flatMap(({ name, value }) => [name, value]),
    (embed.footer as Json | undefined)?.text,
  ];
}

export function textOf(message: Message): string {
  const displays = componentsOf(message).filter(({ type }) => type === 10);
  const texts = [
    message.content,
    ...message.embeds.flatMap(embedText),
    ...displays.map((each) => each.content),
  ];
  return texts.filter((text): text is string => typeof text === 'string' && text !== '').join('\n');
}

export function visibleMessage(message: Message): VisibleMessage {
  return {
    id: message.id,
    author: message.author.name,
    text: textOf(message),
    buttons: componentsOf(message)
      .filter(({ type, disabled }) => type === 2 && disabled !== true)
      .map(({ label }) => String(label)),
    files: message.attachments.map(({ name }) => name),
    ...(message.reference ? { replyTo: message.reference.messageId } : {}),
    isLoading: (message.flags & FLAG_LOADING) !== 0,
  };
}
