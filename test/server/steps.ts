// The steps of the test, and those that documents have for a Debian machine.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACME_DIRECTORY, ADDRESSES } from './internet.ts';

const ROOT = join(import.meta.dirname, '../..');
const WITHIN_MS = 60_000;

let passed = 0;

/** How many steps have passed. */
export const stepsPassed = (): number => passed;

/** Does one step, and reports it. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = Date.now();
  const result = await work();
  passed += 1;
  console.info(`ok ${passed} - ${name} (${Math.round((Date.now() - began) / 1_000)} s)`);
  return result;
}

/** Waits for all work, even if some fails, so that nothing goes on while it is cleared away. @throws AggregateError with all failures */
export async function sideBySide(...works: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(works)).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
}

export interface Documented {
  /** For what machine and when, such as `hosts running`: once it has started. */
  readonly mark: string;
  readonly commands: string;
}

/** Returns the commands of a page that follow `<!-- debian MARK -->`, in their order. @param page below docs/server/ */
export function documentedSteps(page: string): readonly Documented[] {
  const document = readFileSync(join(ROOT, 'docs/server', page), 'utf8');
  return [...document.matchAll(/<!-- debian((?: \w+)*) -->\n```sh\n(.*?)```/gs)].map(([, mark = '', commands = '']) => ({
    mark: mark.trim(),
    commands,
  }));
}

/** The packages' tarballs on the machines, by name. */
export type Tarballs = Readonly<Record<string, string>>;

/** Puts this test's internet in place of the outside world. */
export function inThisInternet(commands: string, tarballs: Tarballs): string {
  return commands
    .replace(/^npm install --prefix \/opt\/petstore (.*)$/m, (_, names: string) => {
      const files = names.split(' ').map((name) => tarballs[name.replace(/@latest$/, '')]);
      return `npm install --no-audit --no-fund ${names.includes('@latest') ? '--offline ' : ''}--prefix /opt/petstore ${files.join(' ')}`;
    })
    .replace(/^PETSTORE_DNS_SERVERS=.*$/m, `PETSTORE_DNS_SERVERS=${ADDRESSES.resolver}:53`)
    .replace(/^PETSTORE_ACME_DIRECTORY=.*$/m, `PETSTORE_ACME_DIRECTORY=${ACME_DIRECTORY}\nPETSTORE_ACME_CA_FILE=/etc/petstore/acme.pem`);
}

/** Waits until it looks as it should. @returns what was seen then */
export async function waitFor(what: string, look: () => Promise<string>, pattern: RegExp): Promise<string> {
  for (const end = Date.now() + WITHIN_MS; ; await sleep(500)) {
    const seen = await look();
    if (pattern.test(seen)) return seen;
    if (Date.now() > end) throw new Error(`${what}: not within a minute; last seen:\n${seen}`);
  }
}
