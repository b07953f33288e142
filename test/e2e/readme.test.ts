// Examples of the documents, run as they stand against a first start, and compared with what the documents show.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folders.ts';
import { startServerProcess } from '../support/processes.ts';

/** What may differ from run to run. */
const stable = (text: string) =>
  text
    .trim()
    .replaceAll('\r', '')
    .replace(/"id":\d+/g, '"id":0')
    .replace(/acc_\w+/g, 'acc_')
    .replace(/"createdAt":"[^"]+"/g, '"createdAt":""')
    .replace(/x-ratelimit-reset: \d+/, 'x-ratelimit-reset: 0');

test.each([
  ['README.md', 4],
  ['docs/api.md', 2],
  ['docs/control-api.md', 1],
])('a newcomer who pastes the lines of %s gets what it shows', async (file, count) => {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  const examples = [...text.matchAll(/<!-- example -->\n```sh\n([\s\S]*?)```\n\n```\w+\n([\s\S]*?)```/g)];
  expect(examples).toHaveLength(count);
  const before = /<!-- before -->\n```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const server = await startServerProcess(testFolder());
  const KEY = /petstore_test_\w+/.exec(server.stdout())?.[0];
  const [, EMAIL, PASSWORD] = /(demo@\S+) +(\S+)/.exec(server.stdout()) ?? [];
  const seconds = new Date().getSeconds();
  // Counting down must not begin anew in the middle.
  if (seconds > 55) await new Promise((resolve) => setTimeout(resolve, (60 - seconds) * 1_000));
  for (const [, command = '', shown = ''] of examples) {
    const printed = execFileSync('bash', ['-c', `${before}${command}`.replaceAll('http://127.0.0.1:8080', server.url)], {
      env: { ...process.env, KEY, EMAIL, PASSWORD },
      encoding: 'utf8',
    });
    expect(stable(printed), command).toBe(stable(shown));
  }
  expect(await server.stop()).toBe(0);
});
