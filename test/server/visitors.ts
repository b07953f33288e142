// Who uses what the machines serve, from the small internet: visitors with curl, and an owner with a browser.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Internet, VISITORS } from './internet.ts';

const run = promisify(execFile);

export const DOMAIN = 'www.corner-bakery.com';
/** Longer than HAProxy takes to find a host that lives. */
const TIMEOUT_SECONDS = 15;

export interface Answer {
  /** When it was asked for, in milliseconds since 1970. */
  readonly at: number;
  /** 000 without an answer. */
  readonly status: string;
}

export interface Visitors {
  /** Runs shell commands in the internet, with this machine's programs. @returns what they print */
  run(commands: string): Promise<string>;
  /** Asks as any client does. @returns the status, or 000 without an answer */
  ask(url: string): Promise<string>;
  /** Asks five times a second while work is done, each time from the next address. @returns the answers, in the order of the requests */
  askDuring(url: string, work: () => Promise<unknown>): Promise<readonly Answer[]>;
  /** The first user, whose password is in the journal, signs in at the public name, and makes a domain live. */
  ownDomain(journal: string): Promise<void>;
}

/** @param servers the internet's folder, with `root.pem`, which signs all certificates @param home a folder for the browser */
export function createVisitors({ namespace }: Internet, servers: string, home: string): Visitors {
  const inNamespace = ['netns', 'exec', namespace];
  const runHere: Visitors['run'] = async (commands) => (await run('ip', [...inNamespace, 'bash', '-c', commands], { maxBuffer: 2 ** 24 })).stdout;
  const curl = `curl -s -o /dev/null -w '%{http_code}' -m ${TIMEOUT_SECONDS} --cacert ${join(servers, 'root.pem')}`;
  return {
    run: runHere,
    ask: async (url) => (await runHere(`${curl} ${url} || true`)).trim(),
    askDuring: async (url, work) => {
      const answers = mkdtempSync(join(servers, 'answers-'));
      const asking = runHere(`addresses=(${VISITORS.join(' ')})
        for ((n = 0; ; n++)); do
          [ ! -e ${answers}/end ] || break
          (at=$EPOCHREALTIME; status=$(${curl} --interface \${addresses[n % ${VISITORS.length}]} ${url}); echo "$at $status" > ${answers}/$n) &
          sleep 0.2
        done
        wait`);
      try {
        await work();
      } finally {
        writeFileSync(join(answers, 'end'), '');
        await asking;
      }
      return readdirSync(answers)
        .filter((name) => name !== 'end')
        .map((name) => readFileSync(join(answers, name), 'utf8').trim().split(' '))
        .map(([at, status = '']) => ({ at: Number(at) * 1_000, status }))
        .toSorted((one, other) => one.at - other.at);
    },
    ownDomain: async (journal) => {
      const [, email = '', password = ''] = /shown only now:\s+(\S+@\S+)\s+(\S+)/.exec(journal) ?? [];
      assert.notEqual(password, '', `no first user in the journal:\n${journal}`);
      const owner = [join(import.meta.dirname, 'owner.ts'), home, servers, email, password, DOMAIN];
      const { stdout } = await run('ip', [...inNamespace, process.execPath, ...owner]);
      assert.match(stdout, /Bakery/);
    },
  };
}
