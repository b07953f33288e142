// What users sign in with besides the password: the store, and the secrets in it.

import type { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFactorSecrets, isRecoveryCode, newAuthenticator, newRecoveryCodes, stepOf } from '../../adapters/identity/authenticator-app.ts';
import { createPasskeys } from '../../adapters/identity/passkeys.ts';
import { createSqliteFactors } from '../../adapters/identity/sqlite-factors.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { FactorStore, Passkey } from '../../core/identity/factors.ts';
import type { Immediate } from '../../core/ports.ts';
import { factorStoreContract } from '../../testing/factor-store.ts';
import { testFolder } from '../support/folders.ts';

const NOON = Date.UTC(2026, 10, 26, 12);

let database: DatabaseSync;
let factors: Immediate<FactorStore>;

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

factorStoreContract(test, () => createSqliteFactors(openSqliteStores(testFolder()).database), { name: 'SQLite' });

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
