// A request to find out who hosts a zone, from a function without access to the zones.

import * as z from 'zod';
import type { SeenZone } from '../../core/domains/domain.ts';
import { createZoneInspector } from '../../core/domains/records.ts';
import type { DomainWork } from '../../core/domains/work.ts';

export const inspectRequestSchema = z.strictObject({ inspect: z.strictObject({ accountId: z.string(), host: z.string().max(253) }) });

/** Inspects the zone. @returns null if nothing was found out */
export async function inspectFor(
  { dns, publisher }: Pick<DomainWork, 'dns' | 'publisher'>,
  { inspect: { accountId, host } }: z.infer<typeof inspectRequestSchema>,
): Promise<Omit<SeenZone, 'at'> | null> {
  return (await createZoneInspector(dns, publisher).inspect(accountId, host)) ?? null;
}
