// The properties of the constructs that put an API on the internet, in anyone's CDK app, and what is allowed in them.

import { RemovalPolicy, Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { KeyMode } from '../../core/access/api-key.ts';
import { defaultTablePrefix, stageNameProblem } from '../../platforms/aws/stage-name.ts';
import type { ApiDomainProps } from './api-domain.ts';
import type { Throttle } from './catalogue-api.ts';

export interface PublicApiProps {
  /**
   * The name with which `petstore --stage NAME` finds the deployment. It is part of the names of tables, parameters, alarms, metrics and logs, and
   * must be unique in an account and region. It never changes: tables are named after it.
   */
  readonly name: string;
  /**
   * Tables are named `<prefix>-usage`, and so on. It never changes: another prefix means empty tables.
   *
   * @default `petstore-<name>`
   */
  readonly tablePrefix?: string;
  /** The mode of new keys, which their text shows: `petstore_live_…` or `petstore_test_…`. @default 'live' */
  readonly keyMode?: KeyMode;
  /** A limit for all requests together; each account has the limits of its plan. @default 500 requests a second, 1,000 at once */
  readonly throttle?: Throttle;
  /** The API's own host name. @default the host name from API Gateway */
  readonly domain?: ApiDomainProps;
  /** Also send the headers `RateLimit` and `RateLimit-Policy`, which are an IETF draft. @default false */
  readonly draftHeaders?: boolean;
  /** How long logs are kept. @default one year */
  readonly logRetention?: RetentionDays;
  /**
   * What happens to the tables and the logs when they are removed from their stack. With DESTROY, tables are also not protected against deletion.
   *
   * @default they are retained, unless their own creation fails
   */
  readonly removalPolicy?: RemovalPolicy;
  /** Gets the API's alarms. It must let this account's alarms publish. @default there are no alarms */
  readonly alarmTopic?: ITopic;
}

export interface CheckedApiProps extends Required<Omit<PublicApiProps, 'domain' | 'alarmTopic'>> {
  readonly domain: ApiDomainProps | undefined;
  readonly protectData: boolean;
}

const THROTTLE: Throttle = { rate: 500, burst: 1_000 };
/** Of a name in DynamoDB, with the longest ending. */
const PREFIX_PATTERN = /^[a-z][a-z0-9-]{2,40}$/;
const HOST_PATTERN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the properties with their defaults. @param problems gets a line for each value that is not allowed */
export function checkApiProps(props: PublicApiProps, problems: string[]): CheckedApiProps {
  const { name, tablePrefix = defaultTablePrefix(name), keyMode = 'live', throttle = THROTTLE, removalPolicy = RETAINED, domain } = props;
  checkName(name, problems);
  checkTablePrefix(tablePrefix, problems);
  if (keyMode !== 'live' && keyMode !== 'test') problems.push(problem('keyMode', keyMode, 'live, test'));
  for (const [part, value] of Object.entries({ rate: throttle.rate, burst: throttle.burst }))
    if (!Token.isUnresolved(value) && (!Number.isInteger(value) || value < 1))
      problems.push(problem(`throttle.${part}`, value, 'a whole number of at least 1'));
  if (domain !== undefined) checkHost('domain.name', domain.name, problems);
  if (domain?.zone !== undefined) checkZone('domain', domain.name, domain.zone.name, problems);
  return {
    name,
    tablePrefix,
    keyMode,
    throttle,
    domain,
    draftHeaders: props.draftHeaders ?? false,
    logRetention: props.logRetention ?? RetentionDays.ONE_YEAR,
    removalPolicy,
    protectData: removalPolicy !== RemovalPolicy.DESTROY,
  };
}

/** Data is not retained if its own creation fails: there is none yet, and what is left under a fixed name would block the next attempt. */
export const RETAINED = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** Names are parts of other names, so they must be known at synthesis. */
export function checkName(name: string, problems: string[]): void {
  const allowed = stageNameProblem(name);
  if (allowed !== undefined) problems.push(problem('name', name, allowed));
}

/** Checks a prefix of tables. */
export function checkTablePrefix(prefix: string, problems: string[]): void {
  if (!PREFIX_PATTERN.test(prefix))
    problems.push(problem('tablePrefix', prefix, '3 to 41 lower-case letters, digits and hyphens, starting with a letter'));
}

/** Checks a host name, unless it is known at deployment only. */
export function checkHost(property: string, host: string, problems: string[]): void {
  if (!Token.isUnresolved(host) && !HOST_PATTERN.test(host))
    problems.push(problem(property, host, 'a host name in lower case, such as api.example.com'));
}

/** Checks that a name is in the zone in which it is set. */
export function checkZone(property: string, host: string, zone: string, problems: string[]): void {
  if (Token.isUnresolved(host) || Token.isUnresolved(zone) || host === zone || host.endsWith(`.${zone}`)) return;
  problems.push(problem(`${property}.zone`, zone, `the zone that contains ${host}`));
}

/** Writes what was given and what is allowed. */
export function problem(property: string, given: unknown, allowed: string): string {
  return `${property}: got ${Token.isUnresolved(given) ? 'a value that is known at deployment only' : JSON.stringify(given)}; allowed: ${allowed}`;
}

/** @throws Error with all problems, if there are any */
export function refuseProblems(path: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${path}: invalid properties:\n${problems.map((each) => `  ${each}`).join('\n')}`);
}
