// The README's examples, run as they stand against a first start, and compared with what the README shows.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folders.ts';
import { startServerProcess } from '../support/processes.ts';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** What may differ from run to run. */
const stable = (text: string) =>
  text
    .trim()
    .replaceAll('\r', '')
    .replace(/"id":\d+/g, '"id":0')
    .replace(/x-ratelimit-reset: \d+/, 'x-ratelimit-reset: 0');

test("a newcomer who pastes the README's lines gets what the README shows", async () => {
  const examples = [...README.matchAll(/<!-- example -->\n```sh\n([\s\S]*?)```\n\n```\w+\n([\s\S]*?)```/g)];
  expect(examples).toHaveLength(4);
  const server = await startServerProcess(testFolder());
  const KEY = /petstore_test_\w+/.exec(server.stdout())?.[0];
  const seconds = new Date().getSeconds();
  // Counting down must not begin anew in the middle.
  if (seconds > 55) await new Promise((resolve) => setTimeout(resolve, (60 - seconds) * 1_000));
  for (const [, command = '', shown = ''] of examples) {
    const printed = execFileSync('bash', ['-c', command.replaceAll('http://127.0.0.1:8080', server.url)], {
      env: { ...process.env, KEY },
      encoding: 'utf8',
    });
    expect(stable(printed), command).toBe(stable(shown));
  }
  expect(await server.stop()).toBe(0);
});
