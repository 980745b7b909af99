/** The HTTP server, as the composition root uses it. */
export type { Readiness } from './health.ts';
export { pairingRoutes } from './pairing-routes.ts';
export { createHttpServer, type HttpServer, type HttpServerParts } from './server.ts';
export { readOrCreateToken } from './token.ts';
export type { RunTool, ToolCallOutcome } from './tool-routes.ts';
