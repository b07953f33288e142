// Both kinds of certificates on AWS: validated by a record in a zone that we manage, and managed by CloudFront.

import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { Route53Client } from '@aws-sdk/client-route-53';
import { test } from 'vitest';
import { createDnsValidatedAuthority } from '../../../adapters/certificates/acm-dns.ts';
import { createAwsAuthority, createManagedAuthority } from '../../../adapters/certificates/aws.ts';
import { ACCOUNT_TAG, createRoute53Zones } from '../../../adapters/dns/route53-zones.ts';
import { createTenants, tenantName } from '../../../adapters/edge/cloudfront.ts';
import { certificateAuthorityContract } from '../../../testing/certificate-authority.ts';
import { CLIENT_SETTINGS, named } from '../../support/memory-aws/account.ts';
import { MemoryAws } from '../../support/memory-aws.ts';
import { mockedClient } from '../../support/mocked-clients.ts';

function authorityOn({ acm, cloudFront, route53 }: Pick<MemoryAws, 'acm' | 'cloudFront' | 'route53'>) {
  const tenants = createTenants(cloudFront, { distributionId: 'E1', connectionGroup: 'group', stage: 'test' });
  const zones = createRoute53Zones(route53);
  return createAwsAuthority({
    managed: createManagedAuthority(acm, tenants),
    dnsValidated: createDnsValidatedAuthority(acm, zones, zones.zoneOf, 'test'),
    zoneOf: zones.zoneOf,
  });
}

/** Clients whose calls don't get through. */
function unreachable() {
  const clients = {
    acm: new ACMClient(CLIENT_SETTINGS),
    cloudFront: new CloudFrontClient(CLIENT_SETTINGS),
    route53: new Route53Client(CLIENT_SETTINGS),
  };
  const silence = named('TimeoutError', 'no answer');
  mockedClient(clients.acm).rejects(silence);
  mockedClient(clients.cloudFront).rejects(silence);
  mockedClient(clients.route53).rejects(silence);
  return clients;
}

function makeWorld(zone: string) {
  const aws = new MemoryAws();
  aws.zones.set('Z1', { name: 'shop.dev', tags: [{ Key: ACCOUNT_TAG, Value: 'acc_1' }], records: [] });
  return {
    aws,
    zone,
    authority: authorityOn(aws),
    unreachable: authorityOn(unreachable()),
    certificates: (host: string) => [...aws.certificates].filter(([, { DomainName }]) => DomainName === host).map(([arn]) => arn),
  };
}

certificateAuthorityContract(test, async () => makeWorld('shop.dev'), { name: 'AWS, validated by DNS' });

certificateAuthorityContract(
  test,
  async () => {
    const { aws, ...world } = makeWorld('nobody.dev');
    return { ...world, teardown: async ({ id }) => void aws.tenants.delete(tenantName(id)) };
  },
  { name: 'AWS, managed by CloudFront', declares: ['shared_hosts'] },
);
