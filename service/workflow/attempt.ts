// One attempt to get a certificate, the first one or a renewal.

import * as z from 'zod';
import { isRecordCorrect } from '../../core/domains/diagnosis/diagnosis.ts';
import { canonicalAddress } from '../../core/domains/diagnosis/diagnosis-text.ts';
import type { AttemptFailure, Domain, SeenZone, ServedCertificate } from '../../core/domains/domain.ts';
import { isAtOrBelow } from '../../core/domains/host-name.ts';
import { type OrderPurpose, takeOrder } from '../../core/domains/order-budget.ts';
import { EdgeFault, type IssuedCertificate, NameInUse, type PublishResult } from '../../core/domains/ports.ts';
import { publicationOf } from '../../core/domains/publication.ts';
import { createZoneInspector } from '../../core/domains/records.ts';
import { renewalDueAt } from '../../core/domains/renewal.ts';
import { isServedState } from '../../core/domains/served.ts';
import type { Report } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { StoreFault } from '../../core/refusal.ts';
import { checkDns } from './check-dns.ts';

/** Returns the reference of a domain's certificate; undefined if it currently has none. */
export function certificateOf({ state }: Domain): string | undefined {
  return 'certificate' in state ? state.certificate : undefined;
}

/** Requests a certificate from the authority, if the budget allows it. */
export async function attempt(work: DomainWork, domain: Domain, requestId: string, purpose: OrderPurpose): Promise<Report> {
  const { host, accountId } = domain;
  const { isLimitedByDomain } = work.authority;
  const until = await takeOrder(work.orders, { host, accountId, purpose, isLimitedByDomain }, work.clock());
  if (until !== undefined) return { kind: 'attempt_failed', isOver: true, failure: 'queued', detail: '', retryAt: until };
  const replaces = purpose === 'renewal' ? certificateOf(domain) : undefined;
  return { kind: 'certificate_requested', certificate: await work.authority.request(host, requestId, replaces) };
}

/** Reports that an attempt is over. If the authority could not reach the domain, first checks whether the record is still right. */
export async function failed(work: DomainWork, domain: Domain, { failure, detail, address, retryAt }: AttemptFailure): Promise<Report> {
  const report = { kind: 'attempt_failed', isOver: true, failure, detail, retryAt } as const;
  if (failure !== 'validation' && failure !== 'caa') return report;
  const { diagnosis, zone, edge } = await checkDns(work, domain);
  // A served domain's record is checked separately; here, its failed renewal is reported in any case.
  if (!isRecordCorrect(diagnosis.code) && !isServedState(domain.state)) return { kind: 'dns_checked', diagnosis, zone };
  const isOurs = address === undefined || edge === undefined || edge.includes(canonicalAddress(address));
  return isOurs ? report : { ...report, address };
}

/** Returns the data stored about a certificate; undefined if the authority does not report its lifetime. */
export function servedOf(
  { authority }: Pick<DomainWork, 'authority'>,
  { id }: Domain,
  { life, issuer, window, askAgainAt, isForeign = false }: IssuedCertificate,
): ServedCertificate | undefined {
  if (life === undefined) return undefined;
  const renewAt = isForeign ? life.notBefore : authority.renewsAutomatically ? undefined : renewalDueAt(life, id, window);
  return {
    ...(issuer !== undefined && { issuer }),
    notBefore: life.notBefore,
    notAfter: life.notAfter,
    ...(renewAt !== undefined && { renewAt }),
    ...(askAgainAt !== undefined && { askAgainAt }),
  };
}

/** Attaches a certificate at the edge. @returns undefined if the edge has accepted it; otherwise a report (the edge may still accept it later) */
export async function attach(work: DomainWork, domain: Domain, certificate: string): Promise<Report | undefined> {
  try {
    await serve(work, domain, certificate);
    return undefined;
  } catch (error) {
    if (error instanceof StoreFault && !(error instanceof EdgeFault)) throw error;
    if (error instanceof NameInUse) return { kind: 'attempt_failed', isOver: false, failure: error.failure, detail: error.message };
    // Not shown to owners, because the message may name resources of the operator's account.
    work.warn?.(`${domain.host}: the edge did not accept it: ${error instanceof Error ? error.message : error}`);
    // The certificate may be the cause; if so, only another one helps.
    const status = await work.authority.check(certificate);
    if (status.kind === 'failed') return failed(work, domain, status);
    return { kind: 'attempt_failed', isOver: false, failure: 'edge_not_ready', detail: 'the edge did not accept the domain with its certificate' };
  }
}

/** Serves a domain with this certificate, unless it has been removed or suspended meanwhile. @throws the edge's reason for rejecting it */
export async function serve(work: DomainWork, domain: Domain, certificate: string): Promise<void> {
  await work.edge.attach(domain, () => publicationOf(work, domain.projectId), certificate);
}

// A request to publish a domain's records, from a function that may not change DNS itself.

/** Maximum length of a string in a TXT record, in characters (RFC 1035, section 3.3). */
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
 * Publishes the records. @throws Error if one is outside the domain, or points outside the edge: otherwise, callers could set records at other names
 * in the owner's zone, or point the owner's name elsewhere
 */
export function publishFor({ publisher, edgeHost }: Pick<DomainWork, 'publisher' | 'edgeHost'>, request: PublishRequest): Promise<PublishResult> {
  const { accountId, host, records } = request.publish;
  const outside = records.find(({ name }) => !isAtOrBelow(name, host));
  if (outside !== undefined) throw new Error(`${outside.type} ${outside.name}: got a record for another name; allowed: ${host} and names below it`);
  const foreign = records.find(({ type, value }) => type !== 'TXT' && !isAtOrBelow(value, edgeHost));
  if (foreign !== undefined) throw new Error(`${foreign.type} ${foreign.name}: got ${foreign.value}; allowed: a name below ${edgeHost}`);
  return publisher.publish(accountId, host, records);
}

// A request to find out who hosts a zone, from a function without access to the zones.

export const inspectRequestSchema = z.strictObject({ inspect: z.strictObject({ accountId: z.string(), host: z.string().max(253) }) });

/** Inspects the zone. @returns null if nothing was found */
export async function inspectFor(
  { dns, publisher }: Pick<DomainWork, 'dns' | 'publisher'>,
  { inspect: { accountId, host } }: z.infer<typeof inspectRequestSchema>,
): Promise<Omit<SeenZone, 'at'> | null> {
  return (await createZoneInspector(dns, publisher).inspect(accountId, host)) ?? null;
}
