/** What to do where a model turns out not to see pictures, or not to take one of them: it is asked again with words alone. */
import { PICTURE_UNSEEN, withPictureNotes } from '../../../src/core/attachment-text.ts';
import type { FailureClass, ModelFailure, ModelRequest } from '../../../src/ports/model.ts';

const REFUSALS: readonly FailureClass[] = ['invalid-request', 'model-not-found', 'server'];

export function refusesPictures(failure: ModelFailure): boolean {
  return REFUSALS.includes(failure.class) && /\bimage|vision|multi-?modal|modalit/i.test(failure.message);
}

export function hasPictures({ messages }: ModelRequest): boolean {
  return messages.some((message) => message.role === 'user' && message.images !== undefined);
}

export function withoutPictures(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => {
    if (message.role !== 'user' || !message.images) return message;
    const notes = message.images.map(({ name }) => ({ name, note: PICTURE_UNSEEN }));
    return { role: 'user', text: withPictureNotes(message.text, notes) } as const;
  });
  return { ...request, messages };
}
