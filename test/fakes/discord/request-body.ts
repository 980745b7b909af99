/** The body of a request: JSON, or a form with JSON and files. */
import type { IncomingMessage } from 'node:http';
import { refuse } from './api-error.ts';
import type { UploadedFile } from './attachments.ts';

export interface ParsedBody {
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
}

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Throws an ApiError for a body that cannot be read. */
export async function parseBody(bytes: Buffer, contentType: string | undefined): Promise<ParsedBody> {
  if (bytes.byteLength === 0) return { body: undefined, files: [] };
  if (contentType?.startsWith('multipart/form-data')) return parseForm(bytes, contentType);
  return { body: parseJson(bytes.toString('utf8')), files: [] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(50035);
  }
}

async function parseForm(bytes: Buffer, contentType: string): Promise<ParsedBody> {
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': contentType },
  }).formData();
  const payload = form.get('payload_json');
  const files: UploadedFile[] = [];
  for (const [field, value] of form)
    if (typeof value !== 'string')
      files.push({
        field,
        name: value.name,
        contentType: value.type,
        bytes: new Uint8Array(await value.arrayBuffer()),
      });
  return { body: typeof payload === 'string' ? parseJson(payload) : {}, files };
}
