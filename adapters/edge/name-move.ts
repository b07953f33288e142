// Moves a name to its domain's tenant from another distribution in this AWS account, without downtime: the tenant is ready, under a placeholder
// name, before CloudFront reassigns the real one. Source: CloudFront Developer Guide, "Move an alternate domain name".

import { setTimeout as sleep } from 'node:timers/promises';
import { type ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { type CloudFrontClient, type DomainConflict, paginateListDomainConflicts, UpdateDomainAssociationCommand } from '@aws-sdk/client-cloudfront';
import type { Domain } from '../../core/domains/domain.ts';
import type { CurrentPublication, EdgeMap } from '../../core/domains/ports.ts';
import type { Tenant, Tenants } from './cloudfront.ts';

export interface NameMovePorts {
  readonly cloudFront: CloudFrontClient;
  /** A client for us-east-1, the region of CloudFront's certificates. */
  readonly acm: ACMClient;
  readonly tenants: Tenants;
  readonly map: Pick<EdgeMap, 'publish'>;
  /** Milliseconds between two checks of the tenant. @default 15 s */
  readonly pollMs?: number;
}

export interface NameMove {
  readonly domain: Pick<Domain, 'id' | 'host' | 'projectId'>;
  /** An ACM certificate for the name and at least one other name, which becomes the placeholder. */
  readonly certificateArn: string;
  /** Returns what the edge should now serve for the domain's project. */
  readonly current: CurrentPublication;
}

/** The name can't be moved. The message says why, and nothing that visitors see has changed. */
export class NameNotMovable extends Error {
  override readonly name = 'NameNotMovable';
}

const POLL_MS = 15_000;
/** How many times to check whether a tenant has reached every edge location: half an hour in all. CloudFront takes minutes. */
const LOOKS = 120;

/**
 * Moves a name; a call after a fault resumes where the last one stopped. The domain's workflow then gives the tenant its certificate and removes the
 * placeholder. @param report gets each step, for the operator @returns false if the tenant already had the name @throws NameNotMovable, and AWS's
 * errors
 */
export async function moveName(ports: NameMovePorts, move: NameMove, report: (line: string) => void): Promise<boolean> {
  const { domain, current } = move;
  const { id, host, projectId } = domain;
  const tenant = await readyTenant(ports, move, report);
  if (hasName(tenant, host)) return false;

  const conflicts = await conflictsOf(ports.cloudFront, host, tenant);
  const source = conflicts.find(({ Domain: name }) => name === host);
  if (source === undefined) {
    const others = conflicts.map(({ Domain: name, ResourceId }) => `${name} (${ResourceId})`).join(', ');
    throw new NameNotMovable(
      `${host}: nothing at CloudFront has exactly this name${others === '' ? '' : `, only ${others}`}; petstore domains verify ${host} sets it up`,
    );
  }
  report(`${host} is served by ${source.ResourceType} ${source.ResourceId} of account ${source.AccountId}`);

  // This comes before the name moves, because requests for a host that the map does not have are refused.
  const publication = await current();
  if (publication === undefined) throw new NameNotMovable(`${host}: project ${projectId} has nothing to serve; is its account suspended?`);
  const withHost = async () => ({ ...((await current()) ?? publication), hosts: [host] });
  await ports.map.publish({ id: projectId }, withHost, [host]);
  report(`the edge maps ${host} to project ${projectId}`);

  // Passing the tenant's current version makes this call fail if the workflow changes the tenant meanwhile.
  const { Id, etag } = (await ports.tenants.get(id)) ?? tenant;
  await ports.cloudFront.send(new UpdateDomainAssociationCommand({ Domain: host, TargetResource: { DistributionTenantId: Id }, IfMatch: etag }));
  report(`${host} has moved to ${Id}`);
  return true;
}

/** Returns the domain's tenant once every edge location has it. Creates it with a placeholder if there is none. */
async function readyTenant(ports: NameMovePorts, { domain, certificateArn }: NameMove, report: (line: string) => void): Promise<Tenant> {
  const { tenants, pollMs = POLL_MS } = ports;
  if ((await tenants.get(domain.id)) === undefined) {
    const placeholder = await placeholderOf(ports.acm, certificateArn, domain.host);
    const created = await tenants.create({ id: domain.id, host: placeholder }, { certificateArn });
    if (created.kind !== 'created')
      throw new NameNotMovable(`the placeholder ${placeholder} can't be used${created.kind === 'taken' ? `: ${created.detail}` : ' yet'}`);
    report(`created the tenant of ${domain.host}, with the placeholder ${placeholder}`);
  }
  for (let look = 1; look <= LOOKS; look += 1) {
    const tenant = await tenants.get(domain.id);
    if (tenant === undefined) throw new NameNotMovable(`${domain.host}: its tenant was deleted meanwhile; is the domain being removed?`);
    if (tenant.Status === 'Deployed') return tenant;
    if (look === 1) report('waiting until every edge location has the tenant');
    await sleep(pollMs);
  }
  throw new NameNotMovable(`${domain.host}: its tenant is not at every edge location after ${(LOOKS * pollMs) / 60_000} minutes; run this again`);
}

/** Returns a name that a certificate covers besides the given one. */
async function placeholderOf(acm: ACMClient, CertificateArn: string, host: string): Promise<string> {
  const { Certificate } = await acm.send(new DescribeCertificateCommand({ CertificateArn }));
  const names = Certificate?.SubjectAlternativeNames ?? [];
  const problem = (is: string) => new NameNotMovable(`certificate ${CertificateArn} ${is}`);
  if (Certificate?.Status !== 'ISSUED') throw problem(`is ${Certificate?.Status ?? 'unknown'}; allowed: ISSUED`);
  if (!names.some((name) => covers(name, host))) throw problem(`covers ${names.join(', ')}, but not ${host}`);
  const other = names.find((name) => name !== host);
  if (other === undefined) throw problem(`covers only ${host}; it has to cover a second name, such as placeholder.${host}`);
  return other.replace('*', 'petstore-placeholder');
}

/** Whether a name in a certificate covers a host (RFC 6125, 6.4.3). */
function covers(name: string, host: string): boolean {
  return name === host || (name.startsWith('*.') && name.slice(1) === host.slice(host.indexOf('.')));
}

async function conflictsOf(client: CloudFrontClient, host: string, { Id }: Tenant): Promise<readonly DomainConflict[]> {
  const found: DomainConflict[] = [];
  const input = { Domain: host, DomainControlValidationResource: { DistributionTenantId: Id } };
  for await (const { DomainConflicts = [] } of paginateListDomainConflicts({ client }, input)) found.push(...DomainConflicts);
  return found;
}

function hasName({ Domains = [] }: Tenant, host: string): boolean {
  return Domains.some(({ Domain: name }) => name === host);
}
