// The profiles of stages: fixed settings that belong together. `staging` and `production` have their own; any other stage uses one of the two.

import * as z from 'zod';
import { parseSender } from '../core/notifications/sender.ts';
import { nameServers, onOff, port } from '../platforms/aws/function-settings.ts';
import type { StageName } from '../platforms/aws/stage-name.ts';
import { BUDGET, EDGE_CERTIFICATE, HOST, REPOSITORY, TABLE_PREFIX, text } from './constructs/allowed-values.ts';
import type { PetstorePlatformProps, PlatformPipelineProps, PlatformSignInProps } from './platform-props.ts';

type Profile = Pick<PetstorePlatformProps, 'logRetention' | 'retainData' | 'canary' | 'reserveConcurrency' | 'keyMode' | 'throttle'> &
  Pick<PlatformPipelineProps, 'acceptance'> &
  Pick<PlatformSignInProps, 'adminSignIn'>;

export type ProfileName = 'staging' | 'production';

export const PROFILES: Readonly<Record<ProfileName, Required<Profile>>> = {
  staging: {
    logRetention: 30,
    retainData: false,
    canary: false,
    reserveConcurrency: false,
    acceptance: true,
    adminSignIn: true,
    keyMode: 'test',
    throttle: { rate: 500, burst: 1_000 },
  },
  production: {
    logRetention: 365,
    retainData: true,
    canary: true,
    reserveConcurrency: true,
    acceptance: false,
    adminSignIn: false,
    keyMode: 'live',
    throttle: { rate: 5_000, burst: 5_000 },
  },
};

/** Whether this is the name of a profile, and so of a stage whose profile can't be changed. */
export function isProfileName(name: string): name is ProfileName {
  return name in PROFILES;
}

// The settings of a stage, each with its allowed values and its relations to others. They are environment variables, which stages.ts reads.

export interface Setting {
  /** The allowed texts, and the value to which a text is parsed. */
  readonly value: z.core.$ZodType<unknown, string>;
  /**
   * A value that turns its feature on, so that every stack can be synthesized without an AWS account: for `npm run synth` and for tests. Names and
   * addresses are reserved for documentation (RFC 2606, RFC 5737). `given` returns another setting's value, or its sample if it is listed earlier.
   */
  readonly sample: string | ((given: (setting: string) => string, stage: StageName) => string);
  /** The value used if the setting is missing, for docs/reference/stage-settings.md. @default none */
  readonly default?: string;
  /** What it is for. Links are relative to docs/reference/. */
  readonly meaning: string;
  /** The setting that it requires. */
  readonly needs?: string;
  /** Why the setting can't be changed or removed. */
  readonly fixed?: string;
}

const choice = <const Name extends string>(...names: readonly Name[]) => z.enum(names, names.join(', '));
const region = text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region name, such as eu-central-1');
const host = z.string().toLowerCase().pipe(HOST);
const numeric = (number: z.core.$ZodType<number, number>) =>
  z
    .string()
    .transform((digits) => (/^\d+$/.test(digits) ? Number(digits) : Number.NaN))
    .pipe(number);
const zone = text(/^[a-z0-9.-]+:Z[A-Z0-9]+$/, 'name and id of a Route 53 zone, such as example.com:Z0123456789').transform((both) => {
  const [name = '', id = ''] = both.split(':');
  return { name, id };
});
const SWITCH = { value: onOff(), default: '`off`', sample: 'on' } as const;
const SENDER =
  'an email address, optionally with a name and the region of its domain in SES, such as Pet Shop <no-reply@example.com> or no-reply@example.com:eu-west-1';
const sender = z
  .string()
  .transform((both) => {
    const [from = '', ...rest] = both.split(':');
    const sender = parseSender(from);
    return {
      address: sender?.address ?? '',
      name: from === sender?.address ? undefined : sender?.name,
      region: rest.length > 0 ? rest.join(':') : undefined,
    };
  })
  .refine(({ address, region: given }) => address !== '' && region.optional().safeParse(given).success, SENDER);

