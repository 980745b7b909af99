/** The configuration of this process: the one place where the real environment is read. */
import { homedir } from 'node:os';
import { type ConfigFlags, type LoadedConfig, loadConfig } from './load.ts';

export function loadProcessConfig(flags: ConfigFlags): LoadedConfig {
  return loadConfig({ cwd: process.cwd(), env: process.env, home: homedir(), flags });
}
