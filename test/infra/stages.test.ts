import { describe, expect, test } from 'vitest';
import { readStages } from '../../infra/stages.ts';

const problemsOf = (environment: Record<string, string>, wanted: string[] = [], needAccount = false) => {
  const read = readStages(environment, wanted, needAccount);
  return read.ok ? [] : read.problems;
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

  test('take what the environment gives', () => {
    const environment = {
      PRODUCTION_ACCOUNT: '123456789012',
      PRODUCTION_REGION: 'eu-central-1',
      PRODUCTION_TABLE_PREFIX: 'shop',
      PRODUCTION_ALARM_EMAIL: 'ops@example.com',
      PRODUCTION_API_DOMAIN: 'api.example.com',
      PRODUCTION_API_CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c',
    };
    const read = readStages(environment, ['production'], true);
    expect(read.ok && read.stages).toMatchObject([
      { account: '123456789012', region: 'eu-central-1', tablePrefix: 'shop', alarmEmail: 'ops@example.com', apiDomain: { name: 'api.example.com' } },
    ]);
  });

  test.each([
    [{}, ['testing'], false, /^stage: got "testing"; allowed: staging, production$/],
    [{}, ['staging'], true, /^STAGING_ACCOUNT: missing; a deployment needs STAGING_ACCOUNT and STAGING_REGION$/],
    [{ STAGING_ACCOUNT: '12' }, ['staging'], false, /^STAGING_ACCOUNT: got "12"; allowed: 12 digits$/],
    [{ STAGING_REGION: 'eu-central-1' }, [], false, /^STAGING_ACCOUNT: missing; STAGING_ACCOUNT and STAGING_REGION go together$/],
    [{ STAGING_ACCOUNT: '123456789012', STAGING_REGION: 'mars' }, [], false, /^STAGING_REGION: got "mars"/],
    [{ STAGING_TABLE_PREFIX: 'petstore-production' }, [], false, /^PRODUCTION_TABLE_PREFIX: got "petstore-production", which is that of staging/],
    [{ STAGING_TABLE_PREFIX: 'A' }, [], false, /^STAGING_TABLE_PREFIX: got "A"/],
    [{ STAGING_ALARM_EMAIL: 'nobody' }, [], false, /^STAGING_ALARM_EMAIL: got "nobody"; allowed: a mail address$/],
    [{ STAGING_DRAFT_HEADERS: 'yes' }, [], false, /^STAGING_DRAFT_HEADERS: got "yes"; allowed: on, off$/],
    [{ STAGING_API_DOMAIN: 'api.example.com' }, [], false, /^STAGING_API_CERTIFICATE_ARN: missing/],
  ])('%j is refused', (environment, wanted, needAccount, problem) => {
    expect(problemsOf(environment as Record<string, string>, wanted, needAccount)).toContainEqual(expect.stringMatching(problem));
  });
});
