/** Files that come with a request, and the attachments that they become. */
import { refuse } from './api-error.ts';
import type { Platform } from './platform.ts';
import type { Attachment, Json } from './world.ts';

export interface UploadedFile {
  /** The form's field, such as `files[0]`. */
  readonly field: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const TYPES_BY_ENDING: Record<string, string> = {
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

export const contentTypeOf = (name: string): string =>
  TYPES_BY_ENDING[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';

export function storeAttachment(
  platform: Platform,
  file: { name: string; bytes: Uint8Array; contentType?: string; description?: string },
): Attachment {
  if (file.bytes.byteLength > platform.settings.maxFileBytes) throw refuse(40005);
  const attachment: Attachment = {
    id: platform.newId(),
    name: file.name,
    bytes: file.bytes,
    contentType: file.contentType ?? contentTypeOf(file.name),
    ...(file.description === undefined ? {} : { description: file.description }),
  };
  platform.world.attachments.set(attachment.id, attachment);
  return attachment;
}

/** The files of a request in the order of their fields, with the names and descriptions that the body gives them. */
export function storeUploads(
  platform: Platform,
  files: readonly UploadedFile[],
  body: Json,
): readonly Attachment[] {
  const described = (body.attachments ?? []) as readonly Json[];
  return files.map((file) => {
    const index = /^files\[(\d+)\]$/.exec(file.field)?.[1];
    const told = described.find(({ id }) => String(id) === index);
    return storeAttachment(platform, {
      name: typeof told?.filename === 'string' ? told.filename : file.name,
      bytes: file.bytes,
      contentType: contentTypeOf(file.name),
      ...(typeof told?.description === 'string' ? { description: told.description } : {}),
    });
  });
}
