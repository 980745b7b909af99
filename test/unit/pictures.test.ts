import { expect, test } from 'vitest';
import type { Entry, Picture } from '../../src/core/transcript.ts';
import type { FileReads } from '../../src/ports/store/files.ts';
import { createPictureReader } from '../../src/runs/pictures.ts';

const MIB = 1024 * 1024;
const picture = (name: string): Picture => ({ file: `id-${name}`, mediaType: 'image/png', name });
const entry = (...images: readonly Picture[]): Entry => ({
  content: { role: 'user', text: images.map(({ name }) => `[picture ${name}]`).join('\n\n'), images },
  provenance: { kind: 'user' },
  seq: 1,
  at: 0,
});

function storeOf(bytes: (id: string) => number): { files: FileReads; asked: string[][] } {
  const asked: string[][] = [];
  const get = async (ids: readonly string[]) => {
    asked.push([...ids]);
    return ids.map((id) => ({ id, mediaType: 'image/png', bytes: new Uint8Array(bytes(id)) }));
  };
  return { files: { get }, asked };
}

async function shownOf(entries: readonly Entry[], files: FileReads, takesImages = true) {
  const pictures = await createPictureReader(files)(entries, takesImages);
  return entries.map(({ content }) =>
    content.role === 'user' ? pictures.shown(content.text, content.images ?? []) : undefined,
  );
}

test('the newest ten pictures are shown, and the text says that earlier ones were', async () => {
  const entries = Array.from({ length: 12 }, (_, i) => entry(picture(`${i}.png`)));
  const shown = await shownOf(entries, storeOf(() => 1).files);
  expect(shown.map((one) => one?.images?.length ?? 0)).toEqual([0, 0, ...Array(10).fill(1)]);
  expect(shown[1]?.text).toBe('[picture 1.png: it was sent earlier and is no longer shown]');
  expect(shown[11]?.text).toBe('[picture 11.png]');
});

test('as many are shown as fit a request', async () => {
  const entries = Array.from({ length: 5 }, (_, i) => entry(picture(`${i}.png`)));
  const shown = await shownOf(entries, storeOf(() => 5 * MIB).files);
  expect(shown.map((one) => one?.images?.length ?? 0)).toEqual([0, 0, 1, 1, 1]);
});

test('a model that cannot see is told so, and nothing is read for it', async () => {
  const { files, asked } = storeOf(() => 1);
  const [shown] = await shownOf([entry(picture('cat.png'))], files, false);
  expect(shown).toEqual({ text: '[picture cat.png: this model cannot see pictures]' });
  expect(asked).toEqual([]);
});

test('each picture is read once', async () => {
  const { files, asked } = storeOf(() => 1);
  const load = createPictureReader(files);
  const first = entry(picture('a.png'));
  await load([first], true);
  await load([first, entry(picture('b.png'))], true);
  expect(asked).toEqual([['id-a.png'], ['id-b.png']]);
});
