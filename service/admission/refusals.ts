// Refusals are counted in the process that makes them, and reported to storage in batches: after a few seconds, even without further requests, or
// sooner if there are many. A process that is killed, or frozen during a report, loses unreported refusals, but no decision depends on these.

import { BoundedMap } from '../../core/bounded-map.ts';
import type { UsageStore } from '../../core/limits/ports.ts';

/** Refusals within this time are reported together, in milliseconds. */
const REPORT_AFTER_MS = 2_000;
/** Refusals are reported at once if they reach this number, and this share of those just reported: a Lambda function may stay frozen for long. */
const REPORT_AT_ONCE = 8;
const REPORT_SHARE = 1 / 8;
/** Maximum time that a refusal waits for its report, in milliseconds: a Lambda function is frozen once it has responded, and storage may be slow. */
const WAIT_MS = 20;
/** Maximum number of accounts whose refusals a process remembers. */
const REMEMBERED_ACCOUNTS = 10_000;

/** Runs a function after the given number of milliseconds, unless the process ends first. */
export type Later = (milliseconds: number, work: () => Promise<void> | void) => void;

interface Refused {
  unreported: number;
  reported: number;
  /** Time of the last report, in milliseconds since 1970. */
  at: number;
}

export interface Refusals {
  /** Counts a refusal that is about to be sent. Never rejects; resolves within 20 ms, usually at once. */
  count(accountId: string, now: number): Promise<void> | void;
}

/** Creates the refusal counter. */
export function createRefusals(usage: Pick<UsageStore, 'countRefusals'>, later: Later): Refusals {
  const accounts = new BoundedMap<string, Refused>(REMEMBERED_ACCOUNTS);

  function report(accountId: string, refused: Refused): Promise<void> {
    const count = refused.unreported;
    refused.unreported = 0;
    refused.reported += count;
    // Not repeated after a fault: the refusals may have been counted, and a second report would count them twice.
    return usage.countRefusals(accountId, count, refused.at).catch(() => {});
  }

  return {
    count: (accountId, now) => {
      let refused = accounts.get(accountId);
      if (refused === undefined) {
        const added: Refused = { unreported: 0, reported: 0, at: now };
        accounts.set(accountId, added);
        later(REPORT_AFTER_MS, () => {
          if (accounts.get(accountId) === added) accounts.delete(accountId);
          return added.unreported > 0 ? report(accountId, added) : undefined;
        });
        refused = added;
      }
      refused.unreported += 1;
      refused.at = now;
      return refused.unreported >= Math.max(REPORT_AT_ONCE, refused.reported * REPORT_SHARE) ? briefly(report(accountId, refused)) : undefined;
    },
  };
}

function briefly(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, WAIT_MS);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
