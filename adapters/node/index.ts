/** What the runtime itself provides. */
export { createSystemClock } from './clock.ts';
export { createSystemIds } from './ids.ts';
export { createPinoLog, type LogDestination, type LogSettings } from './log.ts';
export { isOwnerAlive, processOwner } from './process-identity.ts';