/** The settings by name, without the stage's prefix, in the order in which they are recorded. */
export const SETTINGS = {
  ACCOUNT: {
    value: text(/^\d{12}$/, '12 digits'),
    needs: 'REGION',
    default: 'required for a deployment',
    meaning: 'AWS account, 12 digits',
    sample: (given) => given('API_CERTIFICATE_ARN').split(':')[4] ?? '123456789012',
  },
  REGION: {
    value: region,
    needs: 'ACCOUNT',
    default: 'required for a deployment',
    meaning: 'AWS region',
    sample: (given) => given('API_CERTIFICATE_ARN').split(':')[3] ?? 'eu-central-1',
  },
  HOME: {
    value: region,
    needs: 'REGION',
    fixed: 'roles, and the edge map with its data, would be replaced',
    default: '`<STAGE>_REGION`',
    meaning:
      'the region in which the stage was first deployed, if this deployment is in another one; see [A second region](../aws/stages.md#a-second-region)',
    sample: (given) => given('REGION'),
  },
  PROFILE: {
    value: choice(...(Object.keys(PROFILES) as ProfileName[])),
    default: '`staging`',
    meaning:
      "the stage's fixed settings: those of `staging` or of `production`. The stages `staging` and `production` themselves don't take this setting",
    sample: 'production',
  },
  TABLE_PREFIX: {
    value: TABLE_PREFIX,
    fixed: 'the stage would get empty tables',
    default: '`petstore-<stage>`',
    meaning: "prefix of all table names; stages share no tables. It can't be changed later: that would replace the tables",
    sample: (_given, stage) => `shop-${stage}`,
  },
  DRAFT_HEADERS: { ...SWITCH, meaning: "`on` sends the IETF draft's `RateLimit` headers too" },
  ALARM_EMAIL: {
    value: z.email('an email address'),
    meaning: 'address for alarms, rollback reports and, with `<STAGE>_MAIL_FROM`, requests for plans',
    sample: 'ops@example.com',
  },
  BUDGET: {
    value: numeric(BUDGET),
    needs: 'ALARM_EMAIL',
    meaning: 'whole US dollars a month; an email is sent when the stage [costs](../aws/costs.md) more or is forecast to. Needs an alarm email',
    sample: '200',
  },
  API_DOMAIN: {
    value: host,
    needs: 'API_CERTIFICATE_ARN',
    meaning: 'host name of the API; needs a certificate',
    sample: (_given, stage) => `api.${stage}.example.com`,
  },
  API_ZONE: {
    value: zone,
    needs: 'API_DOMAIN',
    meaning: '`name:id` of the Route 53 zone for the records; without it, point the API domain to the output `DomainTarget` by hand',
    sample: 'example.com:Z0123456789',
  },
  API_GATEWAY_URL: {
    ...SWITCH,
    needs: 'API_DOMAIN',
    meaning: "`on` also serves the API at API Gateway's own host name; without an API domain, that is its only host name",
    sample: 'off',
  },
  EDGE_NAME: {
    value: host,
    fixed: "owners' DNS records contain it, and their domains would stop working",
    meaning: 'host name below which each project has its CNAME target; without it the stage has no custom domains and no dashboard',
    sample: (_given, stage) => `edge.${stage}.example.com`,
  },
  EDGE_ZONE: {
    value: zone,
    needs: 'EDGE_NAME',
    meaning: '`name:id` of the Route 53 zone for `*.<EDGE_NAME>`; without it, point that name to the output `EdgeTarget` by hand',
    sample: 'example.com:Z0123456789',
  },
  EDGE_CERTIFICATE_ARN: {
    value: EDGE_CERTIFICATE,
    needs: 'EDGE_NAME',
    meaning:
      "ARN of an ACM certificate for `*.<EDGE_NAME>` in us-east-1 and the stage's account; with it, each project is served [at its own address](../aws/domains.md#projects-own-addresses)",
    sample: (given) => `arn:aws:acm:us-east-1:${given('ACCOUNT')}:certificate/0b`,
  },
  SIGN_UP: {
    value: choice('open', 'invited'),
    default: '`open`',
    meaning: '`open`: anyone may sign up to the dashboard; `invited`: only users whom an administrator [invites](../aws/users.md)',
    sample: 'invited',
  },
  MFA: {
    value: choice('off', 'required'),
    default: '`off`',
    meaning: '`required`: each sign-in also requires a code from an authenticator app, which users set up when they first sign in',
    sample: 'required',
  },
  PASSKEYS: { ...SWITCH, meaning: "`on`: users may sign in with passkeys, on Cognito's newer pages and with its Essentials feature plan" },
  OPERATORS: {
    value: z
      .string()
      .transform((list) => list.split(',').map((id) => id.trim()))
      .refine((list) => list.every((id) => z.uuid().safeParse(id).success), 'ids (sub) of users in the user pool, separated by commas'),
    needs: 'EDGE_NAME',
    meaning:
      'users who manage all accounts, on the [Operator](../dashboard.md#operators) page: the `sub` of each, separated by commas; set `<STAGE>_MFA`, too',
    sample: '5d2f8a9c-1b3e-4c6d-8f7a-9e0b1c2d3e4f',
  },
  MAIL_FROM: {
    value: sender,
    default: "Cognito's sender",
    meaning:
      "[sender](../aws/users.md) of emails to users of the dashboard, and of [emails to owners](../aws/users.md#emails), which are not sent without it: an address of a domain that is verified in Amazon SES, optionally with a name (`Pet Shop <no-reply@example.com>`), and with `:region` at the end if it is verified in a region other than the stage's",
    sample: 'no-reply@example.com:eu-west-1',
  },
  DNS_SERVERS: { value: nameServers(), default: '`1.1.1.1:53,9.9.9.9:53`', meaning: 'recursive resolvers for domain checks', sample: '192.0.2.1:53' },
  DNS_PORT: { value: numeric(port()), default: '`53`', meaning: 'port of authoritative name servers', sample: '5353' },
  DNS_PRIVATE_NETWORKS: { ...SWITCH, meaning: '`on` also queries name servers at addresses outside the public internet' },
  GITHUB_REPOSITORY: {
    value: REPOSITORY,
    meaning: '`owner/name` whose pipeline may deploy; creates the stack `Pipeline`',
    sample: 'someone/petstore',
  },
  OIDC_SUBJECT: {
    value: text(/^repo:[\w.@-]+\/[\w.@-]+$/, 'the start of a subject, such as repo:owner@123/name@456'),
    default: '`repo:owner/name`',
    meaning: "start of the subject in the repository's tokens, if it contains ids; see [The pipeline](../aws/change.md#the-pipeline)",
    sample: (given) => `repo:${given('GITHUB_REPOSITORY').replace('/', '@1001/')}@2002`,
  },
  API_CERTIFICATE_ARN: {
    value: text(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of an ACM certificate'),
    needs: 'API_DOMAIN',
    meaning: "ARN of the API domain's ACM certificate, in the stage's account and region",
    sample: (given) => `arn:aws:acm:${given('REGION')}:${given('ACCOUNT')}:certificate/0a`,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The values of the settings that are set. */
export type SettingValues = { readonly [Name in keyof typeof SETTINGS]?: z.output<(typeof SETTINGS)[Name]['value']> };

/** Returns the platform's properties that the settings and the profile set; stages.ts adds the stage's name and place. */
export function propertiesOf(values: SettingValues, profile: ProfileName): PetstorePlatformProps {
  const { REGION: region, API_DOMAIN, API_CERTIFICATE_ARN, EDGE_NAME, GITHUB_REPOSITORY, MAIL_FROM } = values;
  const { DNS_SERVERS: dnsServers, DNS_PORT: dnsPort, DNS_PRIVATE_NETWORKS: dnsPrivateNetworks } = values;
  const { acceptance, adminSignIn, ...operation } = PROFILES[profile];
  return {
    ...operation,
    alarmEmail: values.ALARM_EMAIL,
    budget: values.BUDGET,
    draftHeaders: values.DRAFT_HEADERS ?? false,
    signIn: {
      openSignUp: values.SIGN_UP !== 'invited',
      mfa: values.MFA === 'required',
      passkeys: values.PASSKEYS ?? false,
      operators: values.OPERATORS ?? [],
      mailFrom: MAIL_FROM && { ...MAIL_FROM, region: MAIL_FROM.region ?? region },
      adminSignIn,
    },
    pipeline: GITHUB_REPOSITORY === undefined ? undefined : { repository: GITHUB_REPOSITORY, oidcSubject: values.OIDC_SUBJECT, acceptance },
    apiDomain:
      API_DOMAIN === undefined || API_CERTIFICATE_ARN === undefined
        ? undefined
        : { name: API_DOMAIN, certificateArn: API_CERTIFICATE_ARN, zone: values.API_ZONE, gatewayUrl: values.API_GATEWAY_URL ?? false },
    customDomains:
      EDGE_NAME === undefined
        ? undefined
        : { edgeName: EDGE_NAME, zone: values.EDGE_ZONE, certificateArn: values.EDGE_CERTIFICATE_ARN, dnsServers, dnsPort, dnsPrivateNetworks },
  };
}

/** Why each setting that can't be changed or removed is fixed. */
export const FIXED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Setting>(SETTINGS).flatMap(([name, { fixed }]) => (fixed === undefined ? [] : [[name, fixed]])),
);
