import { expect } from 'vitest';

/**
 * Checks responses to requests of one account, in whichever minutes they were made: no minute admitted more than its limit, and each that refused one
 * admitted exactly that. On a busy machine the store of an emulated stage may take longer than the function waits: the request then gets a 503, and may
 * have been counted.
 *
 * @returns the bounds of what was counted
 */
export function expectAdmitted(responses: readonly Response[], limit: number): { readonly least: number; readonly most: number } {
  const of = (status: number) => responses.filter((response) => response.status === status);
  const [admitted, refused, unanswered] = [of(200), of(429), of(503).length];
  expect(admitted.length + refused.length + unanswered).toBe(responses.length);
  if (process.env.E2E_URL === undefined) expect(unanswered).toBe(0);
  const minuteOf = ({ headers }: Response) => headers.get('x-ratelimit-reset');
  const inMinute = Map.groupBy(admitted, minuteOf);
  for (const each of inMinute.values()) expect(each.length).toBeLessThanOrEqual(limit);
  expect(refused.length).toBeGreaterThan(0);
  for (const minute of new Set(refused.map(minuteOf))) expect((inMinute.get(minute)?.length ?? 0) + unanswered).toBeGreaterThanOrEqual(limit);
  return { least: admitted.length, most: admitted.length + unanswered };
}
