// Users, tokens and the provider's storage, each on its own; the complete sign-in is in test/e2e/control.test.ts.

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKnownDevices } from '../../adapters/identity/cookies.ts';
import { createAccessTokenCheck, openProviderKeys, type ProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { NOON } from '../../testing/samples.ts';
import { makeFolder } from '../support/folders.ts';
import { openOidcStorage } from '../support/oidc-storage.ts';

const folder = makeFolder();
let stores: SqliteStores;
let keys: ProviderKeys;

beforeAll(async () => {
  stores = openSqliteStores(folder.path);
  keys = await openProviderKeys(folder.path);
});

afterAll(() => {
  stores.close();
  folder.remove();
});

test('a password is stored only as its scrypt hash', async () => {
  const users = createSqliteUserStore(stores.database);
  await users.add({ id: 'usr_stored', email: 'stored@example.com' }, 'pässword of ann');
  const stored = stores.database.prepare("SELECT password FROM users WHERE id = 'usr_stored'").get() as { password: string };
  expect(stored.password).toMatch(/^[0-9a-f]{32}\$[0-9a-f]{64}$/);
});

test("files can be read while passwords are checked, and checks that don't fit in the queue are refused", async () => {
  const users = createSqliteUserStore(stores.database);
  let ended = 0;
  const checks = Array.from({ length: 24 }, (_, n) => users.check(`nobody-${n}@example.com`, 'x').finally(() => (ended += 1)));
  await readFile(join(folder.path, 'identity-keys.json'));
  // All checks share the thread pool with the file: if they took every thread, the file would be read after the last check.
  expect(ended).toBeLessThan(18);
  const results = await Promise.all(checks);
  // Sixteen checks wait, in addition to the one in progress, or two if there are enough cores.
  const begun = 16 + Math.min(2, Math.max(1, availableParallelism() - 1));
  expect(results.filter((result) => result === 'busy')).toHaveLength(24 - begun);
  expect(results.filter((result) => result === undefined)).toHaveLength(begun);
});

test('keys are created once, readable only by their owner', async () => {
  expect(await openProviderKeys(folder.path)).toEqual(keys);
  expect(statSync(join(folder.path, 'identity-keys.json')).mode & 0o777).toBe(0o600);
});

describe('known device', () => {
  const devices = createKnownDevices('secret', false);
  const cookie = devices.cookieFor('usr_1', 'laptop');
  const pair = cookie.split(';')[0] ?? '';

  test('is recognized by its cookie, among other cookies and after a restart', () => {
    expect(cookie).toMatch(/; Path=\/oidc\/sign-in; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
    expect(devices.deviceOf('usr_1', `a=b; ${pair}; c=d`)).toBe('laptop');
    expect(createKnownDevices('secret', true).deviceOf('usr_1', pair)).toBe('laptop');
    expect(createKnownDevices('secret', true).cookieFor('usr_1', 'laptop')).toMatch(/; Secure$/);
  });

  test('is new without a cookie', () => {
    expect(devices.cookieFor('usr_1', undefined)).not.toBe(devices.cookieFor('usr_1', undefined));
  });

  test.each([
    ['no cookie', undefined],
    ['another user', pair.replace('usr_1', 'usr_2')],
    ['another device', pair.replace('laptop', 'laptop2')],
    ['no signature', pair.replace(/\..*/, '')],
    ['a short signature', `${pair.replace(/\..*/, '')}.AA`],
    ['another key', createKnownDevices('other', false).cookieFor('usr_1', 'laptop').split(';')[0]],
  ])('is unknown with %s', (_, given) => {
    expect([devices.deviceOf('usr_1', given), devices.deviceOf('usr_2', given)]).toEqual([undefined, undefined]);
  });
});

describe('access token', () => {
  const check = (now = NOON) => createAccessTokenCheck({ issuer: 'http://issuer', audience: 'control', key: keys.signing, clock: () => now });
  const token = async (claims: { issuer?: string; audience?: string; typ?: string; expires?: number } = {}) =>
    new SignJWT({ email: 'a@b.c' })
      .setProtectedHeader({ alg: 'ES256', typ: claims.typ ?? 'at+jwt', kid: String(keys.signing.kid) })
      .setSubject('usr_1')
      .setIssuer(claims.issuer ?? 'http://issuer')
      .setAudience(claims.audience ?? 'control')
      .setExpirationTime(claims.expires ?? NOON / 1_000 + 60)
      .sign(await importJWK(keys.signing, 'ES256'));

  test('yields its claims if valid', async () => {
    expect(await check()(`Bearer ${await token()}`)).toMatchObject({ sub: 'usr_1', email: 'a@b.c' });
    expect(await check()(`bearer ${await token()}`)).toMatchObject({ sub: 'usr_1' });
  });

  test.each([
    ['another issuer', { issuer: 'http://other' }],
    ['another audience', { audience: 'other' }],
    ['another type', { typ: 'JWT' }],
    ['an expiry in the past', { expires: NOON / 1_000 - 1 }],
  ])('yields no claims with %s', async (_, claims) => {
    expect(await check()(`Bearer ${await token(claims)}`)).toBeUndefined();
  });

  test.each([undefined, '', 'Basic YTpi', 'Bearer', 'Bearer a.b.c', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c3JfMSJ9.'])(
    'is not found in the header %j',
    async (header) => {
      expect(await check()(header)).toBeUndefined();
    },
  );
});

test('the provider finds the data that it stored, until expiry or revocation', async () => {
  let now = NOON;
  const storage = openOidcStorage(stores.database, createSqliteUserStore(stores.database), () => now);
  const [codes, sessions] = [storage('AuthorizationCode'), storage('Session')];
  await codes.upsert('c1', { grantId: 'g1', kind: 'AuthorizationCode' }, 60);
  await sessions.upsert('s1', { uid: 'u1', kind: 'Session' }, 3_600);
  await sessions.upsert('s2', { uid: 'u2', kind: 'Session' }, undefined as never);
  expect(await codes.find('c1')).toMatchObject({ grantId: 'g1' });
  expect(await sessions.find('c1')).toBeUndefined();
  expect(await sessions.findByUid('u1')).toMatchObject({ kind: 'Session' });
  expect(await codes.findByUserCode('x')).toBeUndefined();
  now += 60_000;
  expect(await codes.find('c1')).toBeUndefined();
  await sessions.destroy('s1');
  expect(await sessions.find('s1')).toBeUndefined();
  await codes.upsert('c2', { grantId: 'g2' }, 60);
  await codes.revokeByGrantId('g2');
  expect(await codes.find('c2')).toBeUndefined();
  expect(await sessions.find('s2')).toMatchObject({ uid: 'u2' });
});

test("sign-ins in progress stay in memory, limited in size and number; users' sessions are stored", async () => {
  const users = { sessionGeneration: () => '0' };
  const storage = openOidcStorage(stores.database, users, () => NOON);
  const [interactions, sessions] = [storage('Interaction'), storage('Session')];
  const rows = () => Number(stores.database.prepare('SELECT count(*) AS n FROM oidc').get()?.n);
  const before = rows();
  await sessions.upsert('anonymous', { uid: 'u3' }, 3_600);
  await sessions.upsert('anonymous', { uid: 'u3', accountId: 'usr_1', acr: '0' }, 3_600);
  expect(rows()).toBe(before + 1);
  for (let n = 0; n <= 5_000; n += 1) {
    await interactions.upsert(`i${n}`, { params: { state: 'x' } }, 600);
    await sessions.upsert(`a${n}`, { uid: `v${n}` }, 600);
  }
  expect([await interactions.find('i0'), await sessions.find('a0')]).toEqual([undefined, undefined]);
  expect(await interactions.find('i1')).toEqual({ params: { state: 'x' } });
  expect(await sessions.findByUid('v5000')).toEqual({ uid: 'v5000' });
  expect([await sessions.find('anonymous'), await sessions.findByUid('u3')]).toEqual([
    { uid: 'u3', accountId: 'usr_1', acr: '0', jti: 'anonymous' },
    { uid: 'u3', accountId: 'usr_1', acr: '0' },
  ]);
  expect(rows()).toBe(before + 1);
  await expect(interactions.upsert('large', { params: { state: 'x'.repeat(8_192) } }, 600)).rejects.toThrow('invalid_request');
  await interactions.destroy('i1');
  expect(await interactions.find('i1')).toBeUndefined();
});

test('a code and a refresh token are kept as used, without their nonces, and are used once', async () => {
  const storage = openOidcStorage(stores.database, createSqliteUserStore(stores.database), () => NOON);
  for (const bearer of [storage('AuthorizationCode'), storage('RefreshToken')]) {
    await bearer.upsert('b3', { grantId: 'g3', scope: 'openid', nonce: 'x' }, 60);
    await bearer.consume('b3');
    expect(await bearer.find('b3')).toEqual({ jti: 'b3', grantId: 'g3', scope: 'openid', consumed: NOON / 1_000 });
    await expect(bearer.consume('b3')).rejects.toThrow('invalid_grant');
    expect(await bearer.find('b3')).toBeUndefined();
    await expect(bearer.consume('nothing')).rejects.toThrow('invalid_grant');
  }
});

test.each([
  ['Session', 20],
  ['Grant', 20],
  ['AuthorizationCode', 10],
  ['RefreshToken', 20],
])('each user has a limited number of each kind of entry, and the oldest are dropped: %s', async (model, kept) => {
  let now = NOON;
  const users = { sessionGeneration: () => '0' };
  const storage = openOidcStorage(stores.database, users, () => now)(model);
  const payload = { accountId: 'usr_many', acr: '0' };
  await storage.upsert('of another', { accountId: 'usr_other', acr: '0' }, 60);
  for (let n = 0; n < kept + 5; n += 1) {
    now += 1;
    await storage.upsert(`m${n}`, payload, 60);
    // When stored again, the entry becomes the newest.
    await storage.upsert('m0', payload, 60);
  }
  const found = await Promise.all(Array.from({ length: kept + 5 }, (_, n) => storage.find(`m${n}`)));
  const left = found.flatMap((each, n) => (each === undefined ? [] : [n]));
  expect(left).toEqual([0, ...Array.from({ length: kept - 1 }, (_, n) => n + 6)]);
  expect(await storage.find('of another')).toBeDefined();
});

test('used refresh tokens do not displace valid ones, and fifty are kept per user', async () => {
  let now = NOON;
  const users = { sessionGeneration: () => '0' };
  const storage = openOidcStorage(stores.database, users, () => now)('RefreshToken');
  await storage.upsert('good', { accountId: 'usr_long', acr: '0' }, 600);
  for (let n = 0; n < 60; n += 1) {
    now += 1;
    await storage.upsert(`u${n}`, { accountId: 'usr_long', acr: '0' }, 600);
    await storage.consume(`u${n}`);
  }
  const [used9, used10, good] = await Promise.all(['u9', 'u10', 'good'].map((id) => storage.find(id)));
  expect([used9, used10?.consumed, good]).toEqual([undefined, NOON / 1_000, expect.objectContaining({ jti: 'good' })]);
});

test('a client that starts many sign-ins displaces only its own', async () => {
  let group = 'victim';
  const storage = openOidcStorage(stores.database, { sessionGeneration: () => '0' }, () => NOON, {
    sender: () => ({ addressGroup: group, agent: '', browser: 'a' }),
  });
  const [interactions, sessions] = [storage('Interaction'), storage('Session')];
  await interactions.upsert('victim', { params: {} }, 600);
  await sessions.upsert('victim', { uid: 'victim' }, 600);
  for (let n = 0; n <= 6_000; n += 1) {
    group = `198.19.0.${n % 45}`;
    await interactions.upsert(`f${n}`, { params: {} }, 600);
    await sessions.upsert(`f${n}`, { uid: `f${n}` }, 600);
  }
  expect(await interactions.find('victim')).toEqual({ params: {} });
  expect([await sessions.findByUid('victim'), await sessions.findByUid('f0'), await sessions.findByUid('f6000')]).toEqual([
    { uid: 'victim' },
    undefined,
    { uid: 'f6000' },
  ]);
});

test("ending a user's sessions also ends sign-ins in progress", async () => {
  const users = createSqliteUserStore(stores.database);
  await users.add({ id: 'usr_3', email: 'eve@example.com' }, 'pässword of eve');
  const storage = openOidcStorage(stores.database, users, () => NOON);
  const payload = { accountId: 'usr_3', acr: users.sessionGeneration('usr_3') ?? '' };
  const models = ['Session', 'AuthorizationCode', 'RefreshToken'];
  const found = () => Promise.all(models.map((model) => storage(model).find('x')));
  for (const model of models) await storage(model).upsert('x', { ...payload, uid: 'u' }, 60);
  expect(await found()).not.toContain(undefined);
  await users.endSessions('usr_3');
  for (const model of models) await storage(model).upsert('x', { ...payload, uid: 'u' }, 60);
  expect([...(await found()), await storage('Session').findByUid('u')]).toEqual([undefined, undefined, undefined, undefined]);
  await users.remove('usr_3');
  expect([users.get('usr_3'), users.sessionGeneration('usr_3'), ...(await found())]).toEqual([undefined, undefined, undefined, undefined, undefined]);
});
