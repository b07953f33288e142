// What users sign in with besides the password: the store, and the secrets in it.

import type { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { newAuthenticator, stepOf } from '../../adapters/identity/authenticator-app.ts';
import { createFactorSecrets, isRecoveryCode, newRecoveryCodes } from '../../adapters/identity/factor-secrets.ts';
import { createPasskeys } from '../../adapters/identity/passkeys.ts';
import { createSqliteFactors } from '../../adapters/identity/sqlite-factors.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type FactorStore, hasSecondFactor, MOST_PASSKEYS, type Passkey } from '../../core/identity/factors.ts';
import { testFolder } from '../support/folders.ts';

const NOON = Date.UTC(2026, 10, 26, 12);

let database: DatabaseSync;
let factors: FactorStore;

beforeEach(() => {
  ({ database } = openSqliteStores(testFolder()));
  factors = createSqliteFactors(database);
});

const passkey = (id: string, counter = 0, userId = 'usr_1'): Passkey => ({
  ...{
    id,
    userId,
    name: 'Phone',
    publicKey: Uint8Array.of(1, 2, 3),
    counter,
    transports: ['internal', 'hybrid'],
    createdAt: NOON,
    usedAt: undefined,
  },
});

describe('passkeys', () => {
  test('are found as they were stored, by user and by id', async () => {
    expect(await factors.addPasskey(passkey('a'))).toBe(true);
    expect(await factors.addPasskey(passkey('a', 0, 'usr_2'))).toBe(false);
    expect(factors.passkey('a')).toEqual(passkey('a'));
    expect([factors.factorsOf('usr_1').passkeys, factors.factorsOf('usr_2').passkeys]).toEqual([[passkey('a')], []]);
    expect(hasSecondFactor(factors.factorsOf('usr_1'))).toBe(true);
    expect(await factors.removePasskey('usr_2', 'a')).toBe(false);
    expect(await factors.removePasskey('usr_1', 'a')).toBe(true);
    expect(factors.passkey('a')).toBeUndefined();
  });

  test('are at most twenty of a user, also if many are added at once', async () => {
    const added = await Promise.all(Array.from({ length: MOST_PASSKEYS + 5 }, (_, n) => factors.addPasskey(passkey(`p${n}`))));
    expect(added.filter(Boolean)).toHaveLength(MOST_PASSKEYS);
  });

  test.each([
    [0, [0, 0, 1, 1, 2], [true, true, true, false, true]],
    [5, [5, 4, 6, 6], [false, false, true, false]],
  ])('that begin at %i and count %j are accepted: %j', async (first, counters, expected) => {
    await factors.addPasskey(passkey('a', first));
    const used: boolean[] = [];
    for (const counter of counters) used.push(await factors.usePasskey('a', counter, NOON + 1));
    expect(used).toEqual(expected);
    expect(factors.passkey('a')?.usedAt).toBe(NOON + 1);
  });
});

test('the code of a time step is used once, and none before it', async () => {
  await factors.setTotp('usr_1', Uint8Array.of(1), 10);
  const used = await Promise.all([10, 11, 11, 9, 12].map((step) => factors.useTotp('usr_1', step)));
  expect(used).toEqual([false, true, false, false, true]);
  expect(await factors.useTotp('usr_2', 20)).toBe(false);
});

test('a recovery code is used once, and new ones replace the old ones', async () => {
  await factors.setRecoveryCodes('usr_1', ['a', 'b']);
  expect(await Promise.all([factors.useRecoveryCode('usr_1', 'a'), factors.useRecoveryCode('usr_1', 'a')])).toEqual([true, false]);
  expect(await factors.useRecoveryCode('usr_2', 'b')).toBe(false);
  await factors.setRecoveryCodes('usr_1', ['c']);
  expect([await factors.useRecoveryCode('usr_1', 'b'), factors.factorsOf('usr_1').recoveryCodes]).toEqual([false, 1]);
});

test('recovery codes end with the last factor', async () => {
  await factors.addPasskey(passkey('a'));
  await factors.setTotp('usr_1', Uint8Array.of(1), 1);
  await factors.setRecoveryCodes('usr_1', ['a']);
  await factors.removeTotp('usr_1');
  expect(factors.factorsOf('usr_1').recoveryCodes).toBe(1);
  await factors.removePasskey('usr_1', 'a');
  expect(factors.factorsOf('usr_1').recoveryCodes).toBe(0);
  await factors.setTotp('usr_1', Uint8Array.of(1), 1);
  await factors.setRecoveryCodes('usr_1', ['b']);
  await factors.removeTotp('usr_1');
  expect(factors.factorsOf('usr_1').recoveryCodes).toBe(0);
});

test('all are removed by the operator, and with the user', async () => {
  const users = createSqliteUserStore(database, undefined, { N: 2, r: 8, p: 1, maxmem: 2 ** 20 });
  for (const remove of [() => factors.removeAll('usr_1'), () => users.remove('usr_1')]) {
    await factors.addPasskey(passkey('a'));
    await factors.setTotp('usr_1', Uint8Array.of(1), 1);
    await factors.setRecoveryCodes('usr_1', ['a']);
    await remove();
    expect(factors.factorsOf('usr_1')).toEqual({ passkeys: [], totp: undefined, recoveryCodes: 0 });
  }
  expect(await factors.removeAll('usr_1')).toBe(false);
});

test('what changes them is in the audit log, without secrets', async () => {
  await factors.addPasskey(passkey('a'));
  await factors.setTotp('usr_1', Uint8Array.of(1), 1);
  await factors.setRecoveryCodes('usr_1', ['digest']);
  await factors.useRecoveryCode('usr_1', 'digest');
  await factors.removePasskey('usr_1', 'a');
  await factors.removeTotp('usr_1');
  const rows = database.prepare('SELECT * FROM audit ORDER BY id').all();
  expect(rows.map(({ action, subject }) => `${action} ${subject}`)).toEqual(
    ['passkey_added', 'totp_set', 'recovery_codes_set', 'recovery_code_used', 'passkey_removed', 'totp_removed'].map((each) => `user.${each} usr_1`),
  );
  expect(JSON.stringify(rows)).not.toContain('digest');
});

test('a user has three links for a new password at a time, which end with the next password', async () => {
  const users = createSqliteUserStore(database, undefined, { N: 2, r: 8, p: 1, maxmem: 2 ** 20 });
  const ann = { id: 'usr_1', email: 'ann@example.com' };
  await users.add(ann, 'a password');
  const add = (digest: string, now: number) => users.addReset('usr_1', digest, now, now + 10);
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((digest) => add(digest, NOON)))).toEqual([true, true, true, false]);
  expect([users.userOfReset('a', NOON + 9), users.userOfReset('a', NOON + 10), users.userOfReset('d', NOON)]).toEqual([ann, undefined, undefined]);
  expect(await add('e', NOON + 10)).toBe(true);
  await users.setPassword('usr_1', 'another password');
  expect(users.userOfReset('e', NOON + 10)).toBeUndefined();
  await add('f', NOON);
  await add('g', NOON);
  const resets = await Promise.all(['f', 'f', 'g', 'f'].map((digest, n) => users.resetPassword(digest, `password number ${n}`, NOON)));
  expect(resets).toEqual([true, false, false, false]);
  expect(await users.check('ann@example.com', 'password number 0')).toEqual(ann);
});

