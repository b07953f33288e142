import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryNotificationSettings, createMemoryOutbox } from '../../adapters/store/memory/outbox.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { OPERATOR, type PlanRequest } from '../../core/access/account.ts';
import { parseInvitationToken } from '../../core/access/invitation.ts';
import { invite, withdrawInvitation } from '../../core/access/invitations.ts';
import type { Message } from '../../core/notifications/layout.ts';
import { invitationSent, type Notification } from '../../core/notifications/notification.ts';
import { MailRefusal } from '../../core/notifications/ports.ts';
import { CLAIM_MS, GIVE_UP_AFTER_MS, MOST_PER_HOUR } from '../../core/notifications/schedule.ts';
import { StoreFault } from '../../core/refusal.ts';
import { type DeliveryWork, deliver, newMailServerState } from '../../service/notifications/deliver.ts';
import { startNotificationTimers, surveyUsage } from '../../service/notifications/timers.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { testInstallation } from '../support/folders.ts';

const MINUTE_MS = 60_000;

function makeWorld() {
  const clock = { now: NOON };
  const members = new Map<string, string[]>();
  const sent: Message[] = [];
  const warnings: string[] = [];
  const faults: unknown[] = [];
  const stores = openSqliteStores(testInstallation());
  onTestFinished(stores.close);
  let refusal: (message: Message) => unknown = () => undefined;
  const work: DeliveryWork = {
    outbox: createMemoryOutbox(),
    settings: createMemoryNotificationSettings(),
    accounts: { getAccount: async (id) => ({ ...sampleAccount(), id, name: 'My shop' }), getKey: async () => ({ name: 'laptop' }) as never },
    projects: { getProject: async () => ({ name: 'Shop' }) as never },
    members: { membersOf: async (accountId) => (members.get(accountId) ?? []).map((userId) => ({ userId, role: 'owner' as const })) },
    invitations: stores.invitations,
    randomBytes,
    addresses: {
      addressOf: async (userId) => {
        if (userId.startsWith('usr_slow')) throw new Error('Cognito is slow');
        return userId.startsWith('usr_without') ? undefined : `${userId}@example.com`;
      },
    },
    mailer: {
      send: async (message) => {
        const problem = await refusal(message);
        if (problem !== undefined) throw problem;
        sent.push(message);
      },
    },
    dashboard: 'https://pets.example.com',
    clock: () => clock.now,
    accepted: new Set(),
    server: newMailServerState(),
    warn: (message, detail) => void warnings.push(detail.reason === undefined ? message : `${message}: ${detail.reason}`),
  };
  let count = 0;
  const add = async (accountId: string, event?: Notification['event']): Promise<Notification> => {
    count += 1;
    const notification: Notification = {
      id: `n${count}`,
      accountId,
      at: clock.now,
      event: event ?? { kind: 'key_banned', keyId: `key_${count}`, until: NOON },
    };
    expect(await work.outbox.add(notification)).toBe(true);
    return notification;
  };
  return {
    ...{ clock, members, sent, warnings, faults, work, add },
    refuseWith: (answer: typeof refusal) => {
      refusal = answer;
    },
    run: (isTimeLeft?: () => boolean, changed: Partial<DeliveryWork> = {}) =>
      deliver({ ...work, ...changed }, (error) => void faults.push(error), isTimeLeft),
    recipients: () => sent.map(({ to }) => to.split('@')[0]),
    entry: async ({ id, accountId }: Notification) =>
      (await work.outbox.ofAccount(accountId)).find(({ notification }) => notification.id === id) ?? expect.fail('gone'),
  };
}

