// Stage settings for tests: all of them, and none.

import { STAGE_NAMES, type StageName, settingsOf } from '../../infra/stages.ts';

type Environment = Record<string, string>;

/** A value for each setting that turns its feature on. */
const SAMPLES: Readonly<Record<string, (stage: StageName) => string>> = {
  ACCOUNT: () => '123456789012',
  REGION: () => 'eu-central-1',
  TABLE_PREFIX: (stage) => `shop-${stage}`,
  DRAFT_HEADERS: () => 'on',
  ALARM_EMAIL: () => 'ops@example.com',
  API_DOMAIN: (stage) => `api.${stage}.example.com`,
  API_CERTIFICATE_ARN: () => 'arn:aws:acm:eu-central-1:123456789012:certificate/0a',
  API_ZONE: () => 'example.com:Z0123456789',
  EDGE_NAME: (stage) => `edge.${stage}.example.com`,
  EDGE_ZONE: () => 'example.com:Z0123456789',
  DNS_SERVERS: () => '192.0.2.1:53',
  DNS_PORT: () => '5353',
  DNS_PRIVATE_NETWORKS: () => 'on',
  GITHUB_REPOSITORY: () => 'someone/petstore',
};

/** The names of all settings, as in infra/stages.ts. */
export function settingNames(stage: StageName): string[] {
  return Object.keys(settingsOf(stage).shape);
}

/** Every setting of every stage, turned on. @throws Error for a setting without a sample */
export function everySetting(): Environment {
  return settings((name, stage) => {
    const sample = SAMPLES[name];
    if (sample === undefined) throw new Error(`${name}: no sample of this setting in test/support/stage-settings.ts`);
    return sample(stage);
  });
}

/** Every setting of every stage, set to an empty value, as an empty variable in a pipeline would leave it. */
export function emptySettings(): Environment {
  return settings(() => '');
}

function settings(sampleOf: (name: string, stage: StageName) => string): Environment {
  const pairs = STAGE_NAMES.flatMap((stage) => settingNames(stage).map((name) => [name, sampleOf(name.slice(stage.length + 1), stage)]));
  return Object.fromEntries(pairs);
}
