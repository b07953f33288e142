// Is the service there? Told by what fails, asked now and then while nothing else is, and asked often while it is away; when it is back,
// everything is read again.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Trouble, troubleOf } from './failures.ts';
import { useReadMe } from './queries.ts';

/** How often it is asked whether the service is back, in milliseconds. */
const RECOVERY_MS = 2_000;
/** How often a page at rest asks whether the service is there; a file, so that it costs next to nothing and keeps no session alive. */
const HEARTBEAT_MS = 10_000;

export type Connection = 'there' | Trouble;

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
      // Something else may have told more while this was asked.
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
