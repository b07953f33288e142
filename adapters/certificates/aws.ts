// Certificates on AWS, validated in one of two ways: with a DNS record that we write if we control the owner's zone, otherwise by CloudFront over
// HTTP.

import type { CertificateAuthority } from '../../core/domains/ports.ts';
import type { Zone } from '../dns/route53-zones.ts';
import type { DnsValidatedAuthority } from './acm-dns.ts';
import { asSilence } from './acm-failures.ts';

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
