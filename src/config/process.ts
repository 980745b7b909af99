/** The configuration of this process: the one place where the real environment is read. */
import { homedir } from 'node:os';
import { readEnvironment } from './environment.ts';
import { type ConfigFlags, type LoadedConfig, type LogLevel, loadConfig } from './load.ts';

export function loadProcessConfig(flags: ConfigFlags): LoadedConfig {
  return loadConfig({ cwd: process.cwd(), env: process.env, home: homedir(), flags });
}

/** How much this process is asked to say, known even when the rest of the configuration is not right. */
export function processLogLevel(): LogLevel {
  return readEnvironment(process.env, process.cwd()).environment.LOG_LEVEL;
}
