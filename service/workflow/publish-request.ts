// A request to publish a domain's records, from a function that may not change DNS itself.

import * as z from 'zod';
import type { SeenZone } from '../../core/domains/domain.ts';
import { isAtOrBelow } from '../../core/domains/host-name.ts';
import type { PublishResult } from '../../core/domains/ports.ts';
import { createZoneInspector } from '../../core/domains/records.ts';
import type { DomainWork } from '../../core/domains/work.ts';

/** In characters: one string of a TXT record (RFC 1035, section 3.3). */
const LONGEST_VALUE = 255;

const record = z.strictObject({
  type: z.enum(['CNAME', 'ALIAS', 'TXT']),
  name: z.string(),
  value: z.string().max(LONGEST_VALUE),
  ttl: z.int().positive(),
});

export const publishRequestSchema = z.strictObject({
  publish: z.strictObject({ accountId: z.string(), host: z.string(), records: z.array(record).max(10) }),
});

export type PublishRequest = z.infer<typeof publishRequestSchema>;

/**
 * Publishes the records, if they are of a form that the domain needs: callers can't point an owner's name to another place, nor set
 * records at other names of the owner's zone.
 *
 * @throws Error for other records
 */
export function publishFor({ publisher, edgeHost }: Pick<DomainWork, 'publisher' | 'edgeHost'>, request: PublishRequest): Promise<PublishResult> {
  const { accountId, host, records } = request.publish;
  const outside = records.find(({ name }) => !isAtOrBelow(name, host));
  if (outside !== undefined) throw new Error(`${outside.type} ${outside.name}: got a record of another name; allowed: ${host} and names below it`);
  const foreign = records.find(({ type, value }) => type !== 'TXT' && !isAtOrBelow(value, edgeHost));
  if (foreign !== undefined) throw new Error(`${foreign.type} ${foreign.name}: got ${foreign.value}; allowed: a name below ${edgeHost}`);
  return publisher.publish(accountId, host, records);
}

// A request to find out who hosts a zone, from a function without access to the zones.

export const inspectRequestSchema = z.strictObject({ inspect: z.strictObject({ accountId: z.string(), host: z.string().max(253) }) });

/** Inspects the zone. @returns null if nothing was found out */
export async function inspectFor(
  { dns, publisher }: Pick<DomainWork, 'dns' | 'publisher'>,
  { inspect: { accountId, host } }: z.infer<typeof inspectRequestSchema>,
): Promise<Omit<SeenZone, 'at'> | null> {
  return (await createZoneInspector(dns, publisher).inspect(accountId, host)) ?? null;
}
