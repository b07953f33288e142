// `petstore.config.ts` names the adapters that replace the embedded ones. It is loaded and checked, and its adapters opened, before anything starts.

import { existsSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Actor } from '../../core/audit/entry.ts';
import { isMoving } from '../../core/ports.ts';
import {
  type AdapterContext,
  type AdapterPorts,
  type AnyAdapter,
  type AnyOpenAdapter,
  type Configuration,
  configurationProblems,
  PORT_NAMES,
  type PortName,
  portProblems,
} from '../adapters.ts';
import { messageOf, missingPackage, PlatformError } from '../platform.ts';
import { boundedPort } from './bounded-port.ts';
import type { Settings } from './settings.ts';

/** The extensions that the file may have. Only one such file may be in the current folder. */
export const CONFIGURATION_EXTENSIONS: readonly string[] = ['.ts', '.mts', '.js', '.mjs', '.cjs'];

/** How often the service reports that it is waiting for an adapter, in milliseconds. Adapters may have to migrate tables, so there is no limit. */
const REMINDER_MS = 10_000;
/** How long an adapter may take to close, in milliseconds. */
const CLOSE_MS = 5_000;

/** The name of each port's adapter, for messages. */
export type Providers = Readonly<Partial<Record<PortName, string>>>;

/** The ports of all opened adapters. */
export interface OpenedAdapters {
  readonly ports: Partial<AdapterPorts>;
  /** The name of each port's adapter. */
  readonly providers: Providers;
  /** Closes all adapters, even if some fail or take too long. Can be called repeatedly. @throws Error that names those that did not close */
  close(): Promise<void>;
}

/** The adapters of a service without a configuration. */
export const NO_ADAPTERS: OpenedAdapters = { ports: {}, providers: {}, close: async () => {} };

/** A valid configuration. */
export interface LoadedConfiguration extends Configuration {
  /** Its file, for messages. */
  readonly file: string;
}

/**
 * Loads and checks the configuration, if there is one, without opening its adapters. @throws PlatformError with one sentence for each problem
 * @param file the setting PETSTORE_CONFIG. @default `petstore.config.ts` in the current folder
 */
export async function loadConfigured(file: string | undefined): Promise<LoadedConfiguration | undefined> {
  const found = file ?? inCurrentFolder();
  if (found === undefined) return undefined;
  const shown = file ?? basename(found);
  return { ...(await loadConfiguration(found, shown)), file: shown };
}

/** Describes adapters for operators: `NAME (ports), NAME (ports)`; undefined if there are none. */
export function describeProviders(providers: Providers): string | undefined {
  const byName = Map.groupBy(Object.entries(providers), ([, name]) => name);
  if (byName.size === 0) return undefined;
  return [...byName].map(([name, provided]) => `${name} (${provided.map(([port]) => port).join(', ')})`).join(', ');
}

/** Returns the name of each port's adapter. */
export function providersOf(adapters: readonly Pick<AnyAdapter, 'name' | 'provides'>[]): Providers {
  return Object.fromEntries(adapters.flatMap(({ name, provides }) => provides.map((port) => [port, name])));
}

/**
 * Loads the configuration and opens its adapters. If one can't be opened, closes those already opened. @param clock milliseconds since 1970
 * @param settings without a `configurationFile`, `petstore.config.ts` in the current folder is used, if it exists
 * @param wanted the ports that the process uses; an adapter that provides none of them is not opened. @default all
 * @param actor who makes the changes. @default the service itself @throws PlatformError with one sentence for each problem
 * @param isMoveTarget whether this process moves an installation to the adapters; otherwise, opening fails while a move is in progress
 */
export async function openAdapters(
  { configurationFile, dataFolder }: Pick<Settings, 'configurationFile' | 'dataFolder'>,
  clock: () => number,
  wanted: readonly PortName[] = PORT_NAMES,
  actor: () => Actor = () => ({ kind: 'service' }),
  isMoveTarget = false,
): Promise<OpenedAdapters> {
  const configuration = await loadConfigured(configurationFile);
  if (configuration === undefined) return NO_ADAPTERS;
  const { file: shown } = configuration;
  const adapters = configuration.adapters.filter(({ provides }) => provides.some((port) => wanted.includes(port)));
  const opened: { readonly name: string; readonly adapter: AnyOpenAdapter }[] = [];
  const close = () => closeAll(opened.splice(0));
  try {
    const ports: Partial<AdapterPorts> = {};
    for (const adapter of adapters) {
      const open = await openOne(adapter, { clock, actor, dataFolder }, shown);
      opened.push({ name: adapter.name, adapter: open });
      const problems = portProblems(adapter, open);
      if (problems.length > 0) throw new PlatformError(inFile(shown, problems));
      // The move would remove whatever this process adds.
      if (!isMoveTarget && open.ports.installation !== undefined && (await isMoving(open.ports.installation)))
        throw new PlatformError(inFile(shown, [`an installation is being moved to ${adapter.name}; try again once petstore move has ended`]));
      for (const port of adapter.provides.filter((each) => wanted.includes(each)))
        Object.assign(ports, { [port]: boundedPort(adapter.name, port, open.ports[port] as AdapterPorts[typeof port]) });
    }
    const used = adapters.map(({ name, provides }) => ({ name, provides: provides.filter((port) => wanted.includes(port)) }));
    return { ports, providers: providersOf(used), close };
  } catch (error) {
    // The first error is the one to report.
    await close().catch(() => {});
    throw error instanceof PlatformError ? error : new PlatformError(inFile(shown, [messageOf(error)]), { cause: error });
  }
}

