import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { openSettledTime, withSettledTime } from '../../platforms/embedded/settled-time.ts';
import { NOON } from '../../testing/samples.ts';
import { makeInstallation } from '../support/folders.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

const folder = makeInstallation();
let stores: SqliteStores;
let machine: number;
let jumps: number[];

const open = () =>
  openSettledTime(
    stores.database,
    () => machine,
    (ahead) => jumps.push(ahead),
  );

beforeEach(() => {
  stores = openSqliteStores(folder.path);
  stores.database.exec('DELETE FROM settled_time');
  [machine, jumps] = [NOON, []];
});
afterEach(() => stores.close());

test('a machine that starts with a clock a year ahead continues with the time of before', () => {
  const first = open();
  expect(first.clock()).toBe(NOON);
  first.stop();
  machine = NOON + YEAR_MS;
  const second = open();
  second.stop();
  expect(Math.abs(second.clock() - NOON)).toBeLessThan(60_000);
  expect(jumps).toHaveLength(1);
});

test('after a boot, a week may have passed, and not a year', () => {
  const write = () =>
    stores.database.prepare('INSERT OR REPLACE INTO settled_time (id, at, boot, elapsed) VALUES (1, ?, ?, ?)').run(NOON, 'another', 1);
  write();
  machine = NOON + 6 * DAY_MS;
  const away = open();
  away.stop();
  expect([away.clock(), jumps]).toEqual([machine, []]);
  write();
  machine = NOON + YEAR_MS;
  const wrong = open();
  wrong.stop();
  expect(Math.abs(wrong.clock() - NOON)).toBeLessThan(60_000);
});

test('a database that can’t be written ends nothing', () => {
  stores.database.exec('PRAGMA query_only = 1');
  const time = open();
  time.stop();
  expect(time.clock()).toBe(NOON);
});

test('what makes requests repeatable ends by the settled time', async () => {
  const [claims, creations]: [unknown[], unknown[]] = [[], []];
  const { pets, answers } = withSettledTime(
    {
      pets: {
        create: async (...args: unknown[]) => void creations.push(args),
        createAll: async (...args: unknown[]) => void creations.push(args),
      },
      answers: { claim: async (...args: unknown[]) => void claims.push(args) },
    } as never as Parameters<typeof withSettledTime>[0],
    () => NOON,
    () => NOON + YEAR_MS,
  );
  const creation = { pet: 1, idempotency: { key: 'k', expiresAt: NOON + YEAR_MS + DAY_MS } } as never;
  await pets.create(creation, NOON + YEAR_MS);
  await pets.createAll([creation, { pet: 2 } as never], NOON + YEAR_MS);
  await answers.claim('id', 'fingerprint', NOON + YEAR_MS);
  const moved = { pet: 1, idempotency: { key: 'k', expiresAt: NOON + DAY_MS } };
  expect(creations).toEqual([
    [moved, NOON],
    [[moved, { pet: 2 }], NOON],
  ]);
  expect(claims).toEqual([['id', 'fingerprint', NOON]]);
});
