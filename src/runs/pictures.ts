/**
 * The pictures that one request shows: the newest ones, as far as providers take them, and none where the model cannot see.
 * The text says of every other one why it is not there.
 */
import { PICTURE_UNSEEN, withPictureNotes } from '../core/attachment-text.ts';
import type { Entry, Picture } from '../core/transcript.ts';
import type { ModelImage } from '../ports/model.ts';
import type { FileReads } from '../ports/store/files.ts';

/** Providers limit how many pictures, and how large a request, they take. */
const MAX_PICTURES = 10;
const MAX_BYTES = 16 * 1024 * 1024;

const EARLIER = 'it was sent earlier and is no longer shown';

/** The pictures of a user's entry as a request has them, beside its text with notes for the rest. */
export interface Shown {
  readonly text: string;
  readonly images?: readonly ModelImage[];
}

export interface Pictures {
  shown(text: string, images: readonly Picture[]): Shown;
}

export const NO_PICTURES: Pictures = {
  shown: (text, images) => ({
    text: withPictureNotes(
      text,
      images.map(({ name }) => ({ name, note: PICTURE_UNSEEN })),
    ),
  }),
};

/** Reads each picture once, however many steps a run takes. */
export function createPictureReader(files: FileReads) {
  const known = new Map<string, Uint8Array>();

  async function bytesOf(ids: readonly string[]): Promise<void> {
    const missing = ids.filter((id) => !known.has(id));
    if (missing.length === 0) return;
    for (const { id, bytes } of await files.get(missing)) known.set(id, bytes);
  }

  /** `takesImages`: of the model that is asked. */
  return async function load(entries: readonly Entry[], takesImages: boolean): Promise<Pictures> {
    if (!takesImages) return NO_PICTURES;
    const newest = entries
      .flatMap(({ content }) => (content.role === 'user' ? (content.images ?? []) : []))
      .reverse()
      .slice(0, MAX_PICTURES);
    if (newest.length === 0) return NO_PICTURES;
    await bytesOf(newest.map(({ file }) => file));
    const isShown = new Set<Picture>();
    let total = 0;
    for (const picture of newest) {
      total += known.get(picture.file)?.length ?? 0;
      if (total > MAX_BYTES) break;
      if (known.has(picture.file)) isShown.add(picture);
    }
    return {
      shown(text, images) {
        const notes = images.map((image) =>
          isShown.has(image) ? { name: image.name } : { name: image.name, note: EARLIER },
        );
        const seen = images
          .filter((image) => isShown.has(image))
          .map(({ file, mediaType, name }) => ({ name, mediaType, bytes: known.get(file)! }));
        return { text: withPictureNotes(text, notes), ...(seen.length > 0 && { images: seen }) };
      },
    };
  };
}
