// Both kinds of certificates on AWS: validated by a record in a zone that we manage, and managed by CloudFront.

import { createDnsValidatedAuthority } from '../../../adapters/certificates/acm-dns.ts';
import { createAwsAuthority } from '../../../adapters/certificates/aws.ts';
import { createManagedAuthority } from '../../../adapters/certificates/cloudfront-managed.ts';
import { ACCOUNT_TAG, createRoute53Zones } from '../../../adapters/dns/route53-zones.ts';
import { createTenants, tenantName } from '../../../adapters/edge/tenants.ts';
import { certificateAuthorityContract } from '../../contracts/certificate-authority.ts';
import { MemoryAws } from '../../support/memory-aws.ts';

/** @param away whether no call gets through */
function authorityOn(aws: MemoryAws, away: boolean) {
  const through = <Client extends object>(client: Client): Client =>
    away ? Object.assign(Object.create(client), { send: () => Promise.reject(new Error('no answer')) }) : client;
  const tenants = createTenants(through(aws.cloudFront), { distributionId: 'E1', connectionGroup: 'group', stage: 'test' });
  const zones = createRoute53Zones(through(aws.route53));
  return createAwsAuthority({
    managed: createManagedAuthority(through(aws.acm), tenants),
    dnsValidated: createDnsValidatedAuthority(through(aws.acm), zones, zones.zoneOf),
    zoneOf: zones.zoneOf,
  });
}

function makeWorld(zone: string) {
  const aws = new MemoryAws();
  aws.zones.set('Z1', { name: 'shop.dev', tags: [{ Key: ACCOUNT_TAG, Value: 'acc_1' }], records: [] });
  return {
    aws,
    zone,
    authority: authorityOn(aws, false),
    unreachable: authorityOn(aws, true),
    certificates: (host: string) => [...aws.certificates].filter(([, { DomainName }]) => DomainName === host).map(([arn]) => arn),
  };
}

certificateAuthorityContract('AWS, validated by DNS', async () => makeWorld('shop.dev'));

certificateAuthorityContract('AWS, managed by CloudFront', async () => {
  const { aws, ...world } = makeWorld('nobody.dev');
  return { ...world, oneDomainPerHost: true, teardown: async ({ id }) => void aws.tenants.delete(tenantName(id)) };
});
