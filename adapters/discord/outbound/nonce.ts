/** What Discord knows a part by: sent again within minutes under the same nonce, a message is not posted twice. */
import { createHash } from 'node:crypto';

/** Discord takes up to 25 characters. https://docs.discord.com/developers/resources/message#create-message */
const NONCE_LENGTH = 22;

export function nonceOf(partId: string): string {
  return createHash('sha256').update(partId).digest('base64url').slice(0, NONCE_LENGTH);
}
