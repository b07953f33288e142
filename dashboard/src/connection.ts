// Tracks whether the service is reachable, by requests or, while there are none, by checks. Once it is back, everything is read again.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Trouble, troubleOf } from '../../core/http/api-error.ts';
import { useReadMe } from './queries.ts';

/** Intervals between checks while the service is unreachable, in milliseconds: each is twice as long as the previous one. */
const RECOVERY_MS = { first: 2_000, longest: 15_000 } as const;
/** Interval between an idle page's checks, in milliseconds. They request a file, which costs almost nothing and keeps no session alive. */
const HEARTBEAT_MS = 30_000;

export type Connection = 'there' | Trouble;

/** Returns the connection's state, and rechecks it while mounted. */
export function useConnection(): Connection {
  const client = useQueryClient();
  const readMe = useReadMe();
  const [connection, setConnection] = useState<Connection>('there');
  /** When the last successful read ended, in milliseconds since 1970. */
  const lastReadAt = useRef(0);

  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query }) => {
        const { fetchFailureCount, fetchFailureReason, dataUpdatedAt } = query.state;
        lastReadAt.current = Math.max(lastReadAt.current, dataUpdatedAt);
        if (fetchFailureCount > 0) setConnection((current) => troubleOf(fetchFailureReason) ?? current);
      }),
    [client],
  );

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let over = false;
    let isLooking = false;
    let waitMs: number = connection === 'there' ? HEARTBEAT_MS : RECOVERY_MS.first;
    const look = async () => {
      const sinceRead = Date.now() - lastReadAt.current;
      if (connection === 'there' && sinceRead < HEARTBEAT_MS) return wait(HEARTBEAT_MS - sinceRead);
      isLooking = true;
      const found = document.visibilityState === 'visible' ? await ask().catch(troubleOf) : undefined;
      isLooking = false;
      // Another request may have updated the state in the meantime.
      if (over) return;
      if (found !== undefined) setConnection(found);
      if (connection !== 'there') waitMs = Math.min(2 * waitMs, RECOVERY_MS.longest);
      wait(waitMs);
    };
    const wait = (ms: number) => {
      timer = setTimeout(look, ms);
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
    // The page may be out of date, so the service is queried as soon as the user returns or the network is back.
    const onVisible = () => {
      if (document.visibilityState !== 'visible' || isLooking) return;
      clearTimeout(timer);
      void look();
    };
    const onOffline = () => setConnection('away');
    wait(waitMs);
    document.addEventListener('visibilitychange', onVisible);
    addEventListener('online', onVisible);
    addEventListener('offline', onOffline);
    return () => {
      over = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
      removeEventListener('online', onVisible);
      removeEventListener('offline', onOffline);
    };
  }, [connection, client, readMe]);
  return connection;
}
