// What an examination finds.

import { messageOf, quoted } from '../../platform.ts';
import { describeProviders, loadConfigured, type Providers, providersOf } from '../configuration.ts';
import { FULL_DISK, isDiskFull, type RunningService } from '../folder-lock.ts';
import type { Settings } from '../settings.ts';

/** `warning`: it works, but not properly or not for long. `problem`: it does not work, or data is lost. */
export type FindingState = 'ok' | 'warning' | 'problem';

export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  /** A sentence, without the full stop. */
  readonly found: string;
  /** What to do. @default undefined: there is nothing to do */
  readonly action?: string;
}

const MOST_SHOWN = 3;

/** Returns the finding that all is well. */
export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found });
/** Returns a finding on which the operator should act. */
export const warning = (check: string, found: string, action: string): Finding => ({ check, state: 'warning', found, action });
/** Returns a finding on which the operator must act. */
export const problem = (check: string, found: string, action: string): Finding => ({ check, state: 'problem', found, action });

/** Returns a finding about several things; no finding if there are no things. @param make receives the first few as text */
export function about<Thing>(things: readonly Thing[], text: (thing: Thing) => string, make: (text: string) => Finding): readonly Finding[] {
  return things.length === 0 ? [] : [make(shown(things.map(text)))];
}

/** How to get lost data back. */
export interface Remedy {
  /** The newest backup that can be restored. @default undefined: none is known */
  readonly backup: string | undefined;
  /** This installation's backups in the same folder, the newest first; each may be damaged, or lack files. */
  readonly backups: readonly string[];
  /** Advice on restoring it. */
  readonly restore: string;
}

/** Lists only the first few items. */
export function shown(items: readonly string[]): string {
  return `${items.slice(0, MOST_SHOWN).join(', ')}${items.length > MOST_SHOWN ? ` and ${items.length - MOST_SHOWN} more` : ''}`;
}

/** Finds which adapters the service would use. The configuration is loaded, as for every command, but no adapter is opened. */
export async function examineAdapters({
  configurationFile,
}: Pick<Settings, 'configurationFile'>): Promise<{ readonly findings: readonly Finding[]; readonly providers: Providers }> {
  try {
    const configuration = await loadConfigured(configurationFile);
    if (configuration === undefined) return { findings: [ok('adapters', 'no configuration: everything is in the data folder')], providers: {} };
    const { file, adapters } = configuration;
    const providers = providersOf(adapters);
    const found = describeProviders(providers);
    const text =
      found === undefined
        ? `${file} names none: everything is in the data folder`
        : `${file}: ${found}; not opened, and what they store is not examined`;
    return { findings: [ok('adapters', text)], providers };
  } catch (error) {
    const found = messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
    return { findings: [problem('adapters', found, 'correct the configuration: the service does not start with it')], providers: {} };
  }
}

/** Result codes of SQLite (https://www.sqlite.org/rescode.html). */
const [PERM, BUSY, READONLY, IOERR, CANTOPEN] = [3, 5, 8, 10, 14];

/** A check's name and what it does. */
export type Check = readonly [name: string, work: () => readonly Finding[] | Promise<readonly Finding[]>];

/** What is known about an installation when a check fails. */
export interface Circumstances {
  readonly dataFolder: string;
  /** Advice on restoring a backup. */
  readonly restore: string;
  /** @default undefined: it is not running */
  readonly service: RunningService | undefined;
}

/** Runs checks one after another. */
export async function attempt(checks: readonly Check[], circumstances: Circumstances): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, work] of checks) {
    try {
      findings.push(...(await work()));
    } catch (error) {
      findings.push(problem(name, `can't be examined: ${messageOf(error)}`, adviceOn(error, circumstances)));
    }
  }
  return findings;
}

/** Returns what to do about an error. Following the advice loses no data that is not already damaged. */
function adviceOn(error: unknown, { dataFolder, restore, service }: Circumstances): string {
  if (isDiskFull(dataFolder, error)) return `${FULL_DISK}, and run petstore doctor again; until then, a stopped service does not start`;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  const result = typeof errcode === 'number' ? errcode & 0xff : undefined;
  if (result === PERM || result === READONLY || result === CANTOPEN || code === 'EACCES' || code === 'EPERM')
    return `correct the owner and the modes, and run petstore doctor again; as root, run: chown -R "$(stat -c %u ${quoted(dataFolder)})" ${quoted(dataFolder)} && chmod -R u+rwX ${quoted(dataFolder)}`;
  if (result === BUSY) return 'another process keeps the database locked: run petstore doctor again';
  if (result === IOERR)
    return service === undefined
      ? `check the disk (dmesg), and run petstore doctor again; only if this does not help, ${restore}`
      : 'restart the service, which loses nothing that is stored, and run petstore doctor again; if this does not help, check the disk (dmesg)';
  if (result !== undefined) return restore;
  return 'correct what the message names, and run petstore doctor again';
}
