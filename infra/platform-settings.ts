// Everything that a platform's stacks depend on, complete and checked. petstore-stage.ts fills it in from the settings of a stage.

import type { KeyMode } from '../core/access/api-key.ts';
import type { StageName } from '../platforms/aws/stage-name.ts';
import type { ApiDomainProps } from './constructs/api-domain.ts';
import type { MailSender } from './constructs/notifier-function.ts';
import { dataRemovalPolicy, type EdgeNameProps, type ServiceProps, type SitesProps, type Throttle } from './constructs/service-props.ts';

export interface SignInSettings {
  /** Whether anyone may sign up to the dashboard. Otherwise an administrator invites users. */
  readonly openSignUp: boolean;
  /** Whether each sign-in takes a code of an authenticator app too. Users set it up at their first sign-in. */
  readonly mfa: boolean;
  /** The sender of emails to users: an address of a verified domain in Amazon SES. @default Cognito's own sender, 50 emails a day */
  readonly mailFrom: MailSender | undefined;
}

/** Settings that only make sense together: profiles.ts has two sets of them. */
export interface OperationSettings {
  readonly logRetentionDays: number;
  /** Retain tables and logs when a stack is deleted, and protect tables against deletion. */
  readonly retainData: boolean;
  /** Shift traffic gradually, and shift it back if an alarm goes off. */
  readonly canary: boolean;
  /** Reserve concurrency for functions whose flood would take the API's. Impossible in a new AWS account, whose quota is 10. */
  readonly reserveConcurrency: boolean;
  /** Run the black-box suite against the stage; it creates its own accounts and animals. */
  readonly acceptance: boolean;
  /** Let callers with credentials of the AWS account sign in to the dashboard with a user's password, as tests of a deployment do. */
  readonly adminSignIn: boolean;
  /** The mode of new keys. */
  readonly keyMode: KeyMode;
  /** Safety limit for the whole stage, in requests a second; accounts have their own limits. */
  readonly throttle: Throttle;
}

export interface PlatformSettings extends OperationSettings {
  readonly name: StageName;
  /**
   * The stage's name in the names of roles and of everything in CloudFront, which are shared by all regions: with the region, unless it is the
   * stage's first one.
   */
  readonly globalName: string;
  /** All settings in effect, for the next deployment to compare. */
  readonly record: Readonly<Record<string, string>>;
  /** If both are undefined, the template fits any account, and the command line's credentials decide. */
  readonly account: string | undefined;
  readonly region: string | undefined;
  /** Prefix of all the stage's table names; must differ between stages. */
  readonly tablePrefix: string;
  /** The GitHub repository, as `owner/name`, whose pipeline may deploy the stage. @default none */
  readonly repository: string | undefined;
  /** The start of the subject in the tokens of the repository's workflows. @default `repo:owner/name` */
  readonly oidcSubject: string | undefined;
  /** Email address for alarms. @default none */
  readonly alarmEmail: string | undefined;
  /** US dollars a month above which an email is sent. @default none */
  readonly budget: number | undefined;
  /** Host name of the API, with its certificate. @default the host name from API Gateway */
  readonly apiDomain: ApiDomainProps | undefined;
  /** Custom domains. @default the stage has none */
  readonly edge: EdgeNameProps | undefined;
  /** Users of the dashboard, which a stage without custom domains does not have. */
  readonly signIn: SignInSettings;
  /** Also send the RateLimit headers from the IETF draft. @default false */
  readonly draftHeaders: boolean;
}

/** Returns what all of a stage's constructs have in common. */
export function servicePropsOf({ name, logRetentionDays, retainData }: PlatformSettings): ServiceProps {
  return { name, logRetention: logRetentionDays, removalPolicy: dataRemovalPolicy(retainData) };
}

/** Returns what all constructs that serve sites have in common. */
export function sitesPropsOf(stage: PlatformSettings): SitesProps {
  const { globalName, tablePrefix, reserveConcurrency } = stage;
  return { ...servicePropsOf(stage), globalName, tablePrefix, reserveConcurrency };
}

/** Returns the stage's own host names, whose records are not for owners. */
export function ownNamesOf({ edge, apiDomain }: PlatformSettings): string[] {
  return [...(edge === undefined ? [] : [edge.name, `*.${edge.name}`]), ...(apiDomain === undefined ? [] : [apiDomain.name])];
}
