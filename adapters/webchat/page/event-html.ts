/** Events as pieces of the page, so that the page's script only has to put them in their place. */
import type { MessageView, ThreadView } from '../view.ts';
import { messageItem, previewHtml, threadLink } from './message-view.ts';

/** `undefined` for events that the page shows without new markup. */
export function eventHtml(type: string, data: object, now: number): string | undefined {
  switch (type) {
    case 'message':
    case 'card':
      return String(messageItem(data as MessageView, { now }));
    case 'thread':
      return String(threadLink(data as ThreadView));
    case 'delta':
      return previewHtml((data as { text: string }).text);
    default:
      return undefined;
  }
}
