/** How many columns a text takes in a fixed-width font, so that what stands below each other can be lined up. */

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Scripts and signs that take two columns: Chinese, Japanese, Korean, full-width forms. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const PICTOGRAPH = /\p{Emoji_Presentation}|\ufe0f/u;
const UNSEEN = /^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u;

export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += widthOf(segment);
  return width;
}

function widthOf(character: string): number {
  if (UNSEEN.test(character)) return 0;
  return WIDE.test(character) || PICTOGRAPH.test(character) ? 2 : 1;
}