describe('delivery', () => {
  let world: ReturnType<typeof makeWorld>;

  beforeEach(() => {
    world = makeWorld();
    world.members.set('acc_1', ['usr_ann', 'usr_bob']);
  });

  test('sends each member one message, with names, and none again', async () => {
    const notification = await world.add('acc_1');
    expect(await world.run()).toEqual({ sent: 2, lost: 0 });
    expect(await world.run()).toEqual({ sent: 0, lost: 0 });
    expect(world.recipients()).toEqual(['usr_ann', 'usr_bob']);
    expect(world.sent[0]?.text).toContain('The key “laptop” of the account “My shop”');
    expect(await world.entry(notification)).toMatchObject({ finished: true, sentAt: NOON });
  });

  test('sends the operator a request for another plan while it is open, and members nothing', async () => {
    const request = { plan: 'business', note: 'we grow\u202e', requestedBy: 'usr_ann', requestedAt: NOON } as const;
    const asking = (planRequest: PlanRequest | undefined): Partial<DeliveryWork> => ({
      operator: 'ops@example.com',
      accounts: {
        ...world.work.accounts,
        getAccount: async (id) => ({ ...sampleAccount(), id, name: 'My shop', ...(planRequest && { planRequest }) }),
      },
    });
    const decision = { approved: true, reason: '', at: NOON };
    for (const planRequest of [undefined, { ...request, decision }]) {
      await world.add('acc_1', { kind: 'plan_requested' });
      await world.run(undefined, asking(planRequest));
    }
    await world.add('acc_1', { kind: 'plan_requested' });
    await world.run(undefined, { ...asking(request), operator: undefined });
    expect(world.sent).toEqual([]);
    await world.add('acc_1', { kind: 'plan_requested' });
    for (let times = 0; times < 2; times += 1) await world.run(undefined, asking(request));
    expect(world.sent.map(({ to, subject }) => [to, subject])).toEqual([['ops@example.com', 'Plan request: Business']]);
    expect(world.sent[0]?.text).toContain('Their note: “we grow\\u{202e}”.');
    expect(world.sent[0]?.text).toContain('plan-requests approve acc_1');
    expect(world.faults).toEqual([]);
  });

  test('says who has removed a domain, and which records are left, although its project is gone', async () => {
    const removed = { by: 'usr_bob', records: [{ type: 'CNAME', name: 'www.shop.dev', value: 'token.edge.example.com' }] };
    await world.add('acc_1', { kind: 'domain_lost', projectId: 'prj_gone', domainId: 'dom_1', host: 'www.shop.dev', advice: undefined, removed });
    await world.run(undefined, { projects: { getProject: async () => undefined } });
    expect(world.sent[0]?.text).toContain('usr_bob@example.com has removed www.shop.dev from the project prj_gone in the account “My shop”.');
    expect(world.sent[0]?.text).toContain('\n  www.shop.dev  CNAME  token.edge.example.com\n');
  });

  test('leaves out members who have turned the kind off, and those without an address', async () => {
    world.members.set('acc_1', ['usr_without', 'usr_ann', 'usr_bob']);
    await world.work.settings.mute('usr_ann', ['key_banned']);
    await world.add('acc_1');
    await world.add('acc_1', { kind: 'member_added', userId: 'usr_bob' });
    await world.run();
    expect(world.recipients()).toEqual(['usr_bob', 'usr_ann', 'usr_bob']);
    expect(world.sent[1]?.text).toContain('usr_bob@example.com is now a member');
  });

  test('about a member who is gone, says who removed them, to all others', async () => {
    world.members.set('acc_1', ['usr_ann', 'usr_bob', 'usr_eve']);
    const made = [{ name: 'till' }, { name: 'CI', project: 'Shop' }];
    // They are a member again before it is sent.
    await world.add('acc_1', { kind: 'member_removed', userId: 'usr_bob', by: 'usr_eve', made, more: 2, revoked: false });
    await world.run();
    expect(world.recipients()).toEqual(['usr_ann', 'usr_eve']);
    expect(world.sent[0]?.text).toContain('usr_eve@example.com has removed usr_bob@example.com from the account “My shop”.');
    expect(world.sent[0]?.text).toContain('the key “till”, the deploy token “CI” of the project “Shop” and 2 more');
    await world.add('acc_1', { kind: 'member_removed', userId: 'usr_cat', by: OPERATOR, made: [], more: 0, revoked: false });
    await world.run();
    expect(world.sent.at(-1)?.text).toContain('The operator has removed usr_cat@example.com from the account “My shop”.');
  });

  test('sends later what was not accepted, with the same id, and only to those who are left', async () => {
    const notification = await world.add('acc_1');
    const tried: string[] = [];
    world.refuseWith(({ id, to }) => {
      tried.push(id);
      return to.startsWith('usr_bob') ? new MailRefusal('greylisted', false) : undefined;
    });
    expect(await world.run()).toEqual({ sent: 1, lost: 0 });
    expect(await world.entry(notification)).toMatchObject({ finished: false, done: ['usr_ann'] });
    await world.run();
    expect(tried).toHaveLength(2);
    world.clock.now += MINUTE_MS;
    world.refuseWith(({ id }) => void tried.push(id));
    await world.run();
    expect([world.recipients(), tried[2] === tried[1]]).toEqual([['usr_ann', 'usr_bob'], true]);
    expect(world.warnings).toEqual(['a message was not accepted, and will be sent again later: greylisted']);
  });

  test('does not repeat what is refused for good, nor does one address delay another', async () => {
    world.members.set('acc_1', ['usr_ann', 'usr_bob', 'usr_slow']);
    const notification = await world.add('acc_1');
    world.refuseWith(({ to }) => (to.startsWith('usr_ann') ? new MailRefusal('no such user', true) : undefined));
    expect(await world.run()).toEqual({ sent: 1, lost: 1 });
    expect(await world.entry(notification)).toMatchObject({ finished: false, done: ['usr_ann', 'usr_bob'] });
    expect(world.warnings.toSorted()).toEqual(['a message was refused permanently: no such user', 'the address of a member could not be found']);
  });

  test('a mail server that accepts nothing for a day holds up one message at a time; then all are sent within minutes', async () => {
    let isAway = true;
    const attempts: number[] = [];
    world.refuseWith(() => {
      attempts.push(world.clock.now);
      return isAway ? new MailRefusal('it says nothing', false, { isOutage: true }) : undefined;
    });
    const accounts = Array.from({ length: 120 }, (_, at) => `acc_${at + 10}`);
    for (const account of accounts) {
      world.members.set(account, [`usr_of_${account}`]);
      await world.add(account);
    }
    const pass = async (minutes: number) => {
      for (const end = world.clock.now + minutes * MINUTE_MS; world.clock.now < end; world.clock.now += 5_000) await world.run();
    };
    await pass(24 * 60);
    // One attempt a minute, and none beside it.
    expect(attempts.length).toBeGreaterThan(1_000);
    expect(attempts.length).toBeLessThan(1_500);
    // One line when it begins, and one an hour.
    expect(world.warnings.filter((line) => line.startsWith('the mail server accepts no messages')).length).toBeLessThan(30);
    isAway = false;
    await pass(10);
    expect(new Set(world.recipients()).size).toBe(accounts.length);
    expect(world.warnings.at(-1)).toBe('the mail server accepts messages again');
    expect(world.faults).toEqual([]);
  });

  test('gives up after two days, and says so', async () => {
    const notification = await world.add('acc_1');
    world.refuseWith(() => new MailRefusal('down', false));
    let attempts = 0;
    for (; !(await world.entry(notification)).finished && attempts < 4_000; attempts += 1) {
      await world.run();
      world.clock.now += MINUTE_MS;
    }
    expect(attempts * MINUTE_MS).toBeGreaterThanOrEqual(GIVE_UP_AFTER_MS);
    expect(attempts * MINUTE_MS).toBeLessThan(GIVE_UP_AFTER_MS + 70 * MINUTE_MS);
    expect(world.warnings.at(-1)).toContain('abandoned');
    expect(world.warnings.length).toBeLessThan(110);
  });

  test('of several workers at once, one sends', async () => {
    for (let n = 0; n < 5; n += 1) await world.add('acc_1');
    await Promise.all(Array.from({ length: 4 }, () => world.run()));
    expect(world.sent.map(({ id }) => id).length).toBe(10);
    expect(new Set(world.sent.map(({ id }) => id)).size).toBe(10);
  });

  test('continues after a worker that died; one that was only slow sends no more', async () => {
    const notification = await world.add('acc_1');
    const [due = expect.fail('none')] = await world.work.outbox.due(NOON, 1);
    await world.work.outbox.claim(due, NOON, NOON + CLAIM_MS);
    await world.run();
    expect(world.sent).toEqual([]);
    world.clock.now += CLAIM_MS;
    // While the first message is being sent, the claim runs out, and another worker takes over.
    let once = true;
    world.refuseWith(async () => {
      if (!once) return;
      once = false;
      world.clock.now += CLAIM_MS;
      await world.run();
    });
    await world.run();
    // The message that was under way comes twice, with one id.
    expect(world.recipients().toSorted()).toEqual(['usr_ann', 'usr_ann', 'usr_bob']);
    expect(new Set(world.sent.map(({ id }) => id)).size).toBe(2);
    expect(await world.entry(notification)).toMatchObject({ finished: true });
  });

  test('an accepted message that could not be recorded is not sent again by this process', async () => {
    await world.add('acc_1');
    const broken = { ...world.work.outbox, markDone: () => Promise.reject(new StoreFault('unavailable', 'disk full')) };
    await world.run(undefined, { outbox: broken });
    expect([world.recipients(), world.faults]).toEqual([['usr_ann'], [expect.any(StoreFault)]]);
    world.clock.now += CLAIM_MS;
    await world.run();
    expect(world.recipients()).toEqual(['usr_ann', 'usr_bob']);
    expect(world.work.accepted.size).toBe(0);
  });

  test('a large account is finished in several attempts', async () => {
    const members = Array.from({ length: 11 }, (_, n) => `usr_${String(n).padStart(2, '0')}`);
    world.members.set('acc_1', members);
    await world.add('acc_1');
    for (let minute = 0; minute < 30; minute += 1) {
      await world.run();
      world.clock.now += MINUTE_MS;
    }
    expect(world.recipients()).toEqual(members);
  });

  test('an account gets no more than its limit in an hour, and that does not delay others', async () => {
    world.members.set('acc_1', ['usr_ann']).set('acc_2', ['usr_bob']);
    for (let n = 0; n < 3 * MOST_PER_HOUR; n += 1) await world.add('acc_1');
    await world.add('acc_2');
    await world.run();
    expect(world.recipients().filter((to) => to === 'usr_ann')).toHaveLength(MOST_PER_HOUR);
    expect(world.recipients()).toContain('usr_bob');
    world.clock.now += 60 * MINUTE_MS;
    await world.run();
    expect(world.sent).toHaveLength(2 * MOST_PER_HOUR + 1);
  });

  test('a domain that flaps causes one message for its last state', async () => {
    const of = { projectId: 'prj_1', domainId: 'dom_1', host: 'www.shop.dev' };
    for (let n = 0; n < 20; n += 1) {
      await world.add('acc_1', n % 2 === 0 ? { kind: 'domain_live', ...of, again: true } : { kind: 'domain_degraded', ...of, advice: undefined });
      world.clock.now += 1;
    }
    await world.run();
    expect(world.sent.map(({ subject }) => subject)).toEqual(Array(2).fill('www.shop.dev no longer points here'));
  });

  test('a fault ends the work on one notification only; without time, nothing is begun', async () => {
    const { work } = world;
    await world.add('acc_1');
    world.members.set('acc_2', ['usr_cat']);
    await world.add('acc_2');
    await world.run(() => false);
    expect(world.sent).toEqual([]);
    const members = { membersOf: async (id: string) => (id === 'acc_1' ? Promise.reject(new Error('broken')) : work.members.membersOf(id)) };
    await world.run(undefined, { members });
    expect([world.recipients(), world.faults]).toEqual([['usr_cat'], [expect.objectContaining({ message: 'broken' })]]);
    world.refuseWith(() => new TypeError('a bug'));
    world.clock.now += CLAIM_MS;
    await world.run();
    expect(world.faults).toHaveLength(2);
  });

  test('a run whose time is up leaves the rest to the next', async () => {
    await world.add('acc_1');
    await world.run(() => world.sent.length === 0);
    expect(world.recipients()).toEqual(['usr_ann']);
    world.clock.now += MINUTE_MS;
    await world.run();
    expect(world.recipients()).toEqual(['usr_ann', 'usr_bob']);
  });
});

