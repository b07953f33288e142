// Requests to the control API, by user and minute.

import { type MinuteCounter, windowsAt } from 'petstore-platform';
import type { Database, Statement } from './database.ts';

/** The previous minute is kept too, for a host whose clock is behind. */
const COUNT: Statement = {
  name: 'user_request',
  text: `WITH dropped AS (DELETE FROM user_requests WHERE key = $1 AND minute < $2::bigint - 1)
    INSERT INTO user_requests AS known (key, minute, requests) SELECT $1, $2::bigint, 1 WHERE $3::bigint >= 1
    ON CONFLICT (key, minute) DO UPDATE SET requests = known.requests + 1 WHERE known.requests < $3::bigint RETURNING requests`,
};

/** Creates the counter. */
export function createUserRequests(database: Database): MinuteCounter {
  return {
    count: async (key, limit, now) => {
      const [row] = await database.query<{ requests: bigint }>(COUNT, [key, windowsAt(now).minute, limit]);
      return row === undefined ? undefined : Number(row.requests);
    },
  };
}
