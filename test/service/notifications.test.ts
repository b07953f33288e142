import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryNotificationSettings, createMemoryOutbox } from '../../adapters/store/memory/outbox.ts';
import type { Message } from '../../core/notifications/message.ts';
import type { Notification } from '../../core/notifications/notification.ts';
import { MailRefusal } from '../../core/notifications/ports.ts';
import { CLAIM_MS, GIVE_UP_AFTER_MS, MOST_PER_HOUR } from '../../core/notifications/schedule.ts';
import { StoreFault } from '../../core/store-fault.ts';
import { type DeliveryWork, deliver } from '../../service/notifications/deliver.ts';
import { surveyUsage } from '../../service/notifications/survey.ts';
import { startNotificationTimers } from '../../service/notifications/timers.ts';
import { NOON, sampleAccount } from '../support/samples.ts';

const MINUTE_MS = 60_000;

function makeWorld() {
  const clock = { now: NOON };
  const members = new Map<string, string[]>();
  const sent: Message[] = [];
  const warnings: string[] = [];
  const faults: unknown[] = [];
  let refusal: (message: Message) => unknown = () => undefined;
  const work: DeliveryWork = {
    outbox: createMemoryOutbox(),
    settings: createMemoryNotificationSettings(),
    accounts: { getAccount: async (id) => ({ ...sampleAccount(), id, name: 'My shop' }), getKey: async () => ({ name: 'laptop' }) as never },
    projects: { getProject: async () => ({ name: 'Shop' }) as never },
    members: { membersOf: async (accountId) => (members.get(accountId) ?? []).map((userId) => ({ userId, role: 'owner' as const })) },
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
    warn: (message) => void warnings.push(message),
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

  test('leaves out members who have turned the kind off, and those without an address', async () => {
    world.members.set('acc_1', ['usr_without', 'usr_ann', 'usr_bob']);
    await world.work.settings.mute('usr_ann', ['key_banned']);
    await world.add('acc_1');
    await world.add('acc_1', { kind: 'member_added', userId: 'usr_bob' });
    await world.run();
    expect(world.recipients()).toEqual(['usr_bob', 'usr_ann', 'usr_bob']);
    expect(world.sent[1]?.text).toContain('usr_bob@example.com is now a member');
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
    expect(world.warnings).toEqual(['a message was not accepted, and is sent again later']);
  });

  test('does not repeat what is refused for good, nor does one address delay another', async () => {
    world.members.set('acc_1', ['usr_ann', 'usr_bob', 'usr_slow']);
    const notification = await world.add('acc_1');
    world.refuseWith(({ to }) => (to.startsWith('usr_ann') ? new MailRefusal('no such user', true) : undefined));
    expect(await world.run()).toEqual({ sent: 1, lost: 1 });
    expect(await world.entry(notification)).toMatchObject({ finished: false, done: ['usr_ann', 'usr_bob'] });
    expect(world.warnings.toSorted()).toEqual(['a message was refused for good', 'the address of a member could not be found out']);
  });

  test('gives up after a day, and says so', async () => {
    const notification = await world.add('acc_1');
    world.refuseWith(() => new MailRefusal('down', false));
    let attempts = 0;
    for (; !(await world.entry(notification)).finished && attempts < 3_000; attempts += 1) {
      await world.run();
      world.clock.now += MINUTE_MS;
    }
    expect(attempts * MINUTE_MS).toBeGreaterThanOrEqual(GIVE_UP_AFTER_MS);
    expect(attempts * MINUTE_MS).toBeLessThan(GIVE_UP_AFTER_MS + 70 * MINUTE_MS);
    expect(world.warnings.at(-1)).toContain('given up');
    expect(world.warnings.length).toBeLessThan(70);
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
    expect(world.sent.map(({ subject }) => subject)).toEqual(['80 % of the daily quota is used']);
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
