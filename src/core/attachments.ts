/**
 * Which files of people are taken, and as what: pictures to be looked at, or texts to be read. Pure; the limits are those of
 * what models can take in. An adapter may ask before it fetches a file.
 */
import type { InboundFile } from './message.ts';

/** So many of one message. */
export const MAX_FILES = 10;
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
export const MAX_TEXT_BYTES = 256 * 1024;

export type FileKind = 'picture' | 'text';

export type SortedFile =
  | {
      readonly kind: 'picture';
      readonly name: string;
      readonly mediaType: string;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'refused'; readonly name: string; readonly reason: string };

const PICTURE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const TEXT_TYPE =
  /^(?:text\/|message\/|application\/(?:[\w.-]+\+)?(?:json|ld\+json|xml|yaml|toml|sql|graphql|javascript|typescript)$|application\/(?:jsonl|ndjson|json5|x-(?:yaml|sh|toml|httpd-php|ndjson|javascript|typescript|perl|ruby|python|tex|sql))$)|(?:\+json|\+xml)$/;
const TEXT_NAME =
  /(?:^|[\\/])(?:dockerfile|makefile|license|readme|changelog)$|\.(?:txt|md|markdown|rst|adoc|org|tex|log|csv|tsv|json|jsonl|ndjson|json5|ya?ml|toml|ini|cfg|conf|env|properties|xml|svg|html?|css|s[ac]ss|less|[cm]?[jt]sx?|vue|svelte|py|rb|php|pl|lua|r|jl|go|rs|c|h|cc|cpp|hpp|cs|java|kt|kts|scala|swift|m|mm|dart|ex|exs|erl|hs|ml|clj|lisp|el|vim|sh|bash|zsh|fish|ps1|bat|cmd|sql|graphql|gql|proto|diff|patch|tf|nix|gradle|srt|vtt|ics|eml)$/i;

const TOO_MANY = `only ${MAX_FILES} files of one message are taken`;
const UNKNOWN_KIND = 'I can only read pictures (PNG, JPEG, GIF, WebP) and text files';
const NOT_A_TEXT = 'it is not readable as text (UTF-8)';
const DAMAGED = 'it is not the kind of picture that it says it is';
const EMPTY = 'it is empty';

/** What a file would be taken as, by what the platform says of it; `undefined` when it would not be. */
export function fileKind(name: string, mediaType: string): FileKind | undefined {
  const type = mediaType.toLowerCase().split(';')[0]!.trim();
  if (PICTURE_TYPES.includes(type)) return 'picture';
  if (type.startsWith('image/') && type !== 'image/svg+xml') return undefined;
  return TEXT_TYPE.test(type) || TEXT_NAME.test(name) ? 'text' : undefined;
}

/** Why a file of that kind and size is not taken, in words that follow "I could not take it: "; else `undefined`. */
export function refusalOf(name: string, mediaType: string, bytes: number): string | undefined {
  const kind = fileKind(name, mediaType);
  if (kind === undefined) return UNKNOWN_KIND;
  if (bytes === 0) return EMPTY;
  if (kind === 'picture' && bytes > MAX_PICTURE_BYTES) return 'it is larger than 5 MiB';
  if (kind === 'text' && bytes > MAX_TEXT_BYTES) return 'it is larger than 256 KiB';
  return undefined;
}

/** One for each file, in order. */
export function sortFiles(files: readonly InboundFile[]): readonly SortedFile[] {
  return files.map((file, i) => (i < MAX_FILES ? sortFile(file) : refused(file.name, TOO_MANY)));
}

function sortFile(file: InboundFile): SortedFile {
  const { name } = file;
  if ('refused' in file) return refused(name, file.refused);
  const { mediaType, bytes } = file;
  const reason = refusalOf(name, mediaType, bytes.length);
  if (reason !== undefined) return refused(name, reason);
  if (fileKind(name, mediaType) === 'picture') {
    // A provider that is told another type than it finds refuses the whole conversation, now and ever after.
    const seen = pictureType(bytes);
    return seen === undefined ? refused(name, DAMAGED) : { kind: 'picture', name, mediaType: seen, bytes };
  }
  const text = decoded(bytes);
  return text === undefined ? refused(name, NOT_A_TEXT) : { kind: 'text', name, text };
}

const refused = (name: string, reason: string): SortedFile => ({ kind: 'refused', name, reason });

function decoded(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** By its first bytes. */
function pictureType(bytes: Uint8Array): string | undefined {
  const ascii = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (ascii(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (/^GIF8[79]a$/.test(ascii(0, 6))) return 'image/gif';
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
