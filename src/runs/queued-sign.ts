/** The sign that a person's message waits. It is lossy, and taken back once the message is taken in or never will be. */
import type { AfterCommit } from '../commit.ts';
import type { Delivery } from '../core/run.ts';
import type { Input } from '../ports/store/index.ts';

/** `delivery`: that of the run which the messages waited for. */
export function takeBackSigns(
  after: AfterCommit,
  delivery: Delivery,
  inputs: readonly Pick<Input, 'provenance'>[],
): void {
  if (delivery.kind !== 'external') return;
  const { address } = delivery;
  for (const { provenance } of inputs) {
    if (provenance.eventId === undefined) continue;
    after.publish({ type: 'queued', address, eventId: provenance.eventId, isQueued: false });
  }
}
