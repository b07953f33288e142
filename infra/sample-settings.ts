// Sample values that turn on each setting's feature, so that every stack can be synthesized without an AWS account: for `npm run synth` and for tests.
// Names and addresses are from the ranges for documentation (RFC 2606, RFC 5737).

import { type StageName, settingsPrefix } from '../platforms/aws/stage-name.ts';
import { isProfileName } from './profiles.ts';

type Environment = Readonly<Record<string, string | undefined>>;
/** @param given returns a setting's value, or its sample if it is in an earlier group; otherwise an empty string */
type Sample = (stage: StageName, given: (setting: string) => string) => string;

/** Settings that are set together: if one of them is set, none of the others gets a sample, which might contradict it. */
const GROUPS: readonly Readonly<Record<string, Sample>>[] = [
  // Taken from the API's certificate, if it is set.
  {
    ACCOUNT: (_stage, given) => given('API_CERTIFICATE_ARN').split(':')[4] ?? '123456789012',
    REGION: (_stage, given) => given('API_CERTIFICATE_ARN').split(':')[3] ?? 'eu-central-1',
  },
  // The stage's first region, which is another one than the region itself only for a further deployment.
  { HOME: (_stage, given) => given('REGION') },
  { PROFILE: () => 'production' },
  { TABLE_PREFIX: (stage) => `shop-${stage}` },
  { DRAFT_HEADERS: () => 'on' },
  { ALARM_EMAIL: () => 'ops@example.com' },
  { BUDGET: () => '200' },
  {
    API_DOMAIN: (stage) => `api.${stage}.example.com`,
    API_CERTIFICATE_ARN: (_stage, given) => `arn:aws:acm:${given('REGION')}:${given('ACCOUNT')}:certificate/0a`,
    API_ZONE: () => 'example.com:Z0123456789',
    API_GATEWAY_URL: () => 'off',
  },
  {
    EDGE_NAME: (stage) => `edge.${stage}.example.com`,
    EDGE_ZONE: () => 'example.com:Z0123456789',
    EDGE_CERTIFICATE_ARN: (_stage, given) => `arn:aws:acm:us-east-1:${given('ACCOUNT')}:certificate/0b`,
  },
  { SIGN_UP: () => 'invited' },
  { MFA: () => 'required' },
  { MAIL_FROM: () => 'no-reply@example.com:eu-west-1' },
  { DNS_SERVERS: () => '192.0.2.1:53' },
  { DNS_PORT: () => '5353' },
  { DNS_PRIVATE_NETWORKS: () => 'on' },
  { GITHUB_REPOSITORY: () => 'someone/petstore', OIDC_SUBJECT: () => 'repo:someone@1001/petstore@2002' },
];

/** Returns a stage's variables, with a sample for each setting that is unset or empty. */
export function withSamples(stage: StageName, environment: Environment): Environment {
  const prefix = settingsPrefix(stage);
  const filled: Record<string, string | undefined> = { ...environment };
  const given = (setting: string) => filled[`${prefix}${setting}`] ?? '';
  for (const group of GROUPS) {
    if (Object.keys(group).some((setting) => given(setting) !== '')) continue;
    for (const [setting, sample] of Object.entries(group)) {
      if (setting !== 'PROFILE' || !isProfileName(stage)) filled[`${prefix}${setting}`] = sample(stage, given);
    }
  }
  return filled;
}
