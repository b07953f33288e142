// What requests to the OpenID provider may cost when nobody is signed in.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/store/sqlite/database.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, openSignIn, submit } from '../support/sign-in.ts';

const folder = makeFolder();
let host: ControlHost;

beforeAll(async () => {
  host = await startControlHost(folder.path, 0, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' });
});

afterAll(async () => {
  expect(host.faults).toEqual([]);
  await host.stop();
  folder.remove();
});

function authorize(address: string, fields: Readonly<Record<string, string>> = {}, browser = new Browser()): Promise<Response> {
  const query = new URLSearchParams({
    client_id: 'dashboard',
    response_type: 'code',
    redirect_uri: `${host.url}/signed-in`,
    scope: 'openid email',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    ...fields,
  });
  return browser.fetch(`${host.url}/oidc/auth?${query}`, { headers: { 'x-forwarded-for': address } });
}

test('3,000 requests of strangers leave less than 1 MB on the disk', async () => {
  const bytes = () =>
    ['', '-wal'].reduce((sum, suffix) => sum + (statSync(join(folder.path, DATABASE_FILE + suffix), { throwIfNoEntry: false })?.size ?? 0), 0);
  const before = bytes();
  for (let n = 0; n < 3_000; n += 50) {
    const batch = Array.from({ length: 50 }, (_, i) =>
      authorize(`198.51.${Math.floor((n + i) / 250)}.${(n + i) % 250}`, { state: 'x'.repeat(1_000) }),
    );
    expect(new Set((await Promise.all(batch)).map(({ status }) => status))).toEqual(new Set([303]));
  }
  expect(bytes() - before).toBeLessThan(1_000_000);
}, 120_000);

test('an address, or the /64 of one, has 120 requests a minute; who is signed in is not counted', async () => {
  const browser = new Browser();
  const { page } = await openSignIn(browser, host.url);
  const { email = '', password = '' } = host.demo ?? {};
  const entered = await submit(browser, page, email, password);
  expect((await browser.fetch(new URL(entered.headers.get('location') ?? '', host.url).href)).headers.get('location')).toContain('code=');
  // The minute may end in between: two minutes' worth is more than any single one allows.
  const statuses: number[] = [];
  let refused: Response | undefined;
  for (let n = 0; n < 241; n += 1) {
    const response = await authorize(`2001:db8:7:7::${n.toString(16)}`);
    statuses.push(response.status);
    if (response.status === 429) refused = response;
  }
  expect(new Set(statuses)).toEqual(new Set([303, 429]));
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await authorize('2001:db8:7:8::1')).status).toBe(303);
  expect((await authorize('2001:db8:7:7::1', {}, browser)).headers.get('location')).toContain('code=');
});

test.each(['state', 'nonce', 'login_hint', 'ui_locales', 'anything'])('a longer %s than 1,024 characters is refused', async (name) => {
  expect((await authorize('192.0.2.1', { [name]: 'x'.repeat(1_024) })).status).toBe(303);
  const refused = await authorize('192.0.2.1', { [name]: 'x'.repeat(1_025) });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(`${name}: got 1025 characters; allowed: at most 1024`)]);
});

test('requests are not taken in advance (RFC 9126)', async () => {
  const known = (await (await fetch(`${host.url}/oidc/.well-known/openid-configuration`)).json()) as Record<string, unknown>;
  expect(known.pushed_authorization_request_endpoint).toBeUndefined();
  const pushed = await fetch(`${host.url}/oidc/request`, { method: 'POST', headers: { 'x-forwarded-for': '192.0.2.3' } });
  expect(pushed.status).toBe(404);
});

test('an attempt to sign in lasts ten minutes', async () => {
  const begun = Date.now();
  const cookie = (await authorize('192.0.2.4')).headers.getSetCookie().find((line) => line.startsWith('_interaction='));
  const end = Date.parse(/expires=([^;]+)/i.exec(cookie ?? '')?.[1] ?? '');
  expect(end).toBeLessThanOrEqual(Date.now() + 600_000);
  expect(end).toBeGreaterThan(begun);
});
