// The settings that the domains' Lambda entries read from their environment. The entries themselves are tested in test/integration/functions/.

import { describe, expect, test } from 'vitest';
import { parseDomainSettings } from '../../platforms/aws/domain-settings.ts';
import { DOMAIN_ENVIRONMENT } from '../support/function-environments.ts';

describe('settings', () => {
  test('are read together', () => {
    expect(parseDomainSettings({ ...DOMAIN_ENVIRONMENT, DNS_PORT: '8053', DNS_PRIVATE_NETWORKS: 'on' })).toMatchObject({
      controlTable: 'petstore-test-control',
      dnsServers: [
        { address: '9.9.9.9', port: 53 },
        { address: '2620:fe::fe', port: 53 },
      ],
      dnsPort: 8_053,
      dnsPrivateNetworks: true,
    });
    expect(parseDomainSettings(DOMAIN_ENVIRONMENT)).toMatchObject({ dnsPort: 53, dnsPrivateNetworks: false, zoneIds: undefined });
    expect(parseDomainSettings({ ...DOMAIN_ENVIRONMENT, ZONE_IDS: 'none' })).toMatchObject({ zoneIds: [] });
  });

  test('are all reported if missing or wrong', () => {
    expect(() => parseDomainSettings({ DNS_PORT: '0' })).toThrow(/CONTROL_TABLE[\s\S]*DNS_SERVERS[\s\S]*DNS_PORT/);
    expect(() => parseDomainSettings({ ...DOMAIN_ENVIRONMENT, DNS_SERVERS: 'dns.example:53' })).toThrow(/DNS_SERVERS: addresses with ports/);
  });
});
