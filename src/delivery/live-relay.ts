/** Passes lossy signals on to the channel that they concern. Nothing depends on their arrival. */
import type { Mask } from '../core/mask.ts';
import type { Live } from '../ports/live.ts';
import type { Channels } from './channels.ts';

/** Returns the way to stop. */
export function relayLive(live: Live, channels: Channels, mask: Mask): () => void {
  return live.subscribe((event) => {
    switch (event.type) {
      case 'delta':
        channels.at(event.address)?.preview?.(event.address, event.runId, mask.unfinished(event.text));
        break;
      case 'typing':
        channels.at(event.address)?.setTyping?.(event.address, event.isWorking, event.runId);
        break;
      case 'queued':
        channels.at(event.address)?.setQueued?.(event.address, event.eventId, event.isQueued);
        break;
      case 'binding':
        channels.at(event.address)?.bindingChanged?.(event.address);
        break;
    }
  });
}
