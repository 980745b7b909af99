/** `skein doctor`: looks at everything that has to be right, changes nothing, and says what to do. */
import type { ConfigFlags, LoadedConfig } from '../config/load.ts';
import { loadProcessConfig } from '../config/process.ts';
import type { Check, CheckStatus } from '../core/check.ts';
import { redact } from '../core/redaction.ts';
import { configurationChecks, wrongConfiguration } from '../doctor/configuration.ts';
import { nodeCheck } from '../doctor/node-version.ts';
import { AppError } from '../errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { gatewayCheck } from './running-gateway.ts';

/** Ends with 1 when a check has failed; warnings alone are no failure. */
export async function doctor(flags: ConfigFlags, isJson: boolean): Promise<ExitCode> {
  const loaded = load(flags);
  const checks = [nodeCheck(process.versions.node), ...(await examined(loaded))];
  const secrets = 'config' in loaded ? loaded.config.secrets : [];
  const text = isJson ? `${JSON.stringify({ status: worst(checks), checks }, null, 2)}\n` : report(checks);
  process.stdout.write(redact(text, secrets));
  return worst(checks) === 'fail' ? EXIT.failed : EXIT.ok;
}

function load(flags: ConfigFlags): LoadedConfig | { readonly wrong: Check } {
  try {
    return loadProcessConfig(flags);
  } catch (thrown) {
    if (thrown instanceof AppError) return { wrong: wrongConfiguration(thrown.message) };
    throw thrown;
  }
}

async function examined(loaded: ReturnType<typeof load>): Promise<readonly Check[]> {
  if ('wrong' in loaded) return [loaded.wrong];
  const { config, warnings, source } = loaded;
  const { examine, isFolderInUse } = await import('../app-doctor.ts');
  return [
    ...configurationChecks(warnings, source),
    await gatewayCheck(config.home, isFolderInUse(config)),
    ...(await examine(config)),
  ];
}

function worst(checks: readonly Check[]): CheckStatus {
  const has = (wanted: CheckStatus) => checks.some(({ status }) => status === wanted);
  return has('fail') ? 'fail' : has('warn') ? 'warn' : 'ok';
}

const SIGNS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

function report(checks: readonly Check[]): string {
  const lines = checks.map(({ name, status, found, advice }) => {
    const advised = advice === undefined ? '' : `      → ${advice}\n`;
    return `${SIGNS[status]}  ${name}: ${found}\n${advised}`;
  });
  return `${lines.join('')}\n${conclusion(checks)}\n`;
}

function conclusion(checks: readonly Check[]): string {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length;
  const failed = count('fail');
  const warned = count('warn');
  const aside =
    warned === 0 ? '' : ` ${warned === 1 ? 'One thing deserves' : `${warned} things deserve`} a look.`;
  if (failed === 0) return `Nothing is wrong.${aside}`;
  return `${failed === 1 ? 'One thing is' : `${failed} things are`} wrong.${aside}`;
}
