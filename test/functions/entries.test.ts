// The settings that the domains' Lambda entries read from their environment. The entries themselves are tested in test/integration/functions/.

import { describe, expect, test } from 'vitest';
import { domainSettings, parseEnvironment } from '../../platforms/aws/function-settings.ts';
import { DOMAIN_ENVIRONMENT } from '../support/function-environments.ts';

describe('settings', () => {
  test('are read together', () => {
    expect(parseEnvironment(domainSettings, { ...DOMAIN_ENVIRONMENT, DNS_PORT: '8053', DNS_PRIVATE_NETWORKS: 'on' })).toMatchObject({
      CONTROL_TABLE: 'petstore-test-control',
      DNS_SERVERS: [
        { address: '9.9.9.9', port: 53 },
        { address: '2620:fe::fe', port: 53 },
      ],
      DNS_PORT: 8_053,
      DNS_PRIVATE_NETWORKS: true,
    });
    expect(parseEnvironment(domainSettings, DOMAIN_ENVIRONMENT)).toMatchObject({ DNS_PORT: 53, DNS_PRIVATE_NETWORKS: false });
    expect(parseEnvironment(domainSettings, DOMAIN_ENVIRONMENT).ZONE_IDS).toBeUndefined();
    expect(parseEnvironment(domainSettings, { ...DOMAIN_ENVIRONMENT, ZONE_IDS: 'none' })).toMatchObject({ ZONE_IDS: [] });
  });

  test('are all reported if missing or wrong', () => {
    expect(() => parseEnvironment(domainSettings, { DNS_PORT: '0' })).toThrow(/CONTROL_TABLE[\s\S]*DNS_SERVERS[\s\S]*DNS_PORT/);
    expect(() => parseEnvironment(domainSettings, { ...DOMAIN_ENVIRONMENT, DNS_SERVERS: 'dns.example:53' })).toThrow(
      /DNS_SERVERS: addresses with ports/,
    );
  });
});
