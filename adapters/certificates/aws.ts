// Certificates on AWS, validated with a DNS record that we write if we control the owner's zone, otherwise by CloudFront over HTTP.

import { type ACMClient, DeleteCertificateCommand, paginateListCertificates } from '@aws-sdk/client-acm';
import type { ManagedCertificateDetails } from '@aws-sdk/client-cloudfront';
import { domainIdOf } from '../../core/domains/attempts.ts';
import type { CertificateAuthority, CertificateStatus } from '../../core/domains/ports.ts';
import { unlessNamed } from '../aws-errors.ts';
import type { Zone } from '../dns/route53-zones.ts';
import type { Tenants } from '../edge/cloudfront.ts';
import { asSilence, type DnsValidatedAuthority, describeCertificate, failureOf, statusOf } from './acm-dns.ts';

/** Names that allow Amazon in a CAA record (ACM User Guide, "Configure a CAA record"). */
const ISSUER_NAMES = ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com'];

export interface AwsAuthorityOptions {
  readonly managed: Pick<CertificateAuthority, 'request' | 'check' | 'release'>;
  readonly dnsValidated: DnsValidatedAuthority;
  /** Returns a host's zone, or undefined if we don't control it. */
  readonly zoneOf: (host: string) => Promise<Zone | undefined>;
}

/** Creates the authority that chooses between the two validation methods for each host. */
export function createAwsAuthority({ managed, dnsValidated, zoneOf }: AwsAuthorityOptions): CertificateAuthority {
  async function request(host: string, requestId: string): Promise<string> {
    const zone = await zoneOf(host);
    return zone === undefined ? managed.request(host, requestId) : dnsValidated.request(host, requestId, zone);
  }

  async function prepare(host: string, requestId: string): Promise<void> {
    const zone = await zoneOf(host);
    if (zone !== undefined) await dnsValidated.request(host, requestId, zone);
  }

  return {
    caaIdentity: async () => ({ issuers: ISSUER_NAMES }),
    renewsAutomatically: true,
    isLimitedByDomain: false,
    prepare: (host, requestId) => prepare(host, requestId).catch(asSilence),
    request: (host, requestId) => request(host, requestId).catch(asSilence),
    unused: dnsValidated.unused,
    check: (reference) => (reference.startsWith('arn:') ? dnsValidated : managed).check(reference).catch(asSilence),
    release: async (domain, except) => {
      await dnsValidated.release(domain, except);
      await managed.release(domain);
    },
  };
}

// Certificates of tenants. CloudFront requests, validates (over HTTP) and renews them, so the owner needs only one DNS record.

const PREFIX = 'cloudfront:';
/** Maximum number of certificates per ListCertificates call (API reference). */
const MOST_PER_PAGE = 1_000;

/** Creates the part of the AWS authority that leaves request, validation and renewal to CloudFront. */
export function createManagedAuthority(acm: ACMClient, tenants: Tenants): Pick<CertificateAuthority, 'request' | 'check' | 'release'> {
  /** Deletes a certificate unless ACM reports that it is in use. If that report is outdated, `release` deletes the certificate later. */
  async function deleteUnused(CertificateArn: string | undefined): Promise<void> {
    await acm.send(new DeleteCertificateCommand({ CertificateArn })).catch(unlessNamed('ResourceNotFoundException', 'ResourceInUseException'));
  }

  return {
    request: async (host, requestId) => {
      const domainId = domainIdOf(requestId);
      const tenant = await tenants.get(domainId);
      const asked = tenant && (await tenants.certificate(tenant));
      // Requests again if an earlier attempt's request failed or is missing. Without a tenant, the first check creates it with the request.
      if (tenant !== undefined && (asked === undefined || isOver(asked) || (await statusFrom(acm, asked)).kind === 'failed')) {
        await tenants.update(domainId, { host, request: requestFor(host), enabled: true });
        // Otherwise each failed attempt would leave a certificate behind, and ACM limits the number of certificates.
        if (asked?.CertificateArn !== undefined) await deleteUnused(asked.CertificateArn);
      }
      return `${PREFIX}${requestId}/${host}`;
    },

    check: async (reference) => {
      const [requestId = '', host = ''] = reference.slice(PREFIX.length).split('/');
      const domain = { id: domainIdOf(requestId), host };
      const tenant = await tenants.get(domain.id);
      if (tenant === undefined) {
        const created = await tenants.create(domain, { request: requestFor(host) });
        return created.kind === 'taken' ? { kind: 'failed', failure: created.failure, detail: created.detail } : { kind: 'pending' };
      }
      const details = await tenants.certificate(tenant);
      if (details === undefined) {
        // The request was lost; the tenant itself is fine.
        await tenants.update(domain.id, { host, request: requestFor(host) });
        return { kind: 'pending' };
      }
      return statusFrom(acm, details);
    },

    release: async ({ host }) => {
      // No record refers to a certificate that was replaced, or whose tenant is deleted; it can only be found by its host, in ACM's list.
      for await (const { CertificateSummaryList = [] } of paginateListCertificates(
        { client: acm, pageSize: MOST_PER_PAGE },
        { Includes: { managedBy: 'CLOUDFRONT' } },
      )) {
        for (const { DomainName, ManagedBy, InUse, CertificateArn } of CertificateSummaryList) {
          if (DomainName === host && ManagedBy === 'CLOUDFRONT' && InUse === false) await deleteUnused(CertificateArn);
        }
      }
    },
  };
}

function requestFor(host: string) {
  return { ValidationTokenHost: 'cloudfront', PrimaryDomainName: host } as const;
}

function isOver({ CertificateStatus: status }: ManagedCertificateDetails): boolean {
  return status !== 'pending-validation' && status !== 'issued';
}

/** Returns a certificate's status. CloudFront reports only that a request failed; ACM has the reason. */
async function statusFrom(acm: ACMClient, { CertificateStatus: status, CertificateArn }: ManagedCertificateDetails): Promise<CertificateStatus> {
  if (status === 'pending-validation') return { kind: 'pending' };
  const known = await describeCertificate(acm, CertificateArn);
  if (status === 'issued') {
    // CloudFront may not know yet that a certificate has expired or was revoked.
    const described = known && statusOf(known);
    return described === undefined || described.kind === 'pending' ? { kind: 'issued', life: undefined } : described;
  }
  if (status === 'validation-timed-out') return { kind: 'failed', failure: 'timed_out', detail: 'the domain was not validated within 72 hours' };
  if (status === 'failed') return { kind: 'failed', ...failureOf(known?.FailureReason) };
  return { kind: 'failed', failure: 'other', detail: `the certificate's status is ${status}` };
}
