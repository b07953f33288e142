// Certificates on AWS, by the two ways that there are: where the owner's zone is in our hands by a record that we write, else by
// CloudFront, which validates over HTTP.

import type { CertificateAuthority } from '../../core/domains/ports.ts';
import type { Zone } from '../dns/route53-zones.ts';
import type { DnsValidatedAuthority } from './acm-dns.ts';

/** Names by which a CAA record may allow Amazon (ACM User Guide, "Configure a CAA record"). */
const ISSUER_NAMES = ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com'];

export interface AwsAuthorityOptions {
  readonly managed: Pick<CertificateAuthority, 'request' | 'check' | 'release'>;
  readonly dnsValidated: DnsValidatedAuthority;
  /** The zone of a request's host; undefined if it is not in our hands. */
  readonly zoneOf: (host: string) => Promise<Zone | undefined>;
}

export function createAwsAuthority({ managed, dnsValidated, zoneOf }: AwsAuthorityOptions): CertificateAuthority {
  return {
    issuerNames: async () => ISSUER_NAMES,
    renewsByItself: true,
    prepare: async (host, requestId) => {
      const zone = await zoneOf(host);
      if (zone !== undefined) await dnsValidated.request(host, requestId, zone);
    },
    request: async (host, requestId) => {
      const zone = await zoneOf(host);
      return zone === undefined ? managed.request(host, requestId) : dnsValidated.request(host, requestId, zone);
    },
    check: (reference) => (reference.startsWith('arn:') ? dnsValidated : managed).check(reference),
    release: async (domain, except) => {
      await dnsValidated.release(domain, except);
      if (except === undefined) await managed.release(domain);
    },
  };
}
