/** What loading the configuration has shown. */
import { type Check, fail, ok, warn } from '../core/check.ts';

const NAME = 'configuration';

export function configurationChecks(
  warnings: readonly string[],
  source: string | undefined,
): readonly Check[] {
  if (warnings.length > 0) {
    return warnings.map((text) =>
      warn(NAME, `${text}.`, `Correct it in ${source ?? '.env or the environment'}.`),
    );
  }
  return [
    ok(
      NAME,
      source === undefined ? 'No file; no wrong value in the environment.' : `${source}: no wrong values.`,
    ),
  ];
}

/** `message`: every wrong value with what is expected there. */
export function wrongConfiguration(message: string): Check {
  return fail(
    NAME,
    message,
    'Correct it, then ask again; the rest can only be looked at with a right configuration.',
  );
}
