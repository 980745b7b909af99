/**
 * Settings from the environment. A `.env` file in the working folder fills in what the process environment does not
 * have; a variable that is set but empty counts as not set.
 */
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { readText } from './file.ts';
import { describeValue, type Problem } from './problems.ts';
import { discordToken, nonEmpty, url } from './schema/values.ts';
import { expectation } from './schema-walk.ts';

const redisUrl = z
  .string()
  .refine((text) => /^rediss?:\/\//.test(text) && URL.canParse(text))
  .meta({ expected: 'a URL beginning with redis:// or rediss://' });

const environmentSchema = z.object({
  SKEIN_HOME: nonEmpty.exactOptional(),
  SKEIN_CONFIG: nonEmpty.exactOptional(),
  SKEIN_PORT: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((port) => port <= 65_535)
    .exactOptional()
    .meta({ expected: 'a port number from 0 to 65535' }),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  REDIS_URL: redisUrl.exactOptional(),
  DISCORD_BOT_TOKEN: discordToken.exactOptional(),
  SLACK_BOT_TOKEN: nonEmpty.exactOptional(),
  SLACK_APP_TOKEN: nonEmpty.exactOptional(),
  SLACK_SIGNING_SECRET: nonEmpty.exactOptional(),
  OPENAI_API_KEY: nonEmpty.exactOptional(),
  OPENROUTER_API_KEY: nonEmpty.exactOptional(),
  OLLAMA_BASE_URL: url.exactOptional(),
  ANTHROPIC_API_KEY: nonEmpty.exactOptional(),
  GEMINI_API_KEY: nonEmpty.exactOptional(),
});

export type Environment = z.output<typeof environmentSchema>;

/** Every variable that is read, for the page and the example file that list them. */
export const ENVIRONMENT_VARIABLES: readonly string[] = Object.keys(environmentSchema.shape);

/** Variables whose value may be shown when it is wrong. */
const OPEN_VARIABLES = ['SKEIN_HOME', 'SKEIN_CONFIG', 'SKEIN_PORT', 'LOG_LEVEL'];

/** A variable with a wrong value is reported and left out, so that the rest can be checked too. */
export function readEnvironment(
  processEnv: Readonly<Record<string, string | undefined>>,
  cwd: string,
): { readonly environment: Environment; readonly problems: readonly Problem[] } {
  const merged = { ...withoutEmpty(dotenv(join(cwd, '.env'))), ...withoutEmpty(processEnv) };
  const result = environmentSchema.safeParse(merged);
  if (result.success) return { environment: result.data, problems: [] };
  const wrong = [...new Set(result.error.issues.map((issue) => String(issue.path[0])))];
  const right = Object.fromEntries(Object.entries(merged).filter(([name]) => !wrong.includes(name)));
  return {
    environment: environmentSchema.parse(right),
    problems: wrong.map((name) => ({
      path: name,
      expected: expectation(environmentSchema.shape[name as keyof Environment]),
      found: describeValue(merged[name], !OPEN_VARIABLES.includes(name)),
    })),
  };
}

function dotenv(path: string): Record<string, string | undefined> {
  const text = readText(path);
  return text === undefined ? {} : parseEnv(text);
}

function withoutEmpty(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const set = Object.entries(variables).flatMap(([name, value]) => {
    const trimmed = value?.trim();
    return trimmed ? [[name, trimmed] as const] : [];
  });
  return Object.fromEntries(set);
}