describe('secrets', () => {
  const secrets = createFactorSecrets('a key');

  test('are opened for their user with their key only', () => {
    const sealed = secrets.seal('usr_1', 'a secret');
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('secret');
    expect(secrets.open('usr_1', sealed)).toBe('a secret');
    expect(secrets.open('usr_2', sealed)).toBeUndefined();
    expect(createFactorSecrets('another key').open('usr_1', sealed)).toBeUndefined();
    expect(secrets.open('usr_1', Uint8Array.of(1, 2, 3))).toBeUndefined();
  });

  test('recovery codes are recognized however they are typed', () => {
    const [code = ''] = newRecoveryCodes();
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
    const typed = ` ${code.toUpperCase().replace('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')} `;
    expect([isRecoveryCode(typed), isRecoveryCode('123 456')]).toEqual([true, false]);
    expect(secrets.digest('usr_1', typed)).toBe(secrets.digest('usr_1', code));
    expect(secrets.digest('usr_2', code)).not.toBe(secrets.digest('usr_1', code));
    expect(new Set(newRecoveryCodes()).size).toBe(10);
  });
});

test('codes are those of RFC 6238, of the step before, the current and the next one', () => {
  // Appendix B, SHA-1: the last six of its eight digits.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [20_000_000_000, '353130'],
  ] as const) {
    const step = Math.floor(seconds / 30);
    const at = (difference: number) => stepOf(secret, code, (seconds + 30 * difference) * 1_000);
    expect([at(0), at(1), at(-1), at(2), at(-2)]).toEqual([step, step, step, undefined, undefined]);
  }
  expect(stepOf(secret, ' 287 082', 59_000)).toBe(1);
  for (const wrong of ['', '28708', '2870820', 'abcdef', '٢٨٧٠٨٢']) expect(stepOf(secret, wrong, 59_000)).toBeUndefined();
  expect(newAuthenticator('ann@example.com').secret).toMatch(/^[A-Z2-7]{32}$/);
});

test.each([
  '',
  'null',
  '[]',
  '{',
  '{"id":"a"}',
  '{"id":{"toString":1}}',
  '{"id":"a","response":{}}',
  '{"id":"a","rawId":"a","type":"public-key","response":{"clientDataJSON":"e30"}}',
])('an answer of a browser that is %s is not accepted', async (answer) => {
  const passkeys = createPasskeys('https://pets.example.com', 'a secret', factors);
  await factors.addPasskey(passkey('a'));
  expect(await passkeys.use(answer, 'challenge', true, NOON)).toBeUndefined();
  expect(await passkeys.register({ id: 'usr_1', email: 'ann@example.com' }, 'Phone', answer, 'challenge', NOON)).toBe(false);
});

test.each([
  ['http://localhost:8080', true],
  ['https://pets.example.com', true],
  ['http://127.0.0.1:8080', false],
  ['http://[::1]:8080', false],
])('passkeys at %s: %s', async (origin, areOffered) => {
  const passkeys = createPasskeys(origin, 'a secret', factors);
  const forms = [passkeys.request('challenge'), await passkeys.creation({ id: 'usr_1', email: 'ann@example.com' }, [], 'challenge')];
  expect(forms.map((form) => form !== undefined)).toEqual([areOffered, areOffered]);
});
