// The whole platform on three hosts that share one PostgreSQL. `HOSTS=full` also runs them for ten minutes, in which one is killed every 20 seconds,
// and measures what a request needs (postgres.packed.ts).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { signIn, type Tokens } from '../support/sign-in.ts';
import { isThere, startThreeHosts, type ThreeHosts } from './three-hosts.ts';

describe.skipIf(!isThere)('three hosts', () => {
  let all: ThreeHosts;

  beforeAll(async () => {
    all = await startThreeHosts();
  });
  afterAll(() => all.stop());

  test('a session of one is valid at all; ended at one, it has ended at all', async () => {
    const { hosts, origin, credentials, session, sql, call } = all;
    const statusesOf = (token: Tokens) =>
      Promise.all(
        hosts.map(async ({ url }) => (await fetch(`${url}/dashboard/v1/me`, { headers: { authorization: `Bearer ${token.access_token}` } })).status),
      );
    const other = await signIn(origin, ...credentials);
    expect([await statusesOf(session.tokens), await statusesOf(other)]).toEqual([
      [200, 200, 200],
      [200, 200, 200],
    ]);
    expect((await call(hosts[2], 'POST', '/me/sessions/end', {})).status).toBe(200);
    expect([await statusesOf(session.tokens), await statusesOf(other)]).toEqual([
      [200, 200, 200],
      [401, 401, 401],
    ]);
    // All hosts were started at once, and one has made the account.
    expect(sql('SELECT count(*) FROM accounts')[0]).toBe('1');
  });

  test('500 requests at once to all, with a limit of 60: exactly 60 are admitted', async () => {
    const { hosts, petstore } = all;
    const { key } = await petstore(
      'keys',
      'issue',
      '--account',
      (await petstore('accounts', 'create', '--name', 'Load', '--plan', 'enterprise', '--per-minute', '60', '--per-day', '1000')).accountId,
    );
    // The minute must not end meanwhile.
    if (60_000 - (Date.now() % 60_000) < 20_000) await new Promise((resolve) => setTimeout(resolve, 20_500));
    const statuses = await Promise.all(
      Array.from(
        { length: 500 },
        async (_, n) => (await fetch(`${hosts[n % 3]?.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status,
      ),
    );
    const counts = Map.groupBy(statuses, (status) => status);
    expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([60, 440]);
  });

  test('a domain that was added through one gets live, and is served by all three with the same certificate', async () => {
    const { hosts, visitors, pebble, visit, statesOf, add } = all;
    await add(hosts[0], 'www.first.test');
    await eventually(
      () => statesOf(hosts[2]),
      (states) => expect(states).toEqual(['www.first.test live']),
    );
    const visits = await Promise.all([...hosts.map(({ ports }) => ports.https), visitors].map((port) => visit(port, 'www.first.test')));
    expect(visits).toEqual(Array(4).fill({ serial: visits[0]?.serial, page: 'hello from the shop' }));
    expect(pebble.orders()).toBe(1);
  });

  test('two are killed while domains are added: none is lost, none is ordered twice, and no mail is sent twice', async () => {
    const { hosts, pebble, smtp, sql, visit, statesOf, add } = all;
    // An account gets ten emails an hour.
    const names = Array.from({ length: 8 }, (_, n) => `www.shop${n}.test`);
    // Orders take longer for now, so that several hosts have work at a time, at least one of which is killed.
    sql('CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN new; END $$');
    sql('CREATE TRIGGER slow BEFORE INSERT ON acme_challenges FOR EACH ROW EXECUTE FUNCTION slow()');
    const adding = Promise.all(names.map((name) => add(hosts[0], name)));
    for (const end = Date.now() + 60_000; Number(sql('SELECT count(DISTINCT host) FROM leases')[0]) < 2; ) {
      expect(Date.now()).toBeLessThan(end);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await Promise.all(hosts.slice(1).map((host) => host.kill()));
    // An order that was sent, but whose URL was not stored before the kill, is sent again. Pebble then creates another one.
    const unstored = Number(sql('SELECT count(*) FROM acme_orders WHERE url IS NULL')[0]);
    await adding;
    sql('DROP TRIGGER slow ON acme_challenges');
    await eventually(
      () => statesOf(hosts[0]),
      (states) => expect(states.toSorted()).toEqual(['www.first.test', ...names].map((name) => `${name} live`).toSorted()),
    );
    for (const name of names) expect((await visit(hosts[0].ports.https, name)).page).toBe('hello from the shop');
    expect(sql('SELECT count(*) FROM acme_failures')[0]).toBe('0');
    expect(pebble.orders()).toBeGreaterThanOrEqual(1 + names.length);
    expect(pebble.orders()).toBeLessThanOrEqual(1 + names.length + unstored);
    // What a killed host was about to send is due after five minutes: the time is moved on.
    await eventually(
      async () => sql('UPDATE notifications SET due_at = 0 WHERE due_at IS NOT NULL RETURNING id').filter((id) => id.startsWith('domain')),
      (left) => expect(left).toEqual([]),
    );
    // A message that is sent again has the same id, by which receivers recognize it.
    const mails = Map.groupBy(smtp.mails, ({ subject }) => subject);
    for (const name of ['www.first.test', ...names])
      expect([name, new Set(mails.get(`${name} is live`)?.map(({ id }) => id)).size]).toEqual([name, 1]);
    expect(new Set(smtp.mails.map(({ id }) => id)).size).toBe(1 + names.length);
  });
});

const longRun = process.env.HOSTS === 'full' ? describe : () => {};
longRun('three hosts of which one is killed every 20 seconds, for ten minutes', () => {
  /** Of certificates: they are renewed when a third of this is left. */
  const VALID_SECONDS = 240;
  let all: ThreeHosts;

  beforeAll(async () => {
    all = await startThreeHosts(VALID_SECONDS);
  });
  afterAll(() => all.stop());

  test('nothing is lost, ordered twice or sent twice, and sites are served throughout', { timeout: 1_200_000 }, async () => {
    const { origin, visitors, session, projectId, pebble, smtp, sql, petstore, visit } = all;
    const hosts = [...all.hosts];
    const { accountId } = await petstore(
      'accounts',
      'create',
      '--name',
      'Load',
      '--plan',
      'enterprise',
      '--per-minute',
      '100000',
      '--per-day',
      '1000000',
    );
    const { key } = await petstore('keys', 'issue', '--account', accountId);
    const end = Date.now() + 600_000;
    const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

    // A client sends again what had no answer, as a browser does for what is safe to repeat; an addition has a key.
    let [answered, repeated] = [0, 0];
    const send = async (path: string, init: RequestInit & { headers: Record<string, string> }) => {
      for (let tries = 0; tries < 20; tries += 1) {
        const response = await fetch(`${origin}${path}`, init).catch(() => undefined);
        if (response !== undefined && response.status < 500) {
          answered += 1;
          return { status: response.status, json: (await response.json()) as Record<string, string> };
        }
        repeated += 1;
        await response?.arrayBuffer();
        await sleep(100);
      }
      throw new Error(`no answer for ${init.method} ${path}`);
    };
    const created: string[] = [];
    const creator = async (n: number) => {
      for (let turn = 0; Date.now() < end; turn += 1, await sleep(50)) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': `"${n}-${turn}"` };
        const { status, json } = await send('/v1/pets', {
          method: 'POST',
          headers,
          body: JSON.stringify({ name: `Bella ${n} ${turn}`, categoryId: 1 }),
        });
        expect(status).toBe(201);
        created.push(String(json.id));
      }
    };
    const names: string[] = [];
    const owner = async () => {
      const headers = { authorization: `Bearer ${session.tokens.access_token}`, 'content-type': 'application/json' };
      // An account gets ten emails an hour, and has one for each domain.
      for (let n = 0; n < 9; n += 1, await sleep(45_000)) {
        const host = `www.shop${n}.test`;
        const add = { method: 'POST', headers: { ...headers, 'idempotency-key': `"add-${n}"` }, body: JSON.stringify({ host }) };
        const { domainId } = (await send(`/dashboard/v1/projects/${projectId}/domains`, add)).json;
        for (const step of ['publish', 'verify'])
          await send(`/dashboard/v1/projects/${projectId}/domains/${domainId}/${step}`, { method: 'POST', headers });
        names.push(host);
      }
    };
    // From when it was first served, each visit must succeed; a browser repeats one whose connection was lost.
    const serials = new Map<string, Set<string>>();
    const dark: string[] = [];
    let isOver = false;
    const visitor = async () => {
      for (; !isOver; await sleep(200))
        for (const name of names) {
          const seen = await visit(visitors, name).catch(() => visit(visitors, name).catch(() => undefined));
          if (seen?.page === 'hello from the shop') serials.set(name, (serials.get(name) ?? new Set()).add(seen.serial));
          else if (serials.has(name)) dark.push(`${new Date().toISOString()} ${name} ${JSON.stringify(seen)}`);
        }
    };
    let kills = 0;
    const killer = async () => {
      for (let n = 0; Date.now() < end; n = (n + 1) % 3, kills += 1) {
        await sleep(20_000);
        await hosts[n]?.kill();
        await sleep(5_000);
        hosts[n] = (await hosts[n]?.start()) as (typeof hosts)[number];
      }
    };
    const visits = visitor();
    await Promise.all([creator(1), creator(2), creator(3), owner(), killer()]);
    // Renewals go on: at some moment, each order has led to a certificate that a visitor has seen.
    const certificates = () => [...serials.values()].reduce((sum, each) => sum + each.size, 0);
    const failures = () => Number(sql('SELECT count(*) FROM acme_failures')[0]);
    const counts = await eventually(
      async () => ({ orders: pebble.orders(), certificates: certificates(), failed: failures() }),
      ({ orders, ...found }) => expect(found.certificates + found.failed).toBe(orders),
    );
    isOver = true;
    await visits;

    const missing: string[] = [];
    for (const id of created)
      if ((await send(`/v1/pets/${id}`, { method: 'GET', headers: { authorization: `Bearer ${key}` } })).status !== 200) missing.push(id);
    const mails = Map.groupBy(smtp.mails, ({ subject }) => subject);
    const twice = names.filter((name) => new Set(mails.get(`${name} is live`)?.map(({ id }) => id)).size > 1);
    console.log(
      `${kills} kills: ${answered} requests answered, ${repeated} repeated; ${created.length} created, ${missing.length} missing; ${names.length} domains, ` +
        `${JSON.stringify(counts)}; ${dark.length} dark visits; ${smtp.mails.length} mails`,
    );
    expect([missing, twice, dark]).toEqual([[], [], []]);
    expect(new Set(created).size).toBe(created.length);
    expect([...serials.keys()].toSorted()).toEqual(names.toSorted());
  });
});
