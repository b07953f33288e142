// How many domains there are, from counts that the database keeps: the cost does not depend on their number.

import type { DatabaseSync } from 'node:sqlite';
import { DOMAIN_STATES, type DomainStateName } from '../../../core/domains/states.ts';
import { prepareSelect } from './select.ts';
import { guarded } from './transaction.ts';

const HOUR_MS = 3_600_000;

export interface DomainCounts {
  /** Domains by state; a state without domains may be missing. */
  readonly byState: ReadonlyMap<string, number>;
  /** How many domains are served with a certificate that expires in this hour, by its beginning, in milliseconds since 1970. Ascending. */
  readonly byExpiry: readonly { readonly at: number; readonly domains: number }[];
}

interface Row {
  readonly state: string;
  readonly expiry_hour: number;
  readonly domains: number;
}

/** Creates a function that reads the counts. It throws a StoreFault if storage fails. */
export function createDomainCounts(database: DatabaseSync): () => DomainCounts {
  const select = prepareSelect<Row>(database, 'SELECT state, expiry_hour, domains FROM domain_counts WHERE domains > 0 ORDER BY expiry_hour');
  return () => {
    const byState = new Map<string, number>();
    const byHour = new Map<number, number>();
    for (const { state, expiry_hour: hour, domains } of guarded(() => select.all())) {
      byState.set(state, (byState.get(state) ?? 0) + domains);
      if (hour > 0 && DOMAIN_STATES[state as DomainStateName]?.served) byHour.set(hour, (byHour.get(hour) ?? 0) + domains);
    }
    return { byState, byExpiry: [...byHour].map(([hour, domains]) => ({ at: hour * HOUR_MS, domains })) };
  };
}
