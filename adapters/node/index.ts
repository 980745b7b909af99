/** What the runtime itself provides. */
export { createSystemClock } from './clock.ts';
export { createSystemIds } from './ids.ts';
export { createPinoLog } from './log.ts';
export { isOwnerAlive, processOwner } from './process-identity.ts';
