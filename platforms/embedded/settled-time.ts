// The clock of background work on one machine (core/settled-clock.ts). It is stored once a minute, so that it continues after a restart.

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { prepareSelect } from '../../adapters/store/sqlite/database.ts';
import { guarded } from '../../adapters/store/sqlite/transaction.ts';
import type { AnswerStore } from '../../core/answers/ports.ts';
import { DAY_MS, MINUTE_MS } from '../../core/limits/windows.ts';
import type { Creation } from '../../core/pets/ports.ts';
import type { Stores } from '../../core/ports.ts';
import { createSettledClock } from '../../core/settled-clock.ts';
import { orNone } from '../platform.ts';

/** After a reboot, a clock that is at most this far ahead is trusted, because the machine may have been off. In milliseconds. */
const OFF_MS = 7 * DAY_MS;

export interface SettledTime {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  stop(): void;
}

interface Row {
  readonly at: number;
  readonly boot: string;
  readonly elapsed: number;
  readonly ahead_for: number | null;
}

/** Opens the clock. @param clock the machine's clock, in milliseconds since 1970 @param onJump called with the milliseconds that it jumped ahead */
export function openSettledTime(database: DatabaseSync, clock: () => number, onJump: (aheadMs: number) => void): SettledTime {
  const select = prepareSelect<Row>(database, 'SELECT at, boot, elapsed, ahead_for FROM settled_time');
  const write = database.prepare('INSERT OR REPLACE INTO settled_time (id, at, boot, elapsed, ahead_for) VALUES (1, ?, ?, ?, ?)');
  const elapsed = () => Math.floor(uptime() * 1_000);
  // Identifies the machine's current boot; empty if unknown.
  const boot = orNone(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '';
  const last = guarded(() => select.one());
  // After a reboot, it is unknown how long the machine was off.
  const isSameBoot = last !== undefined && last.boot === boot && boot !== '' && last.elapsed <= elapsed();
  const settled = createSettledClock({
    clock,
    elapsed,
    onJump,
    last: last && (isSameBoot ? [last.at, last.elapsed] : [last.at, elapsed()]),
    aheadForMs: last?.ahead_for ?? undefined,
    ...(!isSameBoot && { tolerance: OFF_MS }),
  });
  // If this fails, it is tried again in a minute; faults of the database are reported elsewhere.
  const store = () => void orNone(() => write.run(settled(), boot, elapsed(), settled.aheadForMs() ?? null));
  store();
  const timer = setInterval(store, MINUTE_MS);
  timer.unref();
  return {
    clock: settled,
    stop: () => {
      clearInterval(timer);
      store();
    },
  };
}

/** A folder's stores for repeatable requests. */
type RepeatableStores = Pick<Stores, 'pets'> & { readonly answers: AnswerStore };

/** Uses settled time (milliseconds since 1970) for the records of repeatable requests, so that a wrong clock makes none expire early or late. */
export function withSettledTime<Folder extends RepeatableStores>(folder: Folder, settled: () => number, clock: () => number): Folder {
  const { pets, answers } = folder;
  const moved = (creation: Creation): Creation => {
    const { idempotency } = creation;
    return idempotency === undefined
      ? creation
      : { ...creation, idempotency: { ...idempotency, expiresAt: idempotency.expiresAt - clock() + settled() } };
  };
  return {
    ...folder,
    pets: {
      ...pets,
      create: (creation, _now) => pets.create(moved(creation), settled()),
      createAll: (creations, _now) => pets.createAll(creations.map(moved), settled()),
    },
    answers: { ...answers, claim: (id, fingerprint, _now) => answers.claim(id, fingerprint, settled()) },
  };
}
