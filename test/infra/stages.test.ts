import { describe, expect, test } from 'vitest';
import { readStages, variablesOf } from '../../infra/stages.ts';
import { MAX_STAGE_NAME, settingsPrefix, stageNameProblem } from '../../platforms/aws/stage-name.ts';
import { emptySettings, everySetting } from '../support/stage-settings.ts';

const problemsOf = (environment: Record<string, string>, wanted: string[] = [], needAccount = false) => {
  const read = readStages(environment, wanted, { needAccount });
  return read.ok ? [] : read.problems;
};

const stageOf = (environment: Record<string, string>, name: string) => {
  const read = readStages(environment, [name]);
  return read.ok ? read.stages[0] : undefined;
};

const DOMAIN = {
  STAGING_API_DOMAIN: 'api.example.com',
  STAGING_API_CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a',
};

describe('stages', () => {
  test('need no environment to be synthesized', () => {
    const read = readStages({});
    expect(read.ok && read.stages.map(({ name, tablePrefix, retainData, canary, env }) => ({ name, tablePrefix, retainData, canary, env }))).toEqual([
      { name: 'staging', tablePrefix: 'petstore-staging', retainData: false, canary: false, env: undefined },
      { name: 'production', tablePrefix: 'petstore-production', retainData: true, canary: true, env: undefined },
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
    const read = readStages(environment, ['production'], { needAccount: true });
    expect(read.ok && read.stages).toMatchObject([
      {
        env: { account: '123456789012', region: 'eu-central-1' },
        tablePrefix: 'shop',
        alarmEmail: 'ops@example.com',
        apiDomain: { name: 'api.example.com', zone: { name: 'example.com', id: 'Z0123456789' } },
        pipeline: { repository: 'someone/petstore' },
      },
    ]);
  });

  test('have names in lower case, as Route 53 compares them', () => {
    const [one, two] = [DOMAIN, { ...DOMAIN, STAGING_API_DOMAIN: 'API.Example.com' }].map((names) =>
      stageOf(
        { ...names, STAGING_API_ZONE: 'example.com:Z1', STAGING_EDGE_NAME: 'Edge.Example.com', STAGING_EDGE_ZONE: 'example.com:Z1' },
        'staging',
      ),
    );
    expect(two?.apiDomain).toEqual(one?.apiDomain);
    expect([two?.apiDomain?.name, two?.customDomains?.edgeName]).toEqual(['api.example.com', 'edge.example.com']);
  });

  test.each([
    [{}, ['Testing'], false, /^stage: got "Testing"; allowed: 1 to 20 lower-case letters, digits and single hyphens, starting with a letter/],
    [{}, ['staging'], true, /^STAGING_ACCOUNT: missing; a deployment requires STAGING_ACCOUNT and STAGING_REGION$/],
    [{ STAGING_ACCOUNT: '12' }, ['staging'], false, /^STAGING_ACCOUNT: got "12"; allowed: 12 digits$/],
    [{ STAGING_REGION: 'eu-central-1' }, [], false, /^STAGING_ACCOUNT: missing; STAGING_REGION requires it$/],
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
      /^STAGING_TABLE_PREFIX: got "petstore-of-the-northern-shelters"; allowed: at most 31 characters, because a bucket is named after it$/,
    ],
    [{ STAGING_DNS_PORT: '99999' }, [], false, /^STAGING_DNS_PORT: got "99999"; allowed: a port from 1 to 65535$/],
    [{ STAGING_DNS_SERVERS: '999.1:53' }, [], false, /^STAGING_DNS_SERVERS: got "999.1:53"; allowed: addresses with ports/],
    [{ STAGING_BUDGET: '200' }, [], false, /^STAGING_ALARM_EMAIL: missing; STAGING_BUDGET requires it$/],
    [{ STAGING_BUDGET: '0', STAGING_ALARM_EMAIL: 'a@example.com' }, [], false, /^STAGING_BUDGET: got "0"; allowed: whole US dollars a month/],
    [{ STAGING_ALARM_EMAIL: 'nobody' }, [], false, /^STAGING_ALARM_EMAIL: got "nobody"; allowed: an email address$/],
    [
      { ...DOMAIN, STAGING_API_ZONE: 'example.org:Z1' },
      [],
      false,
      /^STAGING_API_ZONE: got "example.org"; allowed: the zone that contains api.example.com$/,
    ],
    [
      { ...DOMAIN, STAGING_API_ZONE: 'ample.com:Z1' },
      [],
      false,
      /^STAGING_API_ZONE: got "ample.com"; allowed: the zone that contains api.example.com$/,
    ],
    [{ STAGING_API_ZONE: 'example.com:Z1' }, [], false, /^STAGING_API_DOMAIN: missing; STAGING_API_ZONE requires it$/],
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
    [
      { STAGING_EDGE_NAME: 'edge.example.com', STAGING_EDGE_CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a' },
      [],
      false,
      /^STAGING_EDGE_CERTIFICATE_ARN: got "arn:[^"]+"; allowed: the ARN of an ACM certificate in us-east-1, where CloudFront reads certificates$/,
    ],
    [
      { STAGING_EDGE_CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:123456789012:certificate/0a' },
      [],
      false,
      /^STAGING_EDGE_NAME: missing; STAGING_EDGE_CERTIFICATE_ARN requires it$/,
    ],
    [
      {
        STAGING_ACCOUNT: '000000000000',
        STAGING_REGION: 'eu-central-1',
        STAGING_EDGE_NAME: 'edge.example.com',
        STAGING_EDGE_CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:123456789012:certificate/0a',
      },
      [],
      false,
      /^STAGING_EDGE_CERTIFICATE_ARN: got a certificate from 123456789012; allowed: one from 000000000000 \(STAGING_ACCOUNT\)$/,
    ],
    [{ STAGING_ALARM_MAIL: 'a@example.com' }, [], false, /^STAGING_ALARM_MAIL: unknown setting; allowed: STAGING_ACCOUNT, /],
    [{ STAGING_GITHUB_REPOSITORY: 'petstore' }, [], false, /^STAGING_GITHUB_REPOSITORY: got "petstore"; allowed: owner\/name$/],
    [{ STAGING_DRAFT_HEADERS: 'yes' }, [], false, /^STAGING_DRAFT_HEADERS: got "yes"; allowed: on, off$/],
    [{ STAGING_SIGN_UP: 'closed' }, [], false, /^STAGING_SIGN_UP: got "closed"; allowed: open, invited$/],
    [{ STAGING_MFA: 'on' }, [], false, /^STAGING_MFA: got "on"; allowed: off, required$/],
    [{ STAGING_MAIL_FROM: 'example.com' }, [], false, /^STAGING_MAIL_FROM: got "example.com"; allowed: an email address, optionally with a name/],
    [{ STAGING_MAIL_FROM: 'a@example.com:mars' }, [], false, /^STAGING_MAIL_FROM: got "a@example.com:mars"; allowed: an email address/],
    [{ STAGING_API_DOMAIN: 'api.example.com' }, [], false, /^STAGING_API_CERTIFICATE_ARN: missing/],
    [{ STAGING_API_GATEWAY_URL: 'off' }, [], false, /^STAGING_API_DOMAIN: missing; STAGING_API_GATEWAY_URL requires it$/],
  ])('refuse %j', (environment, wanted, needAccount, problem) => {
    expect(problemsOf(environment as Record<string, string>, wanted, needAccount)).toContainEqual(expect.stringMatching(problem));
  });
});

describe('names of stages', () => {
  test.each(['staging', 'production', 'dev', 'dev-1', 'a', 'eu-west-2-blue', 'x'.repeat(MAX_STAGE_NAME)])('%s is allowed', (name) => {
    expect(stageNameProblem(name)).toBeUndefined();
  });

  test.each([
    '',
    'Dev',
    '1dev',
    '-dev',
    'dev-',
    'dev--1',
    'dev_1',
    'dev.1',
    'dév',
    'x'.repeat(MAX_STAGE_NAME + 1),
    'aws',
    'my-cognito',
    'amazonia',
    'dev-release',
  ])('%j is not', (name) => {
    expect(stageNameProblem(name)).toMatch(/^(1 to 20|a name) /);
  });

  test('different names have different prefixes of settings', () => {
    const names = ['dev', 'dev-1', 'dev1', 'd-ev', 'staging', 'staging-1'];
    expect(names.map(settingsPrefix)).toEqual(['DEV_', 'DEV_1_', 'DEV1_', 'D_EV_', 'STAGING_', 'STAGING_1_']);
  });
});

describe('a third stage', () => {
  test("has staging's profile, and tables of its own", () => {
    expect(stageOf({}, 'dev-1')).toMatchObject({ name: 'dev-1', tablePrefix: 'petstore-dev-1', retainData: false, canary: false, keyMode: 'test' });
  });

  test("has production's profile if a setting says so", () => {
    expect(stageOf({ DEV_1_PROFILE: 'production', DEV_1_GITHUB_REPOSITORY: 'someone/petstore' }, 'dev-1')).toMatchObject({
      ...{ retainData: true, canary: true, keyMode: 'live' },
      ...{ pipeline: { acceptance: false }, signIn: { adminSignIn: false } },
    });
    expect(problemsOf({ DEV_1_PROFILE: 'prod' }, ['dev-1'])).toEqual(['DEV_1_PROFILE: got "prod"; allowed: staging, production']);
  });

  test.each(['staging', 'production'])('%s keeps its own profile', (name) => {
    const prefix = settingsPrefix(name);
    expect(problemsOf({ [`${prefix}PROFILE`]: 'staging' })).toEqual([expect.stringContaining(`${prefix}PROFILE: unknown setting`)]);
    expect(stageOf({}, name)?.keyMode).toBe(name === 'production' ? 'live' : 'test');
  });

  test('needs its own account and region for a deployment', () => {
    const environment = { STAGING_ACCOUNT: '123456789012', STAGING_REGION: 'eu-central-1' };
    expect(problemsOf(environment, ['dev-1'], true)).toEqual(['DEV_1_ACCOUNT: missing; a deployment requires DEV_1_ACCOUNT and DEV_1_REGION']);
  });

  test('may not have the tables of another stage', () => {
    expect(problemsOf({ DEV_1_TABLE_PREFIX: 'petstore-dev' }, ['dev', 'dev-1'])).toEqual([expect.stringContaining('the prefix of dev;')]);
  });
});

describe('settings of a stage whose prefix begins with the prefix of another one', () => {
  const ofDev1 = { DEV_1_ACCOUNT: '123456789012', DEV_1_REGION: 'eu-central-1', DEV_1_ALARM_EMAIL: 'ops@example.com' };

  test('are not settings of the other one', () => {
    expect(stageOf(ofDev1, 'dev')?.record).toEqual({ TABLE_PREFIX: 'petstore-dev', PROFILE: 'staging' });
    expect(problemsOf({ DEV_1_ALARM_EMAIL: 'ops@example.com' }, ['dev', 'dev-1'])).toEqual([]);
    expect(stageOf(ofDev1, 'dev-1')).toMatchObject({ env: { account: '123456789012' }, alarmEmail: 'ops@example.com' });
  });

  test('are unknown settings of the other one, unless the stage is selected or has an account', () => {
    expect(problemsOf({ DEV_1_ALARM_EMAIL: 'ops@example.com' }, ['dev'])).toEqual([expect.stringContaining('DEV_1_ALARM_EMAIL: unknown setting')]);
    expect(problemsOf({ STAGING_AWS_REGION: 'eu-central-1' })).toEqual([expect.stringContaining('STAGING_AWS_REGION: unknown setting')]);
  });

  test('are checked for unknown names when that stage is selected', () => {
    expect(problemsOf({ ...ofDev1, DEV_1_ALARM_MAIL: 'ops@example.com' }, ['dev'])).toEqual([]);
    expect(problemsOf({ ...ofDev1, DEV_1_ALARM_MAIL: 'ops@example.com' }, ['dev-1'])).toEqual([expect.stringContaining('DEV_1_ALARM_MAIL: unknown')]);
  });

  test('have names that belong to one stage only', () => {
    const names = variablesOf('x').map((name) => name.slice(settingsPrefix('x').length));
    expect(names.filter((name) => names.some((other) => name.endsWith(`_${other}`)))).toEqual([]);
  });
});

test.each(variablesOf('dev-1'))('%s changes the stage, or others require it', (variable) => {
  // The samples of these two equal their defaults.
  const environment = { ...everySetting(['dev-1']), DEV_1_HOME: 'eu-west-1', DEV_1_API_GATEWAY_URL: 'on' };
  const { [variable]: _, ...others } = environment as Record<string, string>;
  const [complete, without] = [environment, others].map((given) => ({ ...stageOf(given, 'dev-1'), record: {} }));
  expect(complete).toHaveProperty('name');
  expect(without).not.toEqual(complete);
});

describe('sample settings', () => {
  const withSamples = (environment: Record<string, string>, wanted: string[] = [], needAccount = false) =>
    readStages(environment, wanted, { needAccount, sampleSettings: true });

  test.each([
    ['no setting', {}],
    ['every setting empty', emptySettings()],
  ])('turn every feature on, with %s', (_name, environment) => {
    const read = withSamples(environment);
    const all = readStages(everySetting());
    expect(all.ok).toBe(true);
    expect(read).toEqual(all);
  });

  test('do not replace a setting, nor contradict it', () => {
    const read = withSamples(
      {
        DEV_1_API_DOMAIN: 'api.shop.dev',
        DEV_1_API_CERTIFICATE_ARN: 'arn:aws:acm:us-west-2:000000000000:certificate/0a',
        DEV_1_EDGE_NAME: 'e.shop.dev',
      },
      ['dev-1'],
    );
    expect(read).toMatchObject({
      ok: true,
      stages: [
        {
          apiDomain: { name: 'api.shop.dev', zone: undefined },
          customDomains: { edgeName: 'e.shop.dev', zone: undefined },
          alarmEmail: 'ops@example.com',
        },
      ],
    });
    expect(withSamples({ STAGING_ACCOUNT: '000000000000', STAGING_REGION: 'us-east-1' }).ok).toBe(true);
  });

  test('are refused for a deployment', () => {
    expect(withSamples({}, ['staging'], true)).toEqual({
      ok: false,
      problems: [expect.stringMatching(/^sample-settings: got true with need-account=true/)],
    });
  });
});