function inCurrentFolder(): string | undefined {
  const found = CONFIGURATION_EXTENSIONS.map((extension) => `petstore.config${extension}`).filter((name) => existsSync(name));
  if (found.length > 1)
    throw new PlatformError(`${found.join(' and ')}: only one configuration is allowed; remove the others, or name one with PETSTORE_CONFIG`);
  return found[0] === undefined ? undefined : resolve(found[0]);
}

async function openOne(adapter: AnyAdapter, context: AdapterContext, file: string): Promise<AnyOpenAdapter> {
  const { name } = adapter;
  // This timer also keeps the process alive: if an adapter waited forever, Node would otherwise exit without a message.
  const reminder = setInterval(() => console.error(`petstore: ${file}: waiting for ${name} to open`), REMINDER_MS);
  try {
    return await adapter.open(context);
  } catch (error) {
    throw new Error(`${name} can't be opened: ${missingSentence(error, name) ?? messageOf(error)}`, { cause: error });
  } finally {
    clearInterval(reminder);
  }
}

async function closeAll(opened: readonly { readonly name: string; readonly adapter: AnyOpenAdapter }[]): Promise<void> {
  const problems = await Promise.all(
    opened.map(async ({ name, adapter }) => {
      let timer: NodeJS.Timeout | undefined;
      try {
        const late = new Promise<string>((give) => {
          timer = setTimeout(() => give(`${name} did not close within ${CLOSE_MS / 1_000} s`), CLOSE_MS);
        });
        return await Promise.race([Promise.resolve(adapter.close?.()).then(() => undefined), late]);
      } catch (error) {
        return `${name} can't be closed: ${messageOf(error)}`;
      } finally {
        clearTimeout(timer);
      }
    }),
  );
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new Error(found.join('; '));
}

async function loadConfiguration(file: string, shown: string): Promise<Configuration> {
  const isFile = existsSync(file) && statSync(file).isFile();
  if (!isFile || !CONFIGURATION_EXTENSIONS.includes(extname(file))) {
    const what = existsSync(file) ? (isFile ? 'is not a module' : 'is not a file') : 'does not exist';
    throw new PlatformError(`PETSTORE_CONFIG: ${file} ${what}; allowed: a file with the extension ${CONFIGURATION_EXTENSIONS.join(', ')}`);
  }
  let configuration: unknown;
  try {
    configuration = ((await import(pathToFileURL(file).href)) as { readonly default?: unknown }).default;
  } catch (error) {
    throw new PlatformError(inFile(shown, [missingSentence(error, undefined) ?? `${messageOf(error)}${placeOf(error)}`]), { cause: error });
  }
  const problems = configurationProblems(configuration);
  if (problems.length > 0) throw new PlatformError(inFile(shown, problems));
  return configuration as Configuration;
}

/** Returns where an error is, if Node reports it: a syntax error may be in a file that the configuration imports. */
function placeOf(error: unknown): string {
  const place = /file:\/\/[^\s)]+:\d+/.exec(error instanceof Error ? (error.stack ?? '') : '')?.[0];
  return place === undefined || place.includes('node_modules/petstore-platform/') ? '' : ` (${place})`;
}

/** Returns what to install, if a package is missing. @param name the adapter being opened. @default undefined: the configuration is being loaded */
function missingSentence(error: unknown, name: string | undefined): string | undefined {
  const missing = missingPackage(error);
  if (missing === undefined) return undefined;
  const importer = name ?? /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(messageOf(error).split(' imported from ')[1] ?? '')?.[1];
  return importer === undefined
    ? `the package ${missing} is not installed; run: npm install ${missing}`
    : `${importer} needs the package ${missing}, which is not installed; run: npm install ${missing}`;
}

function inFile(file: string, problems: readonly string[]): string {
  const [first = '', ...others] = problems;
  return others.length === 0 ? `${file}: ${first}` : `${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
}
