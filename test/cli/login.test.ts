// `petstore login` with a provider like Cognito's, and the file with the sessions, when commands die or meet.

import { once } from 'node:events';
import { mkdirSync, readFileSync, rmdirSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { LOCK_LASTS_MS } from '../../cli/remote/credentials.ts';
import { collect } from '../support/children.ts';
import { type CognitoStandIn, startCognitoStandIn } from '../support/cognito-stand-in.ts';
import { makeFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { type Finished, runCli, startCli } from '../support/processes.ts';

let provider: CognitoStandIn;
let home: ReturnType<typeof makeFolder>;
let ports: number[];

const environment = () => ({ XDG_CONFIG_HOME: home.path });
const file = () => join(home.path, 'petstore/credentials.json');
const session = () => JSON.parse(readFileSync(file(), 'utf8'))[provider.url];
const change = (changes: object) => writeFileSync(file(), JSON.stringify({ [provider.url]: { ...session(), ...changes } }));
const list = () => runCli('/nonexistent', ['--url', provider.url, 'accounts', 'list'], '', environment());

beforeEach(async () => {
  ports = [await freePort(), await freePort()];
  home = makeFolder();
  provider = await startCognitoStandIn({ redirectUris: ports.map((port) => `http://localhost:${port}/callback`) });
});
afterEach(async () => {
  await provider.stop();
  home.remove();
});

/** Signs in; the provider's page asks nothing. */
async function logIn(): Promise<Finished & { readonly visited: string }> {
  const child = startCli('/nonexistent', ['login', '--url', provider.url, '--no-browser'], environment());
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const closed = once(child, 'close');
  await expect.poll(stderr).toMatch(/https?:\S+/);
  const visited = await fetch(/https?:\S+/.exec(stderr())?.[0] ?? '');
  const [code] = await closed;
  return { code, stdout: stdout(), stderr: stderr(), visited: `${new URL(visited.url).origin} ${visited.status}` };
}

test('signs in, renews the session with the same refresh token, and signs out', async () => {
  expect(await logIn()).toMatchObject({
    code: 0,
    stdout: `Signed in to ${provider.url} as ${provider.email}\n`,
    visited: `http://localhost:${ports[0]} 200`,
  });
  const { refreshToken } = session();
  change({ accessToken: 'expired', expiresAt: 0 });
  expect(await list()).toMatchObject({ code: 0, stderr: '' });
  expect(session()).toMatchObject({ email: provider.email, refreshToken });
  expect(provider.seen).toEqual([`Bearer ${session().accessToken}`]);
  expect((await runCli('/nonexistent', ['logout', '--url', provider.url], '', environment())).code).toBe(0);
  expect([...provider.refreshTokens]).toEqual([]);
});

test('takes the next port if one is taken, and says so if all are', async () => {
  const taken = await Promise.all(
    ports.map(async (port) => {
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const none = await runCli('/nonexistent', ['login', '--url', provider.url, '--no-browser'], '', environment());
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`one of the ports ${ports.join(', ')} on this computer, and all are in use`),
  });
  taken.pop()?.close();
  expect(await logIn()).toMatchObject({ code: 0, visited: `http://localhost:${ports[1]} 200` });
  taken.pop()?.close();
});

test.each([
  ['a file', { signInPage: 'file:///etc/passwd' }],
  ['a program', { signInPage: 'calculator:' }],
  ['a page that others on the way can change', { signInPage: 'http://pets.example.com/sign-in' }],
  ['a port that others can reach', { redirectUris: ['http://0.0.0.0:3000/callback'] }],
])('an installation that names %s opens nothing', async (_, options) => {
  const hostile = await startCognitoStandIn({ redirectUris: [`http://localhost:${ports[0]}/callback`], ...options });
  onTestFinished(hostile.stop);
  const child = startCli('/nonexistent', ['login', '--url', hostile.url, '--no-browser'], environment());
  onTestFinished(() => void child.kill());
  const stderr = collect(child.stderr);
  await expect.poll(stderr).toMatch(/allowed: https, or http on this computer|does not say how to sign in|Sign in here/);
  expect(stderr()).not.toContain('Sign in here');
});

test('a session that the provider has ended is removed', async () => {
  await logIn();
  provider.refreshTokens.clear();
  change({ expiresAt: 0 });
  expect(await list()).toMatchObject({ code: 1, stderr: expect.stringContaining(`your session with ${provider.url} has ended; run petstore login`) });
  expect((await list()).stderr).toContain('you are not signed in');
});

test('a command waits for one that renews the session, and goes on if that has died', async () => {
  await logIn();
  change({ expiresAt: 0 });
  const lock = `${file()}.lock`;
  mkdirSync(lock);
  const waiting = list();
  const isDone = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 1_500, 'waits'))]);
  expect(isDone).toBe('waits');
  rmdirSync(lock);
  expect((await waiting).code).toBe(0);

  change({ expiresAt: 0 });
  mkdirSync(lock);
  const died = (Date.now() - LOCK_LASTS_MS - 1_000) / 1_000;
  utimesSync(lock, died, died);
  expect((await list()).code).toBe(0);
});
