import { describe, expect, test } from 'vitest';
import { compareSettings, environmentOf, type SettingsRecord } from '../../infra/recorded-settings.ts';
import { readStages } from '../../infra/stages.ts';
import { everySetting } from '../support/stage-settings.ts';

const DEPLOYED: SettingsRecord = {
  ACCOUNT: '123456789012',
  REGION: 'eu-central-1',
  HOME: 'eu-central-1',
  PROFILE: 'production',
  TABLE_PREFIX: 'shop',
  EDGE_NAME: 'edge.example.com',
  ALARM_EMAIL: 'ops@example.com',
};
const without = (name: string): SettingsRecord => Object.fromEntries(Object.entries(DEPLOYED).filter(([key]) => key !== name));

describe('a deployment with other settings than the deployed stage', () => {
  test('begins if they are the same', () => {
    expect(compareSettings('dev-1', DEPLOYED, DEPLOYED)).toEqual({ problems: [], changes: [] });
  });

  test('begins with new settings and new values, and reports them', () => {
    const next = { ...DEPLOYED, ALARM_EMAIL: 'night@example.com', DRAFT_HEADERS: 'on' };
    const changes = ['DEV_1_ALARM_EMAIL: ops@example.com → night@example.com', 'DEV_1_DRAFT_HEADERS: not set → on'];
    expect(compareSettings('dev-1', DEPLOYED, next)).toEqual({ problems: [], changes });
  });

  test('is refused if a setting is missing, unless it is removed by name', () => {
    const next = without('ALARM_EMAIL');
    expect(compareSettings('dev-1', DEPLOYED, next).problems).toEqual([
      'DEV_1_ALARM_EMAIL: missing; the deployed stage has "ops@example.com"; set it, or remove it with --unset ALARM_EMAIL',
    ]);
    expect(compareSettings('dev-1', DEPLOYED, next, ['ALARM_EMAIL']).problems).toEqual([]);
  });

  test.each(['TABLE_PREFIX', 'EDGE_NAME', 'HOME'])('is refused if %s changes or is missing', (name) => {
    const refused = [expect.stringMatching(new RegExp(`^DEV_1_${name}: got "other"; allowed: "${DEPLOYED[name]}", as deployed, because `))];
    expect(compareSettings('dev-1', DEPLOYED, { ...DEPLOYED, [name]: 'other' }).problems).toEqual(refused);
    expect(compareSettings('dev-1', DEPLOYED, without(name), [name]).problems).not.toEqual([]);
  });

  test('is refused if it would end the protection of data, but not if it begins it', () => {
    expect(compareSettings('dev-1', DEPLOYED, { ...DEPLOYED, PROFILE: 'staging' }).problems).toHaveLength(1);
    expect(compareSettings('dev-1', { ...DEPLOYED, PROFILE: 'staging' }, DEPLOYED).problems).toEqual([]);
  });

  test('is refused if --unset names a setting that the stage does not have, or that is set', () => {
    expect(compareSettings('dev-1', DEPLOYED, DEPLOYED, ['ALARM_MAIL']).problems).toEqual(['--unset: got "ALARM_MAIL"; allowed: ALARM_EMAIL']);
    expect(compareSettings('dev-1', DEPLOYED, DEPLOYED, ['ALARM_EMAIL']).problems).toEqual([
      '--unset: got "ALARM_EMAIL", but DEV_1_ALARM_EMAIL is set; allowed: one or the other',
    ]);
    expect(compareSettings('dev-1', without('ALARM_EMAIL'), DEPLOYED, ['ALARM_MAIL']).problems).toEqual([
      '--unset: got "ALARM_MAIL"; allowed: none, because the deployed stage has no setting that can be removed',
    ]);
  });

  test.each([
    ...['ACCOUNT', 'REGION', 'HOME', 'PROFILE', 'TABLE_PREFIX'].map((name) => [name, 'always has a value']),
    ['EDGE_NAME', "can't be removed"],
  ])('is refused if --unset names %s, which %s', (name, why) => {
    const text = `--unset: got "${name}"; allowed: ALARM_EMAIL; ${name} ${why}`;
    expect(compareSettings('dev-1', DEPLOYED, DEPLOYED, [name]).problems).toEqual([text]);
  });

  test('is refused in another region than the first if the stage is moved there', () => {
    const read = (environment: Record<string, string>) => {
      const result = readStages({ STAGING_ACCOUNT: '123456789012', ...environment }, ['staging']);
      return result.ok ? (result.stages[0]?.record ?? {}) : {};
    };
    const first = read({ STAGING_REGION: 'eu-central-1' });
    expect(compareSettings('staging', first, read({ STAGING_REGION: 'eu-central-1', STAGING_HOME: 'us-west-2' })).problems).toHaveLength(1);
  });
});

test.each(['staging', 'dev-1'])('the recorded settings of %s give it the same settings again', (stage) => {
  const settings = everySetting([stage]);
  const recordOf = (environment: Readonly<Record<string, string>>) => {
    const read = readStages(environment, [stage], { needAccount: true });
    return read.ok ? (read.stages[0]?.record ?? {}) : { problems: read.problems.join() };
  };
  const record = recordOf(settings);
  expect(Object.keys(record).length).toBeGreaterThan(12);
  expect(recordOf(environmentOf(stage, record))).toEqual(record);
});
