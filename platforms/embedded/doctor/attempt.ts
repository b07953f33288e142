// Checks that can't be made: each is a problem of its own, and the others go on.

import type { RunningService } from '../folder-lock.ts';
import { type Finding, messageOf, problem, quoted } from './finding.ts';

/** Result codes of SQLite (https://www.sqlite.org/rescode.html). */
const [PERM, BUSY, READONLY, IOERR, CANTOPEN] = [3, 5, 8, 10, 14];

/** A check's name and what it does. */
export type Check = readonly [name: string, work: () => readonly Finding[] | Promise<readonly Finding[]>];

/** What is known of an installation when a check fails. */
export interface Circumstances {
  readonly dataFolder: string;
  /** Advice to restore a backup. */
  readonly restore: string;
  /** @default undefined: it is not running */
  readonly service: RunningService | undefined;
}

/** Makes checks one after another. */
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

/** What to do about an error; nothing that loses data, unless data is damaged. */
export function adviceOn(error: unknown, { dataFolder, restore, service }: Circumstances): string {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  const result = typeof errcode === 'number' ? errcode & 0xff : undefined;
  if (result === PERM || result === READONLY || result === CANTOPEN || code === 'EACCES' || code === 'EPERM')
    return `correct the owner and the modes, and examine again; as root, run: chown -R "$(stat -c %u ${quoted(dataFolder)})" ${quoted(dataFolder)} && chmod -R u+rwX ${quoted(dataFolder)}`;
  if (result === BUSY) return 'another process keeps the database locked: examine again';
  if (result === IOERR)
    return service === undefined
      ? `check the disk (dmesg), and examine again; only if this does not help, ${restore}`
      : 'restart the service, which loses nothing that is stored, and examine again; if this does not help, check the disk (dmesg)';
  if (result !== undefined) return restore;
  return 'correct what the message names, and examine again';
}
