// Settings of the embedded service and of its command line: read once, checked as a whole, all faults at once.

import { resolve } from 'node:path';
import * as z from 'zod';

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'] as const;

const PREFIX = 'PETSTORE_';

const schema = z.object({
  PETSTORE_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'an integer from 0 to 65535; 0 takes a free port')
    .transform(Number)
    .refine((port) => port <= 65_535, 'an integer from 0 to 65535; 0 takes a free port')
    .default(8080),
  PETSTORE_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'a host name or address, such as 127.0.0.1')
    .default('127.0.0.1'),
  PETSTORE_DATA: z
    .string()
    .min(1, 'a folder')
    .default('.petstore')
    .transform((folder) => resolve(folder)),
  PETSTORE_LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('WARN'),
  PETSTORE_DRAFT_HEADERS: z.enum(['on', 'off'], 'on or off').default('off'),
});

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataFolder: string;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly draftHeaders: boolean;
}

export type SettingsResult = { readonly ok: true; readonly settings: Settings } | { readonly ok: false; readonly problems: readonly string[] };

export function parseSettings(environment: Readonly<Record<string, string | undefined>>): SettingsResult {
  const given = Object.fromEntries(Object.entries(environment).filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined));
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const result = schema.safeParse(given);
  const problems = [
    ...unknown.map((name) => `${name}: not known; allowed: ${known.join(', ')}`),
    ...(result.error?.issues ?? []).map(
      ({ path: [name], message }) => `${String(name)}: got ${JSON.stringify(given[String(name)])}; allowed: ${message}`,
    ),
  ];
  if (!result.success || problems.length > 0) return { ok: false, problems };
  const { PETSTORE_PORT, PETSTORE_HOST, PETSTORE_DATA, PETSTORE_LOG_LEVEL, PETSTORE_DRAFT_HEADERS } = result.data;
  const settings = {
    port: PETSTORE_PORT,
    host: PETSTORE_HOST,
    dataFolder: PETSTORE_DATA,
    logLevel: PETSTORE_LOG_LEVEL,
    draftHeaders: PETSTORE_DRAFT_HEADERS === 'on',
  };
  return { ok: true, settings };
}
