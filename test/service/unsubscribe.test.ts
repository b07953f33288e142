import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryNotificationSettings } from '../../adapters/store/memory/outbox.ts';
import { UNSUBSCRIBE_PATH } from '../../core/notifications/message.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../core/notifications/notification.ts';
import { StoreFault } from '../../core/refusal.ts';
import { CONTROL_PREFIX } from '../../service/control/operation.ts';
import { answerUnsubscribe, unsubscribeUrl } from '../../service/notifications/unsubscribe.ts';

const DASHBOARD = 'https://pets.example.com';

describe('a link that turns emails off', () => {
  let settings: ReturnType<typeof createMemoryNotificationSettings>;
  let faults: unknown[];
  beforeEach(() => {
    faults = [];
    settings = createMemoryNotificationSettings();
  });

  const urlFor = (userId: string, kind: NotificationKind, dashboard = DASHBOARD) =>
    unsubscribeUrl(settings, { userId, kind, dashboard }, randomBytes);
  const queryFor = async (userId: string, kind: NotificationKind = 'domain_live') =>
    Object.fromEntries(new URL((await urlFor(userId, kind)) ?? expect.fail('no link')).searchParams);
  const ask = (method: string, query: Readonly<Record<string, string>>) =>
    answerUnsubscribe(settings, { method, query }, (error) => void faults.push(error));

  test('is at the dashboard’s origin, below what it forwards to the control API', async () => {
    expect(UNSUBSCRIBE_PATH.startsWith(`${CONTROL_PREFIX}/`)).toBe(true);
    expect(await urlFor('usr_ann', 'domain_live')).toMatch(
      /^https:\/\/pets\.example\.com\/dashboard\/v1\/unsubscribe\?user=usr_ann&kind=domain_live&proof=[\w-]{43}$/,
    );
  });

  test('is the same in every email, and in none that is about security, or without HTTPS', async () => {
    expect(await urlFor('usr_ann', 'domain_live')).toBe(await urlFor('usr_ann', 'domain_live'));
    const without = await Promise.all(NOTIFICATION_KINDS.map(async (kind) => ((await urlFor('usr_ann', kind)) === undefined ? [kind] : [])));
    expect(without.flat()).toEqual(['member_added', 'member_removed', 'account_suspended']);
    expect(await urlFor('usr_ann', 'domain_live', 'http://localhost:8080')).toBeUndefined();
  });

  test('changes nothing when it is opened, and turns one kind of one user off when it is posted, again and again', async () => {
    await settings.mute('usr_ann', ['key_banned']);
    const query = await queryFor('usr_ann');
    for (const method of ['GET', 'HEAD']) {
      const { statusCode, body, headers } = await ask(method, query);
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body).toEqual(method === 'GET' ? expect.stringMatching(/<form method="post">.*<button>/) : '');
    }
    expect(await settings.mutedBy('usr_ann')).toEqual(['key_banned']);
    for (let times = 0; times < 2; times += 1) expect((await ask('POST', query)).statusCode).toBe(200);
    expect(await settings.mutedBy('usr_ann')).toEqual(['key_banned', 'domain_live']);
    expect((await ask('PUT', query)).headers.allow).toBe('GET, HEAD, POST');
  });

  test('is of no use for other users and kinds, or if it is cut, made up or for no one', async () => {
    const [ann, bob] = [await queryFor('usr_ann'), await queryFor('usr_bob')];
    const others = [
      { ...ann, user: 'usr_bob' },
      { ...ann, proof: bob.proof ?? '' },
      { ...ann, kind: 'key_banned' },
      { ...ann, kind: 'member_removed' },
      { ...ann, kind: '__proto__' },
      { ...ann, proof: (ann.proof ?? '').slice(0, -1) },
      { ...ann, proof: '' },
      { ...ann, proof: 'é'.repeat(43) },
      { ...ann, user: 'usr_nobody' },
      { ...ann, user: '' },
      { ...ann, user: 'x'.repeat(5_000) },
      {},
    ] as Record<string, string>[];
    for (const query of others) expect([query, (await ask('POST', query)).statusCode]).toEqual([query, 404]);
    expect([await settings.mutedBy('usr_ann'), await settings.mutedBy('usr_bob')]).toEqual([[], []]);
    expect(await settings.unsubscribeKey('usr_nobody')).toBeUndefined();
  });

  test('asks to try again while storage fails, or others change the settings all the time', async () => {
    const query = await queryFor('usr_ann');
    const { unsubscribeKey } = settings;
    settings.unsubscribeKey = async () => Promise.reject(new StoreFault('unavailable', 'locked'));
    const { statusCode, headers } = await ask('POST', query);
    expect([statusCode, headers['retry-after'], faults]).toEqual([503, '1', [expect.any(StoreFault)]]);
    Object.assign(settings, { unsubscribeKey, mute: async () => false });
    expect((await ask('POST', query)).statusCode).toBe(503);
  });

  test('turns off two kinds that are posted at once', async () => {
    const queries = await Promise.all([queryFor('usr_ann'), queryFor('usr_ann', 'key_banned')]);
    expect((await Promise.all(queries.map((query) => ask('POST', query)))).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await settings.mutedBy('usr_ann')).toSorted()).toEqual(['domain_live', 'key_banned']);
  });
});