describe('an invitation', () => {
  let world: ReturnType<typeof makeWorld>;

  beforeEach(() => {
    world = makeWorld();
    world.members.set('acc_8sK2mPq4Zt', ['usr_ann']);
  });

  async function send(email = 'ben@example.com') {
    const { work, clock } = world;
    const request = { accountId: 'acc_8sK2mPq4Zt', email, role: 'member', invitedBy: 'usr_ann', mailed: true, now: clock.now } as const;
    const made = await invite(work, randomBytes, request);
    if (!made.ok) throw new Error(made.message);
    // The memory outbox is not that of the SQLite stores.
    const notification = invitationSent(made.invitation);
    await work.outbox.add(notification);
    return { ...made, notification };
  }
  const digestIn = ({ text }: Message) => parseInvitationToken(/#(petstore_invite_\w+)/.exec(text)?.[1] ?? '')?.digest;

  test('goes to its address alone, with a link that is good, and no way to turn it off', async () => {
    const { invitation } = await send();
    expect(await world.run()).toEqual({ sent: 1, lost: 0 });
    expect(await world.run()).toEqual({ sent: 0, lost: 0 });
    const [message = expect.fail('none')] = world.sent;
    expect(message).toMatchObject({ to: 'ben@example.com', settingsUrl: undefined });
    expect(message.text).toContain('usr_ann@example.com invites you to the account “My shop”, as a member.');
    expect((await world.work.invitations.getInvitation(invitation.id))?.digests).toEqual([digestIn(message)]);
    expect(message.html).toContain(`https://pets.example.com/invitation#petstore_invite_`);
  });

  test('that is sent again has the same id, and both links are good', async () => {
    const { invitation } = await send();
    const tried: Message[] = [];
    world.refuseWith((message) => {
      tried.push(message);
      return tried.length === 1 ? new MailRefusal('greylisted', false) : undefined;
    });
    await world.run();
    world.clock.now += MINUTE_MS;
    await world.run();
    expect(tried.map(({ id }) => id)).toEqual([tried[0]?.id, tried[0]?.id]);
    const { digests = [] } = (await world.work.invitations.getInvitation(invitation.id)) ?? {};
    expect([digests, new Set(digests).size]).toEqual([tried.map(digestIn), 2]);
  });

  test('is not sent once it is withdrawn, replaced or expired, or its sender is no longer an owner', async () => {
    const { invitation, notification } = await send();
    await withdrawInvitation(world.work.invitations, invitation.accountId, invitation.id);
    const replaced = await send('cat@example.com');
    await send('cat@example.com');
    expect(await world.run()).toEqual({ sent: 1, lost: 0 });
    expect(await world.entry(notification)).toMatchObject({ finished: true, sentAt: undefined });
    expect(await world.entry(replaced.notification)).toMatchObject({ finished: true, sentAt: undefined });
    await send();
    world.members.set('acc_8sK2mPq4Zt', []);
    expect(await world.run()).toEqual({ sent: 0, lost: 0 });
  });

  test('neither waits for the hour of the account’s news, nor takes from it', async () => {
    for (let n = 0; n < MOST_PER_HOUR + 2; n += 1) await send(`${n}@example.com`);
    for (let n = 0; n < MOST_PER_HOUR + 2; n += 1) await world.add('acc_8sK2mPq4Zt');
    await send();
    await world.run();
    expect(world.recipients().filter((name) => name === 'usr_ann')).toHaveLength(MOST_PER_HOUR);
    expect(world.sent).toHaveLength(2 * MOST_PER_HOUR + 3);
  });

  test('leaves no link in the log, even if a server quotes it', async () => {
    await send();
    world.refuseWith(({ text }) => new MailRefusal(`550 blocked: ${/https:\S+/.exec(text)?.[0]}`, true));
    expect(await world.run()).toEqual({ sent: 0, lost: 1 });
    expect(world.warnings).toEqual(['a message was refused permanently: 550 blocked: https://pets.example.com/invitation#petstore_invite_…']);
  });

  test.each(['=\r\n', '= ', ' '])('leaves none there if the server quotes it as it was sent, broken by %j', async (broken) => {
    await send();
    const quoted = (link: string, at: number) => `${link.slice(0, at)}${broken}${link.slice(at)}`;
    world.refuseWith(({ text }) => new MailRefusal(`451 ${quoted(/petstore_invite_\w+/.exec(text)?.[0] ?? '', 20)}, later`, false));
    await world.run();
    expect(world.warnings).toEqual(['a message was not accepted, and will be sent again later: 451 petstore_invite_…, later']);
  });

  test('whose sender’s address can’t be found out now is sent without it', async () => {
    const { work } = world;
    await send();
    await world.run(undefined, { addresses: { addressOf: () => Promise.reject(new Error('Cognito is slow')) } });
    expect(world.sent.map(({ text }) => text.includes('An owner invites you to the account “My shop”'))).toEqual([true]);
    expect(work.accepted.size).toBe(0);
  });
});

test('the survey adds each notification once, from all pages', async () => {
  const outbox = createMemoryOutbox();
  const page = (accountId: string, used: number, next?: string) => ({ items: [{ accountId, day: { used, limit: 10 }, bans: [] }], next });
  const survey = { usagePage: async (_now: number, after?: string) => (after === undefined ? page('acc_1', 8, 'more') : page('acc_2', 10)) };
  expect([await surveyUsage({ survey, outbox }, NOON), await surveyUsage({ survey, outbox }, NOON + 1)]).toEqual([2, 0]);
  expect((await outbox.due(NOON, 9)).map(({ notification: { event } }) => event.kind)).toEqual(['quota_warning', 'quota_used_up']);
});

test('the timers survey and send at once and again, report faults, and stop', async () => {
  vi.useFakeTimers();
  try {
    const world = makeWorld();
    world.members.set('acc_1', ['usr_ann']);
    let used = 8;
    const survey = { usagePage: async () => ({ items: [{ accountId: 'acc_1', day: { used, limit: 10 }, bans: [] }], next: undefined }) };
    const stop = startNotificationTimers({ ...world.work, survey }, (error) => void world.faults.push(error));
    await vi.advanceTimersByTimeAsync(1_500);
    expect(world.sent.map(({ subject }) => subject)).toEqual(['80% of the daily quota is used']);
    used = 10;
    await vi.advanceTimersByTimeAsync(62_000);
    expect(world.sent).toHaveLength(2);
    const due = vi.spyOn(world.work.outbox, 'due').mockRejectedValue(new StoreFault('unavailable', 'locked'));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(world.faults.length).toBeGreaterThan(0);
    await stop();
    due.mockClear();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(due).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
