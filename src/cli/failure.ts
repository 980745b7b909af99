/** What a person is told when a command fails: what is wrong, and what to do. Stack traces only while debugging. */
import { inspect } from 'node:util';
import { processLogLevel } from '../config/process.ts';
import { redact } from '../core/redaction.ts';
import { AppError, asError } from '../errors.ts';
import { UsageError } from './exit-codes.ts';

export function failureText(thrown: unknown, isDebugging = isProcessDebugging()): string {
  const error = asError(thrown);
  const isExpected = error instanceof AppError || error instanceof UsageError;
  const sentence = isExpected ? error.message : `Something went wrong: ${error.message}`;
  const hint = isExpected ? '' : '\nSet LOG_LEVEL=debug and try again to see where.';
  const details = isDebugging ? `\n${inspect(error)}` : hint;
  return redact(`skein: ${sentence}${details}\n`);
}

/** False when the environment cannot be read: that may be the very failure that is to be told. */
function isProcessDebugging(): boolean {
  try {
    return processLogLevel() === 'debug';
  } catch {
    return false;
  }
}
