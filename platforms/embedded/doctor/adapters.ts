// The adapters that a configuration puts in the place of the embedded ones.

import { describeProviders, loadConfigured, providersOf } from '../configuration.ts';
import type { Settings } from '../settings.ts';
import { type Finding, messageOf, ok, problem } from './finding.ts';

/** Which adapters a start would use. The configuration is loaded, as every command does, but no adapter is opened. */
export async function examineAdapters({ configurationFile }: Pick<Settings, 'configurationFile'>): Promise<readonly Finding[]> {
  try {
    const configuration = await loadConfigured(configurationFile);
    if (configuration === undefined) return [ok('adapters', 'no configuration: everything is in the data folder')];
    const { file, adapters } = configuration;
    const found = describeProviders(providersOf(adapters));
    if (found === undefined) return [ok('adapters', `${file} names none: everything is in the data folder`)];
    return [ok('adapters', `${file}: ${found}; not opened, and what they store is not examined`)];
  } catch (error) {
    return [problem('adapters', messageOf(error).replaceAll(/\s*\n\s*/g, ' '), 'correct the configuration: the service does not start with it')];
  }
}
