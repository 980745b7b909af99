/**
 * Structured logging. `fields` are plain data with ids, never message texts or secrets; whatever gets in all the same is
 * redacted by the implementation. Logging never throws.
 */
export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
  /** A log whose every line also carries `fields`. */
  child(fields: Record<string, unknown>): Log;
}
