// The command line with an installation of an earlier release.

import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';

/** Starts an installation that gives the same answer to everything, and signs in. @returns a function that runs owners' commands there */
async function startAnswering(answer: object) {
  const server = createServer((_request, response) => response.end(JSON.stringify(answer))).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const home = testFolder();
  mkdirSync(join(home, 'petstore'));
  const session = { email: null, accessToken: 'access', refreshToken: 'refresh', expiresAt: Date.now() + 600_000 };
  writeFileSync(join(home, 'petstore/credentials.json'), JSON.stringify({ [url]: session }));
  return (...args: string[]) => runCli('/nonexistent', ['--url', url, ...args], '', { XDG_CONFIG_HOME: home });
}

test('says which release counts usage by hour, and shows what there is', async () => {
  const window = { startsAt: '2026-03-02T09:00:00.000Z', admitted: 3, refused: 0 };
  const older = await startAnswering({ history: { minutes: [window], days: [window] } });
  const usage = (chosen: string) => older('usage', '--account', 'acc_8sK2mPq4Zt', '--window', chosen);
  const { code, stdout, stderr } = await usage('day');
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/--window day: .*; ask its operator to install a release after 0\.2\.0\n$/)]);
  for (const [chosen, name] of [
    ['hour', 'minute'],
    ['month', 'day'],
  ] as const)
    expect((await usage(chosen)).stdout).toBe(`window,startsAt,admitted,refused\n${name},2026-03-02T09:00:00.000Z,3,0\n`);
});
