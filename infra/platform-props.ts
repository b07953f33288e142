// The properties of a whole platform in a CDK app of others, their defaults, and what is allowed in them.

import type { StageProps } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { KeyMode } from '../core/access/api-key.ts';
import { globalNameOf } from '../platforms/aws/stage-name.ts';
import { BUDGET, check, problem, REPOSITORY, refuseProblems } from './constructs/allowed-values.ts';
import type { ApiDomainProps } from './constructs/api-domain.ts';
import { edgeProblems } from './constructs/custom-domains.ts';
import type { MailSender } from './constructs/notifier-function.ts';
import { checkApiProps } from './constructs/public-api-props.ts';
import { dataRemovalPolicy, edgeNameOf, type PlatformDomainsProps, type Throttle } from './constructs/service-props.ts';
import type { PlatformSettings } from './platform-settings.ts';

export interface PlatformSignInProps {
  /** Whether anyone may sign up to the dashboard. Otherwise an administrator invites users. @default true */
  readonly openSignUp?: boolean;
  /** Whether each sign-in also requires a code from an authenticator app. @default false */
  readonly mfa?: boolean;
  /** The sender of emails to users: an address of a verified domain in Amazon SES. @default Cognito's own sender, 50 emails a day */
  readonly mailFrom?: MailSender | undefined;
  /** Whether callers with credentials of the AWS account can sign in with a user's password, as tests do. @default false */
  readonly adminSignIn?: boolean;
}

export interface PlatformPipelineProps {
  /** The GitHub repository, as `owner/name`, whose workflows may deploy the platform. */
  readonly repository: string;
  /** The start of the subject in the tokens of the repository's workflows. @default `repo:<repository>` */
  readonly oidcSubject?: string | undefined;
  /** Let the workflows also run tests that create accounts and animals. @default false */
  readonly acceptance?: boolean;
}

export interface PetstorePlatformProps extends Pick<StageProps, 'env'> {
  /**
   * The region in which a platform of this name was first deployed. If `env` has another region, the names that all regions share contain that one.
   *
   * @default the region of `env`
   */
  readonly homeRegion?: string | undefined;
  /** Tables and the bucket with sites are named after it. Never change it. @default `petstore-<id>` */
  readonly tablePrefix?: string;
  /** The mode of new keys. @default 'live' */
  readonly keyMode?: KeyMode;
  /** A limit for all requests to the catalogue together. @default 500 requests a second, 1,000 at once */
  readonly throttle?: Throttle;
  /** The catalogue's own host name. @default the host name from API Gateway */
  readonly apiDomain?: ApiDomainProps | undefined;
  /** Also send the headers `RateLimit` and `RateLimit-Policy`, which are an IETF draft. @default false */
  readonly draftHeaders?: boolean;
  /** Shift traffic to a new version gradually, and shift it back if an alarm goes off. @default true */
  readonly canary?: boolean;
  /** Retain tables, files, users and logs when a stack is deleted, and protect tables and stacks against deletion. @default true */
  readonly retainData?: boolean;
  /** Reserve concurrency for functions. Impossible in a new AWS account, whose quota is 10. @default false */
  readonly reserveConcurrency?: boolean;
  /** How long logs are kept. @default one year */
  readonly logRetention?: RetentionDays;
  /** The address that alarms are sent to. @default none: the alarms are only on the incident dashboard */
  readonly alarmEmail?: string | undefined;
  /** A monthly budget in US dollars. An email to `alarmEmail` is sent when the cost exceeds it, or is forecast to. @default there is no budget */
  readonly budget?: number | undefined;
  /** Custom domains, and the dashboard with which owners manage them. @default there are none */
  readonly customDomains?: PlatformDomainsProps | undefined;
  /** Users of the dashboard. */
  readonly signIn?: PlatformSignInProps;
  /** Roles for a pipeline. @default there are none */
  readonly pipeline?: PlatformPipelineProps | undefined;
  /** Settings that are recorded in a parameter, for tools that compare deployments. @default none */
  readonly record?: Readonly<Record<string, string>>;
}

/** Returns the settings of all stacks. @throws Error with everything that is not allowed */
export function platformSettingsOf(path: string, name: string, props: PetstorePlatformProps): PlatformSettings {
  const { env: { account, region } = {}, homeRegion, apiDomain, retainData = true, customDomains, signIn = {}, pipeline, alarmEmail, budget } = props;
  const problems: string[] = [];
  const api = checkApiProps({ ...props, name, removalPolicy: dataRemovalPolicy(retainData), ...(apiDomain && { domain: apiDomain }) }, problems);
  if ((account === undefined) !== (region === undefined)) problems.push(problem('env', { account, region }, 'an account and a region, or neither'));
  if (budget !== undefined) check('budget', budget, BUDGET, problems);
  if (budget !== undefined && alarmEmail === undefined) problems.push(problem('alarmEmail', undefined, 'an address for the emails of the budget'));
  if (pipeline !== undefined) check('pipeline.repository', pipeline.repository, REPOSITORY, problems);
  if (customDomains !== undefined) problems.push(...edgeProblems(customDomains, api.tablePrefix, region));
  refuseProblems(path, problems);
  return {
    name,
    globalName: globalNameOf(name, region, homeRegion ?? region),
    record: props.record ?? {},
    account,
    region,
    tablePrefix: api.tablePrefix,
    keyMode: api.keyMode,
    throttle: api.throttle,
    draftHeaders: api.draftHeaders,
    logRetentionDays: props.logRetention ?? RetentionDays.ONE_YEAR,
    retainData,
    canary: props.canary ?? true,
    reserveConcurrency: props.reserveConcurrency ?? false,
    acceptance: pipeline?.acceptance ?? false,
    adminSignIn: signIn.adminSignIn ?? false,
    apiDomain,
    alarmEmail,
    budget,
    repository: pipeline?.repository,
    oidcSubject: pipeline?.oidcSubject,
    signIn: { openSignUp: signIn.openSignUp ?? true, mfa: signIn.mfa ?? false, mailFrom: signIn.mailFrom },
    edge: customDomains && edgeNameOf(customDomains),
  };
}

/** Returns the properties that have these settings as their result. */
export function propsOfSettings(settings: PlatformSettings): PetstorePlatformProps {
  const { account, region, edge, signIn, repository, oidcSubject, acceptance, adminSignIn, logRetentionDays } = settings;
  return {
    ...settings,
    ...(account !== undefined && region !== undefined && { env: { account, region } }),
    logRetention: logRetentionDays,
    customDomains: edge && { ...edge, edgeName: edge.name },
    signIn: { ...signIn, adminSignIn },
    pipeline: repository === undefined ? undefined : { repository, oidcSubject, acceptance },
  };
}
