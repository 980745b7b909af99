/** Columns that hold one word of a closed list. A word that is not on it (a newer version's, or edited by hand) is a fault. */
import { AppError } from '../../src/errors.ts';

/** `words` names every member of the union, which the compiler checks. */
export function wordOf<T extends string>(words: Readonly<Record<T, true>>): (text: string) => T {
  const isWord = (text: string): text is T => Object.hasOwn(words, text);
  return (text) => {
    if (!isWord(text)) throw new AppError('store-failed', `The database holds an unknown word: ${text}.`);
    return text;
  };
}
