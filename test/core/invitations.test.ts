// Who may accept an invitation, and how often: the rules, on SQLite.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { OPERATOR } from '../../core/access/account.ts';
import { accountIdOfInvitation, generateInvitationToken, newInvitationId, parseInvitationToken } from '../../core/access/invitation.ts';
import {
  acceptInvitation,
  findInvitation,
  type InvitationRequest,
  invite,
  MAX_INVITATIONS_PER_DAY,
  MAX_OPEN_INVITATIONS,
  NO_INVITATION,
  openInvitations,
  withdrawInvitation,
} from '../../core/access/invitations.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';

const ACCOUNT = 'acc_8sK2mPq4Zt';
const BEN = { id: 'usr_ben', email: 'ben@example.com' };

describe('the token of a link', () => {
  const id = newInvitationId(ACCOUNT, randomBytes);
  const { token, digest } = generateInvitationToken(id, randomBytes);

  test('names its invitation and account; only its digest is to be stored', () => {
    expect(parseInvitationToken(token)).toEqual({ invitationId: id, digest });
    expect(accountIdOfInvitation(id)).toBe(ACCOUNT);
    expect([accountIdOfInvitation('inv_x'), accountIdOfInvitation('')]).toEqual([undefined, undefined]);
    expect(generateInvitationToken(id, randomBytes).token).not.toBe(token);
    expect(digest).not.toContain(token.slice(38, 60));
  });

  test('with one character changed, missing or added is none', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'0aZ_ '), (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(parseInvitationToken(changed) === undefined).toBe(changed !== token);
        expect(parseInvitationToken(token.slice(0, at) + token.slice(at + 1))).toBeUndefined();
        expect(parseInvitationToken(token.slice(0, at) + character + token.slice(at))).toBeUndefined();
      }),
    );
  });
});

