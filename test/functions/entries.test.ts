// The Lambda entries for domains, as they start on AWS: settings from the environment, DynamoDB Local for the table.

import { describe, expect, test, vi } from 'vitest';
import { createDynamoDbProjectStores } from '../../adapters/store/dynamodb/stores.ts';
import { newDomain } from '../../core/domains/domain.ts';
import { parseDomainSettings } from '../../platforms/aws/domain-settings.ts';
import { createAwsWork } from '../../platforms/aws/domain-work.ts';
import { dynamoDbEndpoint, makeTables } from '../support/dynamodb.ts';
import { NOON } from '../support/samples.ts';

const ENVIRONMENT = {
  CONTROL_TABLE: 'petstore-test-control',
  SERVICE_NAME: 'petstore-test',
  STAGE: 'staging',
  EDGE_NAME: 'edge.platform.dev',
  EDGE_MAP_ARN: 'arn:aws:cloudfront::123456789012:key-value-store/1',
  DISTRIBUTION_ID: 'E1',
  CONNECTION_GROUP: 'petstore-staging',
  WORKFLOW_ARN: 'arn:aws:states:eu-central-1:123456789012:stateMachine:domains',
  DNS_SERVERS: '9.9.9.9:53,[2620:fe::fe]:53',
};

describe('settings', () => {
  test('are read as a whole', () => {
    expect(parseDomainSettings({ ...ENVIRONMENT, DNS_PORT: '8053', DNS_PRIVATE_NETWORKS: 'on' })).toMatchObject({
      controlTable: 'petstore-test-control',
      dnsServers: [
        { address: '9.9.9.9', port: 53 },
        { address: '2620:fe::fe', port: 53 },
      ],
      dnsPort: 8_053,
      dnsPrivateNetworks: true,
    });
    expect(parseDomainSettings(ENVIRONMENT)).toMatchObject({ dnsPort: 53, dnsPrivateNetworks: false });
  });

  test('that are missing or wrong are named, all of them', () => {
    expect(() => parseDomainSettings({ DNS_PORT: '0' })).toThrow(/CONTROL_TABLE[\s\S]*DNS_SERVERS[\s\S]*DNS_PORT/);
    expect(() => parseDomainSettings({ ...ENVIRONMENT, DNS_SERVERS: 'dns.example:53' })).toThrow(/DNS_SERVERS: addresses with ports/);
  });
});

describe.runIf(dynamoDbEndpoint !== undefined)('entries', () => {
  test('a step and a sweep answer', async () => {
    const { clients, tables } = await makeTables();
    for (const [name, value] of Object.entries({
      ...ENVIRONMENT,
      CONTROL_TABLE: tables.control,
      AWS_ENDPOINT_URL: dynamoDbEndpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    }))
      vi.stubEnv(name, value);
    const { domains } = createDynamoDbProjectStores(clients, tables);
    const domain = newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON);
    await domains.addDomain(domain);
    const { handler: step } = await import('../../functions/domain-step.ts');
    expect(await step({ step: 'guard', domainId: 'dom_1', generation: 0 })).toEqual({ state: 'awaiting_dns', waitSeconds: 0 });
    expect(await step({ step: 'guard', domainId: 'dom_1', generation: 1 })).toEqual({ state: 'superseded', waitSeconds: 0 });
    await expect(step({ step: 'dance', domainId: 'dom_1', generation: 0 })).rejects.toThrow();
    await domains.saveDomain({ ...domain, state: { name: 'certificate_failed', since: NOON, failure: 'caa', detail: '' } }, domain);
    expect(await step({ step: 'check_certificate', domainId: 'dom_1', generation: 0 })).toMatchObject({ state: 'certificate_failed' });
    const { handler: sweep } = await import('../../functions/domain-sweep.ts');
    expect(await sweep({})).toEqual({ checked: 0, restarted: 0, stuck: 0, renewalOverdue: 0, failed: 0 });
    // DynamoDB Local is no CloudFront: what is asked there fails, and is not swallowed.
    await expect(sweep({ orphans: true })).rejects.toThrow();
    const work = createAwsWork(parseDomainSettings({ ...ENVIRONMENT, CONTROL_TABLE: tables.control }));
    expect([work.edgeHost, (await work.authority.issuerNames())[0], work.clock()]).toEqual(['edge.platform.dev', 'amazon.com', expect.any(Number)]);
    vi.unstubAllEnvs();
  });
});
