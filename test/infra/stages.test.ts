import { describe, expect, test } from 'vitest';
import { readStages } from '../../infra/stages.ts';

const problemsOf = (environment: Record<string, string>, wanted: string[] = [], needAccount = false) => {
  const read = readStages(environment, wanted, needAccount);
  return read.ok ? [] : read.problems;
};

const DOMAIN = {
  STAGING_API_DOMAIN: 'api.example.com',
  STAGING_API_CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a',
};

describe('stages', () => {
  test('need no environment to be synthesized', () => {
    const read = readStages({});
    expect(
      read.ok && read.stages.map(({ name, tablePrefix, retainData, canary, account }) => ({ name, tablePrefix, retainData, canary, account })),
    ).toEqual([
      { name: 'staging', tablePrefix: 'petstore-staging', retainData: false, canary: false, account: undefined },
      { name: 'production', tablePrefix: 'petstore-production', retainData: true, canary: true, account: undefined },
    ]);
  });

  test('use the settings from the environment', () => {
    const environment = {
      PRODUCTION_ACCOUNT: '123456789012',
      PRODUCTION_REGION: 'eu-central-1',
      PRODUCTION_TABLE_PREFIX: 'shop',
      PRODUCTION_ALARM_EMAIL: 'ops@example.com',
      PRODUCTION_API_DOMAIN: 'api.example.com',
      PRODUCTION_API_CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c',
      PRODUCTION_API_ZONE: 'example.com:Z0123456789',
      PRODUCTION_GITHUB_REPOSITORY: 'someone/petstore',
    };
    const read = readStages(environment, ['production'], true);
    expect(read.ok && read.stages).toMatchObject([
      {
        account: '123456789012',
        region: 'eu-central-1',
        tablePrefix: 'shop',
        alarmEmail: 'ops@example.com',
        apiDomain: { name: 'api.example.com', zone: { name: 'example.com', id: 'Z0123456789' } },
        repository: 'someone/petstore',
      },
    ]);
  });

  test.each([
    [{}, ['testing'], false, /^stage: got "testing"; allowed: staging, production$/],
    [{}, ['staging'], true, /^STAGING_ACCOUNT: missing; a deployment requires STAGING_ACCOUNT and STAGING_REGION$/],
    [{ STAGING_ACCOUNT: '12' }, ['staging'], false, /^STAGING_ACCOUNT: got "12"; allowed: 12 digits$/],
    [{ STAGING_REGION: 'eu-central-1' }, [], false, /^STAGING_ACCOUNT: missing; STAGING_ACCOUNT and STAGING_REGION must be set together$/],
    [{ STAGING_ACCOUNT: '123456789012', STAGING_REGION: 'mars' }, [], false, /^STAGING_REGION: got "mars"/],
    [{ STAGING_TABLE_PREFIX: 'petstore-production' }, [], false, /^PRODUCTION_TABLE_PREFIX: got "petstore-production", the prefix of staging/],
    [{ STAGING_TABLE_PREFIX: 'A' }, [], false, /^STAGING_TABLE_PREFIX: got "A"/],
    [
      {
        STAGING_EDGE_NAME: 'edge.shop.dev',
        STAGING_TABLE_PREFIX: 'petstore-of-the-northern-shelters',
        STAGING_ACCOUNT: '1'.repeat(12),
        STAGING_REGION: 'eu-central-1',
      },
      [],
      false,
      /^STAGING_TABLE_PREFIX: got "petstore-of-the-northern-shelters"; allowed: at most 31 characters with STAGING_EDGE_NAME/,
    ],
    [{ STAGING_DNS_PORT: '99999' }, [], false, /^STAGING_DNS_PORT: got "99999"; allowed: a port from 1 to 65535$/],
    [{ STAGING_DNS_SERVERS: '999.1:53' }, [], false, /^STAGING_DNS_SERVERS: got "999.1:53"; allowed: addresses with ports/],
    [{ STAGING_ALARM_EMAIL: 'nobody' }, [], false, /^STAGING_ALARM_EMAIL: got "nobody"; allowed: an email address$/],
    [
      { ...DOMAIN, STAGING_API_ZONE: 'example.org:Z1' },
      [],
      false,
      /^STAGING_API_DOMAIN: got "api.example.com"; allowed: a name in the zone example.org/,
    ],
    [{ ...DOMAIN, STAGING_API_ZONE: 'ample.com:Z1' }, [], false, /^STAGING_API_DOMAIN: got "api.example.com"; allowed: a name in the zone ample.com/],
    [{ STAGING_API_ZONE: 'example.com:Z1' }, [], false, /^STAGING_API_DOMAIN: missing; STAGING_API_ZONE requires a name to set$/],
    [{ STAGING_API_ZONE: 'example.com' }, [], false, /^STAGING_API_ZONE: got "example.com"; allowed: name and id of a Route 53 zone/],
    [
      { ...DOMAIN, STAGING_ACCOUNT: '123456789012', STAGING_REGION: 'us-east-1' },
      [],
      false,
      /^STAGING_API_CERTIFICATE_ARN: got a certificate from eu-central-1; allowed: one from us-east-1 \(STAGING_REGION\)$/,
    ],
    [
      { ...DOMAIN, STAGING_ACCOUNT: '000000000000', STAGING_REGION: 'eu-central-1' },
      [],
      false,
      /^STAGING_API_CERTIFICATE_ARN: got a certificate from 123456789012; allowed: one from 000000000000 \(STAGING_ACCOUNT\)$/,
    ],
    [{ STAGING_ALARM_MAIL: 'a@example.com' }, [], false, /^STAGING_ALARM_MAIL: unknown setting; allowed: STAGING_ACCOUNT, /],
    [{ STAGING_GITHUB_REPOSITORY: 'petstore' }, [], false, /^STAGING_GITHUB_REPOSITORY: got "petstore"; allowed: owner\/name$/],
    [{ STAGING_DRAFT_HEADERS: 'yes' }, [], false, /^STAGING_DRAFT_HEADERS: got "yes"; allowed: on, off$/],
    [{ STAGING_API_DOMAIN: 'api.example.com' }, [], false, /^STAGING_API_CERTIFICATE_ARN: missing/],
  ])('refuse %j', (environment, wanted, needAccount, problem) => {
    expect(problemsOf(environment as Record<string, string>, wanted, needAccount)).toContainEqual(expect.stringMatching(problem));
  });
});
