/**
 * Structured logging with pino: one JSON object a line, or short lines for people at a terminal. Every line goes through
 * redaction as a whole, just before it is written.
 */
import { type Logger, pino, stdSerializers } from 'pino';
import { createRedactor } from '../../src/core/redaction.ts';
import type { Log } from '../../src/ports/log.ts';
import { formatForPeople } from './log-line.ts';

export interface LogDestination {
  write(line: string): void;
}

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Keys and tokens that must not appear, whatever they look like. */
  readonly secrets: readonly string[];
  /** Where lines go. */
  readonly destination: LogDestination;
  /** Short lines for people instead of JSON. */
  readonly isForPeople?: boolean;
}

/** A JSON field that is a secret by its name, and its text. */
const SECRET_FIELD =
  /("[\w-]{0,64}(?:token|secret|password|api_?key|authorization|cookie)"\s?:\s?")(?:[^"\\]|\\.)+"/gi;

export function createPinoLog({ level, secrets, destination, isForPeople = false }: LogSettings): Log {
  const redact = createRedactor(secrets);
  const clean = (line: string) => redact(line.replaceAll(SECRET_FIELD, '$1[redacted]"'));
  const write = (line: string) => {
    const redacted = clean(line);
    destination.write(isForPeople ? formatForPeople(redacted) : redacted);
  };
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.err, err: stdSerializers.err },
    },
    { write },
  );
  return fromPino(logger);
}

function fromPino(logger: Logger): Log {
  const at = (level: LogSettings['level']) => (fields: Record<string, unknown>, message: string) => {
    try {
      logger[level](fields, message);
    } catch (error) {
      // A field that cannot be read must not take down what it was logged for.
      logger[level]({ unloggable: String(error) }, message);
    }
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => fromPino(logger.child(fields)),
  };
}
