/** A call of the running gateway's HTTP API, for commands that leave their work to it where there is one. */
import type { Config } from '../config/load.ts';
import { isRunning, readGatewayRecord, readTokenFile } from './gateway-record.ts';

export interface GatewayAnswer {
  /** Of HTTP. */
  readonly status: number;
  /** The parsed JSON; `undefined` when it is none. */
  readonly body: unknown;
  /** Why it was refused, for people. */
  readonly refusal: string;
}

/** With `body` a POST, else a GET. `undefined` when nobody is there: also when a gateway that is gone left its record behind. */
export async function askGateway(
  config: Pick<Config, 'home' | 'http'>,
  path: string,
  body?: object,
): Promise<GatewayAnswer | undefined> {
  const record = readGatewayRecord(config.home);
  if (!record || !isRunning(record)) return undefined;
  const token = config.http.token ?? readTokenFile(config.home) ?? '';
  let response: Response;
  try {
    response = await fetch(new URL(path, record.url), {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  } catch {
    return undefined;
  }
  const answer: unknown = await response.json().catch(() => undefined);
  return { status: response.status, body: answer, refusal: refusalText(answer, response.status) };
}

function refusalText(body: unknown, status: number): string {
  const { error } = (body ?? {}) as { readonly error?: { readonly message?: unknown } };
  if (typeof error?.message === 'string') return error.message;
  return `The running gateway answered with HTTP status ${status}.`;
}
