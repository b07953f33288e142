// The properties of a whole platform in other people's CDK apps, their defaults, and their allowed values.

import { RemovalPolicy, type StageProps } from 'aws-cdk-lib';
import { globalNameOf } from '../platforms/aws/stage-name.ts';
import { BUDGET, check, problem, REPOSITORY, refuseProblems } from './constructs/allowed-values.ts';
import { edgeProblems } from './constructs/custom-domains.ts';
import type { MailSender } from './constructs/notifier-function.ts';
import { type ApiDomainProps, checkApiProps, type PublicApiProps, RETAINED } from './constructs/public-api-props.ts';
import { edgeNameOf, type PlatformDomainsProps } from './constructs/service-props.ts';

export interface PlatformSignInProps {
  /** Whether anyone may sign up to the dashboard. Otherwise an administrator invites users. @default true */
  readonly openSignUp?: boolean;
  /** Whether each sign-in also requires a code from an authenticator app. @default false */
  readonly mfa?: boolean;
  /** Whether users may sign in with passkeys, which requires Cognito's newer pages and its Essentials feature plan. @default false */
  readonly passkeys?: boolean;
  /** The sender of emails to users: an address in a domain that is verified in Amazon SES. @default Cognito's own sender, 50 emails a day */
  readonly mailFrom?: MailSender | undefined;
  /** Ids (`sub`) of the users who see all accounts in the dashboard, and may change their plans and suspend them. @default none */
  readonly operators?: readonly string[];
  /** Whether callers with the AWS account's credentials can sign in with a user's password, as tests do. @default false */
  readonly adminSignIn?: boolean;
}

export interface PlatformPipelineProps {
  /** The GitHub repository, as `owner/name`, whose workflows may deploy the platform. */
  readonly repository: string;
  /** The start of the subject in the repository workflows' tokens. @default `repo:<repository>` */
  readonly oidcSubject?: string | undefined;
  /** Whether the workflows may also run tests that create accounts and animals. @default false */
  readonly acceptance?: boolean;
}

export interface PetstorePlatformProps
  extends Pick<StageProps, 'env'>,
    Pick<PublicApiProps, 'keyMode' | 'throttle' | 'draftHeaders' | 'logRetention'> {
  /** The region in which this platform was first deployed. Elsewhere, names shared by all regions contain the region. @default the region of `env` */
  readonly homeRegion?: string | undefined;
  /** Tables and the bucket with sites are named after it. Never change it. @default `petstore-<id>` */
  readonly tablePrefix?: string;
  /** The catalogue's own host name. @default the host name from API Gateway */
  readonly apiDomain?: ApiDomainProps | undefined;
  /** Whether to shift traffic to a new version gradually, and back if an alarm goes off. @default true */
  readonly canary?: boolean;
  /** Whether to retain tables, files, users and logs when a stack is deleted, and to protect tables and stacks against deletion. @default true */
  readonly retainData?: boolean;
  /** Whether to reserve concurrency for functions. Impossible in a new AWS account, whose quota is 10. @default false */
  readonly reserveConcurrency?: boolean;
  /** The address to which alarms are sent. @default none: the alarms are only on the incident dashboard */
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

/** All settings on which the stacks depend, complete and checked. */
export type PlatformSettings = ReturnType<typeof platformSettingsOf>;

/** Returns the settings of all stacks. @throws Error that names all invalid values */
export function platformSettingsOf(path: string, name: string, props: PetstorePlatformProps) {
  const { env: { account, region } = {}, homeRegion, customDomains, signIn = {}, pipeline, alarmEmail, budget } = props;
  const problems: string[] = [];
  const removalPolicy = (props.retainData ?? true) ? RETAINED : RemovalPolicy.DESTROY;
  const api = checkApiProps({ ...props, name, removalPolicy, domain: props.apiDomain }, problems);
  if ((account === undefined) !== (region === undefined)) problems.push(problem('env', { account, region }, 'an account and a region, or neither'));
  if (budget !== undefined) check('budget', budget, BUDGET, problems);
  if (budget !== undefined && alarmEmail === undefined) problems.push(problem('alarmEmail', undefined, 'an address for budget emails'));
  if (pipeline !== undefined) check('pipeline.repository', pipeline.repository, REPOSITORY, problems);
  if (customDomains !== undefined) problems.push(...edgeProblems(customDomains, api.tablePrefix, region));
  refuseProblems(path, problems);
  const { canary = true, reserveConcurrency = false, record = {} } = props;
  const { openSignUp = true, mfa = false, passkeys = false, adminSignIn = false, operators = [], mailFrom } = signIn;
  return {
    ...api,
    account,
    region,
    alarmEmail,
    budget,
    pipeline,
    canary,
    reserveConcurrency,
    record,
    /** Part of the names that all regions share: those of roles and of all CloudFront resources. Contains the region, unless it is the first one. */
    globalName: globalNameOf(name, region, homeRegion ?? region),
    signIn: { openSignUp, mfa, passkeys, adminSignIn, operators, mailFrom },
    edge: customDomains && edgeNameOf(customDomains),
  };
}

/** Returns the platform's own host names, whose records can't be set for owners. */
export function ownNamesOf({ edge, domain }: PlatformSettings): string[] {
  return [...(edge === undefined ? [] : [edge.name, `*.${edge.name}`]), ...(domain === undefined ? [] : [domain.name])];
}
