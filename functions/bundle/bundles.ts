// The functions' names, entries and bundles.

import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The functions, by the file names of their entries. Each exports `handler`. */
export const FUNCTION_NAMES = ['catalogue', 'control', 'domain-step', 'domain-sweep', 'edge-failover', 'gate', 'notifier', 'probe'] as const;

export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** Returns the path of a function's entry. */
export function entryOf(name: FunctionName): string {
  return join(ROOT, `functions/${name}.ts`);
}

/** The package's folder for the functions' bundles. */
export const BUNDLES_FOLDER = join(ROOT, 'functions/bundles');

/** Returns the folder of a function's bundle, `index.mjs`. @param folder of all bundles */
export function bundleFolder(folder: string, name: FunctionName): string {
  return join(folder, name);
}
