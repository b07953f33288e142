// Certificates that CloudFront requests from ACM and renews. CloudFront itself validates them over HTTP, so the owner needs only one DNS record.
// The certificates belong to the domain's tenant.

import {
  type ACMClient,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  paginateListCertificates,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-acm';
import type { ManagedCertificateDetails } from '@aws-sdk/client-cloudfront';
import { domainIdOf } from '../../core/domains/attempts.ts';
import type { CertificateAuthority, CertificateStatus } from '../../core/domains/ports.ts';
import type { Tenants } from '../edge/tenants.ts';
import { failureOf, statusOf } from './acm-failures.ts';

const PREFIX = 'cloudfront:';
/** Certificates per ListCertificates call, the maximum (API reference). */
const MOST_PER_PAGE = 1_000;

/** Creates the part of the AWS authority that leaves request, validation and renewal to CloudFront. */
export function createManagedAuthority(acm: ACMClient, tenants: Tenants): Pick<CertificateAuthority, 'request' | 'check' | 'release'> {
  /** Deletes a certificate unless ACM reports that something uses it, which may be outdated: then `release` deletes it later. */
  async function deleteUnused(CertificateArn: string | undefined): Promise<void> {
    await acm.send(new DeleteCertificateCommand({ CertificateArn })).catch((error: unknown) => {
      if (!(error instanceof ResourceNotFoundException || error instanceof ResourceInUseException)) throw error;
    });
  }

  return {
    request: async (host, requestId) => {
      const domainId = domainIdOf(requestId);
      const tenant = await tenants.get(domainId);
      const asked = tenant && (await tenants.certificate(tenant));
      // The tenant is from an earlier attempt whose request failed or is missing: request again. Without a tenant, the first check creates the
      // tenant and the request together.
      if (tenant !== undefined && (asked === undefined || isOver(asked) || (await statusFrom(acm, asked)).kind === 'failed')) {
        await tenants.update(domainId, { host, request: requestFor(host), enabled: true });
        // Otherwise each failed attempt would leave a certificate, and ACM limits their number.
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
      // Nothing uses a certificate that was replaced, or whose tenant is deleted; only the list entry still shows which host it was for.
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

/** CloudFront reports only that the request failed; ACM has the reason. */
async function statusFrom(acm: ACMClient, { CertificateStatus: status, CertificateArn }: ManagedCertificateDetails): Promise<CertificateStatus> {
  if (status === 'pending-validation') return { kind: 'pending' };
  const known = await acm.send(new DescribeCertificateCommand({ CertificateArn })).catch((error: unknown) => {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
  if (status === 'issued') {
    // CloudFront may not know yet that a certificate has expired or was revoked.
    const described = known?.Certificate === undefined ? undefined : statusOf(known.Certificate);
    return described === undefined || described.kind === 'pending' ? { kind: 'issued', life: undefined } : described;
  }
  if (status === 'validation-timed-out') return { kind: 'failed', failure: 'timed_out', detail: 'the domain was not validated within 72 hours' };
  if (status === 'failed') return { kind: 'failed', ...failureOf(known?.Certificate?.FailureReason) };
  return { kind: 'failed', failure: 'other', detail: `the certificate's status is ${status}` };
}
