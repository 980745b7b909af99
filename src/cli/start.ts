/** `skein start`: runs the gateway until a signal comes. The address, with its token, goes to stdout and nowhere else. */
import type { ConfigFlags } from '../config/load.ts';
import { loadProcessConfig } from '../config/process.ts';
import { asError } from '../errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { removeGatewayRecord, writeGatewayRecord } from './gateway-record.ts';
import { greeting } from './greeting.ts';
import { stopSignal } from './signals.ts';

/** `worksItself` false: runs are left to `skein worker` processes. */
export async function start(flags: ConfigFlags, worksItself: boolean): Promise<ExitCode> {
  const stopped = stopSignal();
  const { config, warnings } = loadProcessConfig(flags);
  for (const warning of warnings) process.stderr.write(`skein: warning: ${warning}\n`);

  const { createApp } = await import('../app.ts');
  const app = await createApp(config, { worksItself });
  const { url, pageUrl } = await app.start();
  const isRecorded = recordGateway(config.home, url);
  process.stdout.write(greeting(config, pageUrl));

  await stopped;
  if (isRecorded) removeGatewayRecord(config.home);
  await app.stop(config.shutdown.graceSeconds * 1_000);
  process.stdout.write('Skein has stopped.\n');
  return EXIT.ok;
}

/** Without the record everything works but `skein tool`, which does not find the gateway. */
function recordGateway(home: string, url: string): boolean {
  try {
    writeGatewayRecord(home, { url, pid: process.pid });
    return true;
  } catch (thrown) {
    process.stderr.write(
      `skein: warning: "skein tool" will not find this gateway: ${asError(thrown).message}\n`,
    );
    return false;
  }
}