describe('an invitation', () => {
  let stores: SqliteStores;
  let accountId: string;

  beforeEach(async () => {
    stores = openSqliteStores(testFolder());
    onTestFinished(() => stores.close());
    const account = sampleAccount();
    await stores.accounts.createAccount(account);
    accountId = account.id;
    await stores.members.addMember(accountId, 'usr_ann', 'owner');
  });

  const request = (fields: Partial<InvitationRequest> = {}) =>
    invite(stores, randomBytes, { accountId, email: BEN.email, role: 'member', invitedBy: 'usr_ann', mailed: false, now: NOON, ...fields });
  const tokenOf = async (fields?: Partial<InvitationRequest>) => {
    const made = await request(fields);
    if (!made.ok || made.link === undefined) throw new Error(JSON.stringify(made));
    const [path, token = ''] = made.link.split('#');
    expect(path).toBe('/invitation');
    return token;
  };
  const accept = (token: string, user: { id: string; email: string | undefined } = BEN, now = NOON) => acceptInvitation(stores, token, user, now);
  const members = async () => Object.fromEntries((await stores.members.membersOf(accountId)).map(({ userId, role }) => [userId, role]));

  test('makes the user of its address a member, once', async () => {
    const token = await tokenOf({ email: ' Ben@Example.com ', role: 'owner' });
    expect(await findInvitation(stores, token, NOON)).toMatchObject({ ok: true, invitation: { email: BEN.email }, account: { id: accountId } });
    expect(await accept(token)).toMatchObject({ ok: true, role: 'owner', account: { id: accountId } });
    expect(await members()).toEqual({ usr_ann: 'owner', usr_ben: 'owner' });
    expect(await accept(token)).toEqual(NO_INVITATION);
  });

  test('is refused to users with another address or none, who learn whose it is; it stays open', async () => {
    const token = await tokenOf();
    for (const email of ['eve@example.com', undefined])
      expect(await accept(token, { id: 'usr_eve', email })).toMatchObject({ code: 'forbidden', message: expect.stringContaining(BEN.email) });
    expect(await members()).toEqual({ usr_ann: 'owner' });
    expect(await accept(token, { ...BEN, email: 'BEN@example.com' })).toMatchObject({ ok: true });
  });

  test('ends when it expires, is replaced or withdrawn, or its sender is no longer an owner: always with the same refusal', async () => {
    const old = await tokenOf();
    const replaced = await tokenOf({ now: NOON + 1 });
    expect(await accept(old, BEN, NOON + 1)).toEqual(NO_INVITATION);
    expect(await accept(replaced, BEN, NOON + 1 + 7 * DAY_MS)).toEqual(NO_INVITATION);
    expect(await openInvitations(stores, accountId, NOON + 1 + 7 * DAY_MS)).toEqual([]);
    const [open] = await openInvitations(stores, accountId, NOON + 7 * DAY_MS);
    expect(open).toMatchObject({ email: BEN.email, expiresAt: NOON + 1 + 7 * DAY_MS });

    await stores.members.addMember(accountId, 'usr_cat', 'owner');
    await stores.members.setRole(accountId, 'usr_ann', 'member');
    expect([await accept(replaced, BEN, NOON + 1), await openInvitations(stores, accountId, NOON + 1)]).toEqual([NO_INVITATION, []]);
    await stores.members.setRole(accountId, 'usr_ann', 'owner');
    expect(await withdrawInvitation(stores.invitations, 'acc_0000000000', open?.id ?? '')).toMatchObject({ code: 'not_found' });
    expect(await withdrawInvitation(stores.invitations, accountId, open?.id ?? '')).toEqual({ ok: true });
    expect(await withdrawInvitation(stores.invitations, accountId, open?.id ?? '')).toMatchObject({ code: 'not_found' });
    expect(await accept(replaced, BEN, NOON + 1)).toEqual(NO_INVITATION);
    const elsewhere = generateInvitationToken(newInvitationId(ACCOUNT, randomBytes), randomBytes).token;
    const sameId = generateInvitationToken(open?.id ?? '', randomBytes).token;
    for (const junk of ['', 'junk', elsewhere, sameId]) expect(await accept(junk)).toEqual(NO_INVITATION);
  });

  test('another link to the same invitation is not good only because it names it', async () => {
    await tokenOf();
    const [{ id } = { id: '' }] = await openInvitations(stores, accountId, NOON);
    expect(await accept(generateInvitationToken(id, randomBytes).token)).toEqual(NO_INVITATION);
  });

  test('of an operator stays open, whoever is an owner', async () => {
    expect(await accept(await tokenOf({ invitedBy: OPERATOR }))).toMatchObject({ ok: true });
  });

  test('of a member changes nothing, and ends', async () => {
    const token = await tokenOf({ role: 'owner' });
    await stores.members.addMember(accountId, BEN.id, 'member');
    expect(await accept(token)).toMatchObject({ code: 'conflict', message: 'you are already a member of this account' });
    expect([(await members()).usr_ben, await accept(token)]).toEqual(['member', NO_INVITATION]);
  });

  test('that is mailed has no link yet', async () => {
    expect(await request({ mailed: true })).toMatchObject({ ok: true, link: undefined, invitation: { digests: [], mailed: true } });
  });

  test('is refused for what is no address, in an unknown account, and beyond the maxima', async () => {
    for (const email of ['', 'ben', 'ben@example', 'ben@example.com\r\nBcc: eve@example.com', `${'b'.repeat(250)}@example.com`])
      expect(await request({ email })).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^email: got .*; allowed: an email/),
      });
    expect(await request({ accountId: ACCOUNT })).toMatchObject({ code: 'not_found' });
    for (let n = 0; n < MAX_OPEN_INVITATIONS; n += 1) expect(await request({ email: `${n}@example.com` })).toMatchObject({ ok: true });
    expect(await request()).toMatchObject({ code: 'conflict', message: expect.stringContaining('withdraw one first') });
    for (let n = MAX_OPEN_INVITATIONS; n < MAX_INVITATIONS_PER_DAY; n += 1)
      expect(await request({ email: '0@example.com' })).toMatchObject({ ok: true });
    expect(await request({ email: '0@example.com' })).toMatchObject({
      code: 'rate_limit_exceeded',
      message: '30 invitations were sent today for this account or by you, the maximum; try again tomorrow (UTC)',
      retryAfterSeconds: (DAY_MS - (NOON % DAY_MS)) / 1_000,
    });
    expect(await request({ email: '0@example.com', now: NOON + DAY_MS })).toMatchObject({ ok: true });
  });
});
