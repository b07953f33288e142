// Tracks whether the service is reachable: from failing requests, from occasional checks when there are no requests, and from frequent checks while
// it is unreachable. When the service is back, everything is read again.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Trouble, troubleOf } from '../../core/http/api-error.ts';

import { useReadMe } from './queries.ts';

/** Interval between checks while the service is unreachable, in milliseconds. */
const RECOVERY_MS = 2_000;
/**
 * Interval between checks from an idle page, in milliseconds; they request a file, so that they cost next to nothing and don't keep a session
 * alive.
 */
const HEARTBEAT_MS = 10_000;

export type Connection = 'there' | Trouble;

/** Returns the connection's state, and rechecks it while mounted. */
export function useConnection(): Connection {
  const client = useQueryClient();
  const readMe = useReadMe();
  const [connection, setConnection] = useState<Connection>('there');

  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query }) => {
        const { fetchFailureCount, fetchFailureReason } = query.state;
        if (fetchFailureCount > 0) setConnection((current) => troubleOf(fetchFailureReason) ?? current);
      }),
    [client],
  );

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let over = false;
    const look = async () => {
      const found = document.visibilityState === 'visible' ? await ask().catch(troubleOf) : undefined;
      // Another request may have updated the state in the meantime.
      if (over) return;
      if (found !== undefined) setConnection(found);
      timer = setTimeout(look, waitMs);
    };
    const ask = async (): Promise<Connection> => {
      if (connection === 'there') {
        await fetch('/dashboard/config.json', { method: 'HEAD', cache: 'no-store' });
        return 'there';
      }
      await readMe();
      await client.invalidateQueries();
      const failing = client
        .getQueryCache()
        .findAll({ type: 'active' })
        .map(({ state }) => troubleOf(state.fetchFailureReason));
      return failing.find((each) => each !== undefined) ?? 'there';
    };
    const waitMs = connection === 'there' ? HEARTBEAT_MS : RECOVERY_MS;
    timer = setTimeout(look, waitMs);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [connection, client, readMe]);
  return connection;
}
