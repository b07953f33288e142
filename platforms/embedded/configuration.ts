// `petstore.config.ts`: names the adapters that take the place of the embedded ones. It is loaded, checked and opened before anything starts.

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AdapterPorts,
  type AnyAdapter,
  type AnyOpenAdapter,
  type Configuration,
  configurationProblems,
  PORT_METHODS,
  type PortName,
  portProblems,
} from '../adapters.ts';
import { missingPackage } from '../missing-package.ts';
import { PlatformError } from '../platform.ts';

/** The file's names, of which the first that exists in the current folder is used. */
export const CONFIGURATION_FILES: readonly string[] = ['petstore.config.ts', 'petstore.config.mjs', 'petstore.config.js'];

/** The ports of all opened adapters. */
export interface OpenedAdapters {
  readonly ports: Partial<AdapterPorts>;
  /** Closes all of them. Can be called repeatedly. */
  close(): Promise<void>;
}

/** What a service without a configuration has. */
export const NO_ADAPTERS: OpenedAdapters = { ports: {}, close: async () => {} };

/**
 * Loads the configuration and opens its adapters. If one can't be opened, closes those that were.
 *
 * @param file the setting PETSTORE_CONFIG. @default one of CONFIGURATION_FILES in the current folder, or none
 * @param clock milliseconds since 1970
 * @throws PlatformError with one sentence for each problem
 */
export async function openAdapters(file: string | undefined, clock: () => number): Promise<OpenedAdapters> {
  const found = file ?? CONFIGURATION_FILES.map((name) => resolve(name)).find((path) => existsSync(path));
  if (found === undefined) return NO_ADAPTERS;
  const { adapters } = await loadConfiguration(found);
  const opened: AnyOpenAdapter[] = [];
  const close = async () => void (await Promise.all(opened.splice(0).map((adapter) => adapter.close?.())));
  try {
    const ports: Partial<AdapterPorts> = {};
    for (const adapter of adapters) {
      const open = await openOne(adapter, clock);
      opened.push(open);
      const problems = portProblems(adapter, open);
      if (problems.length > 0) throw new PlatformError(inFile(found, problems));
      Object.assign(
        ports,
        Object.fromEntries(adapter.provides.map((port) => [port, withBoundMethods(port, open.ports[port] as AdapterPorts[PortName])])),
      );
    }
    return { ports, close };
  } catch (error) {
    // The reason to report is the first one.
    await close().catch(() => {});
    throw error instanceof PlatformError ? error : new PlatformError(inFile(found, [messageOf(error)]), { cause: error });
  }
}

/** The port's methods without the object they belong to, which may be an instance of a class: ports are combined and passed on as plain objects. */
function withBoundMethods<Port extends PortName>(port: Port, given: AdapterPorts[Port]): AdapterPorts[Port] {
  const methods = PORT_METHODS[port].map((name) => [name, (given[name] as (...args: unknown[]) => unknown).bind(given)] as const);
  return Object.fromEntries(methods) as unknown as AdapterPorts[Port];
}

async function openOne(adapter: AnyAdapter, clock: () => number): Promise<AnyOpenAdapter> {
  const { name } = adapter;
  try {
    return await adapter.open({ clock });
  } catch (error) {
    throw new Error(`${name} can't be opened: ${missingSentence(error, name) ?? messageOf(error)}`, { cause: error });
  }
}

async function loadConfiguration(file: string): Promise<Configuration> {
  if (!existsSync(file)) throw new PlatformError(`PETSTORE_CONFIG: ${file} does not exist; allowed: a file such as ${CONFIGURATION_FILES[0]}`);
  let configuration: unknown;
  try {
    configuration = ((await import(pathToFileURL(file).href)) as { readonly default?: unknown }).default;
  } catch (error) {
    throw new PlatformError(inFile(file, [missingSentence(error, undefined) ?? messageOf(error)]), { cause: error });
  }
  const problems = configurationProblems(configuration);
  if (problems.length > 0) throw new PlatformError(inFile(file, problems));
  return configuration as Configuration;
}

/** What to install, if that is the problem. @param name the adapter that was being opened. @default the file was being loaded */
function missingSentence(error: unknown, name: string | undefined): string | undefined {
  const missing = missingPackage(error);
  if (missing === undefined) return undefined;
  const importer = name ?? /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(messageOf(error).split(' imported from ')[1] ?? '')?.[1];
  return importer === undefined
    ? `the adapter ${missing} is not installed; run: npm install ${missing}`
    : `${importer} needs the package ${missing}, which is not installed; run: npm install ${missing}`;
}

function inFile(file: string, problems: readonly string[]): string {
  const [first = '', ...others] = problems;
  return others.length === 0 ? `${basename(file)}: ${first}` : `${basename(file)}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
