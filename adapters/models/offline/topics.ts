/** Topics as people name them: told apart when there are several, and given a label short enough for a thread's title. */

const LABEL_LENGTH = 40;

/** `A, B and C` as three. */
export function splitList(text: string): readonly string[] {
  return text
    .split(/\s*[,;]\s*(?:and\s+|&\s*)?|\s+and\s+|\s*&\s*/i)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length + 1);
  const space = cut.lastIndexOf(' ');
  return (space > length / 2 ? cut.slice(0, space) : text.slice(0, length)).trim().toWellFormed();
}

export function labelFor(topic: string): string {
  const [firstLine = ''] = topic.trim().split('\n', 1);
  const plain = firstLine
    .slice(0, 4 * LABEL_LENGTH)
    .replace(/[`*_>"“”\n\r\t]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^(?:(?:look|dig) (?:into|at)|research|investigate|explore|find out(?: about)?)\s+/i, '')
    .replace(/^(?:the|a|an|about)\s+/i, '')
    .trim();
  const label = cutAtWord(plain, LABEL_LENGTH).replace(/[\s.,;:!?–-]+$/, '');
  return label === '' ? 'task' : label;
}

/** Labels of one reply differ, so that people can name the one they mean. */
export function distinctLabels(topics: readonly string[]): readonly string[] {
  const labels = topics.map(labelFor);
  return labels.map((label, index) => {
    const isShared = labels.filter((other) => other.toLowerCase() === label.toLowerCase()).length > 1;
    const place = labels.slice(0, index + 1).filter((other) => other.toLowerCase() === label.toLowerCase());
    return isShared ? `${cutAtWord(label, LABEL_LENGTH - 3)} ${place.length}` : label;
  });
}
