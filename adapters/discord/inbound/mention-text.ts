/** Texts of messages as people meant them: what addresses the bot is taken off, and people have names instead of ids. Pure. */

export interface Named {
  readonly id: string;
  readonly name: string;
}

function mentionOf(id: string): string {
  return `<@!?${id}>`;
}

/** Whether the text itself names that person; a reply to them does not. */
export function mentions(text: string, id: string): boolean {
  return new RegExp(mentionOf(id)).test(text);
}

/**
 * The text without the mentions of the bot in front, which are often followed by a comma; one that says nothing else stays,
 * so that there is something to answer.
 */
export function readableText(text: string, self: Named, people: readonly Named[]): string {
  const leading = new RegExp(`^\\s*(?:${mentionOf(self.id)}[\\s,:]*)+`);
  const rest = text.replace(leading, '');
  const said = rest.trim() === '' ? text.trim() : rest;
  return [...people, self].reduce(
    (readable, { id, name }) => readable.replaceAll(new RegExp(mentionOf(id), 'g'), () => `@${name}`),
    said,
  );
}
