/** What Discord adds to embeds and components when it keeps them. */
import type { Json } from './world.ts';

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** An embed of a bot is a rich one; field order and texts stay. */
export const keptEmbeds = (embeds: unknown): readonly Json[] =>
  list(embeds).map((embed) => ({
    type: 'rich',
    ...embed,
    ...(Array.isArray(embed.fields)
      ? { fields: list(embed.fields).map((field) => ({ inline: false, ...field })) }
      : {}),
  }));

/** Each component without an id gets one: a number, counted through the message. */
export function keptComponents(components: unknown): readonly Json[] {
  let count = 0;
  const keep = (component: Json): Json => {
    count += 1;
    const id = typeof component.id === 'number' && component.id !== 0 ? component.id : count;
    const inner = component.components;
    return {
      ...component,
      id,
      ...(Array.isArray(inner) ? { components: list(inner).map(keep) } : {}),
      ...(component.accessory ? { accessory: keep(component.accessory as Json) } : {}),
    };
  };
  return list(components).map(keep);
}
