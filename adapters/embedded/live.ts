/**
 * Live signals within one process. Delivery is synchronous; an event that a handler publishes is delivered after the one
 * being handled, so that every listener sees the same order. A handler that throws is logged and never reaches the
 * publisher or the other listeners.
 */
import { asError } from '../../src/errors.ts';
import type { Live, LiveEvent } from '../../src/ports/live.ts';
import type { Log } from '../../src/ports/log.ts';

interface Subscription {
  readonly handler: (event: LiveEvent) => void;
}

export function createInProcessLive({ log }: { log: Log }): Live {
  const subscriptions = new Set<Subscription>();
  const pending: LiveEvent[] = [];
  let isDelivering = false;

  function deliver(event: LiveEvent): void {
    for (const subscription of [...subscriptions]) {
      // A listener that was taken off by one before it hears nothing more.
      if (!subscriptions.has(subscription)) continue;
      try {
        subscription.handler(event);
      } catch (thrown) {
        log.error({ event: event.type, err: asError(thrown) }, 'a live listener failed');
      }
    }
  }

  return {
    publish(event) {
      pending.push(event);
      if (isDelivering) return;
      isDelivering = true;
      try {
        for (let next = pending.shift(); next; next = pending.shift()) deliver(next);
      } finally {
        isDelivering = false;
      }
    },

    subscribe(handler) {
      const subscription = { handler };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
  };
}
