/**
 * The configuration: file and environment, validated and resolved.
 *
 *   environment (.env) → file (JSON5) → unknown keys → schema → rules across keys → resolved values
 *
 * Reads files, writes and opens nothing. Everything that follows trusts the result.
 */
import { join } from 'node:path';
import { crossProblems, missingKeys, namedProviders, silentChannels, silentModels } from './cross-rules.ts';
import type { DefaultModel } from './default-models.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { findConfigFile } from './file.ts';
import { absolutePath } from './paths.ts';
import { ConfigError, type Problem, problemsOf } from './problems.ts';
import { firstUsableModel, type ProviderSettings, resolveProviders } from './providers.ts';
import { type ConfigFile, configSchema } from './schema/root.ts';
import { collectSecrets } from './secret-paths.ts';
import { unknownKeys } from './unknown-keys.ts';

export type LogLevel = Environment['LOG_LEVEL'];

export interface Config extends Omit<ConfigFile, 'store'> {
  /** The state folder, absolute. */
  readonly home: string;
  /** `path` is absolute. */
  readonly store: { readonly path: string; readonly synchronous: 'normal' | 'full' };
  readonly logLevel: LogLevel;
  readonly redisUrl?: string;
  readonly providers: readonly ProviderSettings[];
  /** What an agent uses that has no model of its own. */
  readonly defaultModel: DefaultModel;
  /** Keys and tokens, for the redaction of everything that is written or shown. */
  readonly secrets: readonly string[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** One sentence each. */
  readonly warnings: readonly string[];
  /** The file that was read, if there was one. */
  readonly source: string | undefined;
}

/** Command line flags; they win over environment and file. */
export interface ConfigFlags {
  readonly port?: number;
  readonly host?: string;
  readonly configPath?: string;
}

export interface ConfigSurroundings {
  /** The working folder: `.env` and `skein.json5` are looked for here, and relative paths count from here. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home folder. */
  readonly home: string;
  readonly flags?: ConfigFlags;
}

/** Throws an AppError `config-invalid`; a `ConfigError` with the list of problems when values are wrong. */
export function loadConfig({ cwd, env, home: userHome, flags = {} }: ConfigSurroundings): LoadedConfig {
  const { environment, problems: wrongVariables } = readEnvironment(env, cwd);
  const found = findConfigFile({ named: flags.configPath ?? environment.SKEIN_CONFIG, cwd, userHome });

  const raw = found?.value ?? {};
  const unknown = unknownKeys(configSchema, raw).map(
    ({ path, nearest }) =>
      `unknown key "${path}" is ignored${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`,
  );
  const refuse = (problems: readonly Problem[]) => new ConfigError(problems, unknown, found?.path);

  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) throw refuse([...wrongVariables, ...problemsOf(configSchema, raw, parsed.error)]);
  const file = withOverrides(parsed.data, environment, flags);
  const problems = [...wrongVariables, ...crossProblems(file)];
  if (problems.length > 0) throw refuse(problems);

  const config = resolve(file, environment, { cwd, userHome });
  return {
    config,
    warnings: [
      ...unknown,
      ...missingKeys(file, config.providers),
      ...silentModels(file, config.providers),
      ...silentChannels(file),
    ],
    source: found?.path,
  };
}

/** Tokens of the environment are those of the channel itself; a token in the file wins. */
function withOverrides(file: ConfigFile, environment: Environment, flags: ConfigFlags): ConfigFile {
  const { discord, slack } = file.channels;
  const token = discord.token ?? environment.DISCORD_BOT_TOKEN;
  const botToken = slack.botToken ?? environment.SLACK_BOT_TOKEN;
  const appToken = slack.appToken ?? environment.SLACK_APP_TOKEN;
  const signingSecret = slack.signingSecret ?? environment.SLACK_SIGNING_SECRET;
  return {
    ...file,
    channels: {
      ...file.channels,
      discord: { ...discord, ...(token !== undefined && { token }) },
      slack: {
        ...slack,
        ...(botToken !== undefined && { botToken }),
        ...(appToken !== undefined && { appToken }),
        ...(signingSecret !== undefined && { signingSecret }),
      },
    },
    http: {
      ...file.http,
      host: flags.host ?? file.http.host,
      port: flags.port ?? environment.SKEIN_PORT ?? file.http.port,
    },
  };
}

function resolve(
  file: ConfigFile,
  environment: Environment,
  from: { readonly cwd: string; readonly userHome: string },
): Config {
  const home = absolutePath(environment.SKEIN_HOME ?? '.skein', from);
  const providers = resolveProviders(file, environment, namedProviders(file));
  return {
    ...file,
    home,
    store: {
      path: file.store.path === undefined ? join(home, 'skein.db') : absolutePath(file.store.path, from),
      synchronous: file.store.synchronous,
    },
    logLevel: environment.LOG_LEVEL,
    ...(environment.REDIS_URL !== undefined && { redisUrl: environment.REDIS_URL }),
    providers,
    defaultModel: defaultModel(file, providers),
    secrets: secretsOf(file, environment),
  };
}

function defaultModel(file: ConfigFile, providers: readonly ProviderSettings[]): DefaultModel {
  const ref = file.agents.defaults.model?.primary;
  if (ref === undefined) return firstUsableModel(providers);
  const slash = ref.indexOf('/');
  return { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}

function secretsOf(file: ConfigFile, environment: Environment): readonly string[] {
  const redisPassword = environment.REDIS_URL ? new URL(environment.REDIS_URL).password : '';
  const all = [...collectSecrets(file), ...collectSecrets(environment), redisPassword];
  return [...new Set(all.filter((secret) => secret !== ''))];
}
