// Which store the command line works on.

import { openSqliteStores, type SqliteStores } from '../adapters/store/sqlite/stores.ts';
import { parseSettings } from '../local/settings.ts';
import { CliError } from './context.ts';

/** Opens the store of the data folder that the environment names. */
export function openStores(environment: Readonly<Record<string, string | undefined>>): SqliteStores {
  const parsed = parseSettings(environment);
  if (!parsed.ok) throw new CliError(`settings are wrong:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
  const { dataFolder } = parsed.settings;
  try {
    return openSqliteStores(dataFolder);
  } catch (error) {
    throw new CliError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}
