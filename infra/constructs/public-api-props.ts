// The properties that all constructs with a public API share, and their allowed values. Other people's CDK apps use these constructs.

import { type Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import { ApiMapping, DomainName, type HttpApi, type HttpStage, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type * as z from 'zod';
import type { KeyMode } from '../../core/access/api-key.ts';
import { defaultTablePrefix, stageNameProblem } from '../../platforms/aws/stage-name.ts';
import { COUNT, check, checkZone, HOST, problem, TABLE_PREFIX } from './allowed-values.ts';
import type { AccessTables } from './catalogue-tables.ts';
import type { Throttle, ZoneProps } from './service-props.ts';

export interface PublicApiProps {
  /**
   * The name with which `petstore --stage NAME` finds the deployment. It is part of the names of tables, parameters, alarms, metrics and logs, and
   * must be unique in an account and region. Never change it, because tables are named after it.
   */
  readonly name: string;
  /** Tables are named `<prefix>-usage`, and so on. Never change it: another prefix means new, empty tables. @default `petstore-<name>` */
  readonly tablePrefix?: string;
  /**
   * Existing tables with the keys and indexes of `tableDefinitions` in `petstore-platform/adapters/dynamodb`. They may belong to a construct with
   * another name; both then share accounts, keys and limits. If your own KMS key encrypts the tables, grant `kms:Decrypt` on it to `role` and to the
   * operators. @default its own tables
   */
  readonly tables?: AccessTables;
  /** The mode of new keys, which their text shows: `petstore_live_…` or `petstore_test_…`. @default 'live' */
  readonly keyMode?: KeyMode;
  /**
   * A limit for all requests to the API together, in addition to each account's. Above it, API Gateway itself answers 429, without this API's body,
   * headers and counters. Must be known at synthesis, because an alarm depends on it. @default 500 requests a second, 1,000 at once
   */
  readonly throttle?: Throttle;
  /** The API's own host name. @default the host name from API Gateway */
  readonly domain?: ApiDomainProps | undefined;
  /** Whether to send the headers `RateLimit` and `RateLimit-Policy` from the IETF draft as well. @default false */
  readonly draftHeaders?: boolean;
  /** How long logs are kept. @default one year */
  readonly logRetention?: RetentionDays;
  /**
   * What happens to tables and logs that are removed from their stack. With DESTROY, tables also have no deletion protection. DynamoDB and CloudWatch
   * Logs don't support SNAPSHOT. @default they are retained, unless their own creation fails
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * The alarm `slow` goes off if more than one response in a hundred takes longer. Whole milliseconds, at most 30 seconds (API Gateway's limit).
   * @default one second; 80 % of `timeout` for a KeyedApi, whose target may be slow
   */
  readonly slowAlarm?: Duration;
  /**
   * Receives the API's alarms. Its policy must allow this account's alarms to publish. If constructs share tables, only the first one with a topic
   * creates the tables' alarms. @default there are no alarms
   */
  readonly alarmTopic?: ITopic;
}

const THROTTLE: Throttle = { rate: 500, burst: 1_000 };

/** Returns the properties with their defaults. @param problems receives a line for each value that is not allowed */
export function checkApiProps(props: PublicApiProps, problems: string[]) {
  const { name, tablePrefix = defaultTablePrefix(name), keyMode = 'live', throttle = THROTTLE, removalPolicy = RETAINED, domain, slowAlarm } = props;
  checkName(name, problems);
  check('tablePrefix', tablePrefix, TABLE_PREFIX, problems);
  checkRemovalPolicy(removalPolicy, problems);
  if (keyMode !== 'live' && keyMode !== 'test') problems.push(problem('keyMode', keyMode, 'live, test'));
  for (const part of ['rate', 'burst'] as const) check(`throttle.${part}`, throttle[part], COUNT, problems);
  if (slowAlarm !== undefined) checkSlowAlarm(slowAlarm, problems);
  if (domain !== undefined) checkIfKnown('domain.name', domain.name, HOST, problems);
  if (domain?.zone !== undefined) checkZone('domain.zone', domain.name, domain.zone.name, problems);
  return {
    name,
    tablePrefix,
    keyMode,
    throttle,
    domain,
    slowAlarm,
    removalPolicy,
    draftHeaders: props.draftHeaders ?? false,
    logRetention: props.logRetention ?? RetentionDays.ONE_YEAR,
    protectData: removalPolicy !== RemovalPolicy.DESTROY,
  };
}

/** A resource is not retained if its own creation fails, because it has no data yet, and its fixed name would block the next attempt. */
export const RETAINED = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

function checkSlowAlarm(slow: Duration, problems: string[]): void {
  const milliseconds = slow.isUnresolved() ? Number.NaN : slow.toMilliseconds({ integral: false });
  if (!Number.isInteger(milliseconds) || milliseconds < 1 || milliseconds > 30_000)
    problems.push(problem('slowAlarm', Number.isNaN(milliseconds) ? 'a token' : `${milliseconds} ms`, 'whole milliseconds, 1 to 30000'));
}

/** Adds a line if a name is not allowed. It is part of other names, so it must be known at synthesis. */
export function checkName(name: string, problems: string[]): void {
  const allowed = stageNameProblem(name);
  if (allowed !== undefined) problems.push(problem('name', name, allowed));
}

/** Refuses SNAPSHOT: tables and logs have no snapshots, so CloudFormation would reject the template. */
export function checkRemovalPolicy(policy: RemovalPolicy, problems: string[]): void {
  if (policy === RemovalPolicy.SNAPSHOT) problems.push(problem('removalPolicy', policy, 'RETAIN_ON_UPDATE_OR_DELETE, RETAIN, DESTROY'));
}

/** Adds a line if the value is not allowed, unless it is only known at deployment. */
export function checkIfKnown(property: string, given: unknown, allowed: z.core.$ZodType, problems: string[]): void {
  if (!Token.isUnresolved(given)) check(property, given, allowed, problems);
}

export interface ApiDomainProps {
  /** The host name, such as `api.example.com`. */
  readonly name: string;
  /** The ARN of a certificate for the name, in the API's region. */
  readonly certificateArn: string;
  /** The Route 53 zone for the record. @default none: the record is set manually */
  readonly zone?: ZoneProps | undefined;
  /** Whether to serve the API at API Gateway's own host name as well. @default false */
  readonly gatewayUrl?: boolean | undefined;
}

/** Serves the API at a host name: `Domain`, `Certificate`, `Mapping`, and records if the zone is known. */
export function apiDomain(scope: Construct, { name, certificateArn, zone }: ApiDomainProps, api: HttpApi, stage: HttpStage): DomainName {
  const domainName = new DomainName(scope, 'Domain', {
    domainName: name,
    securityPolicy: SecurityPolicy.TLS_1_2,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
  });
  new ApiMapping(scope, 'Mapping', { api, domainName, stage });
  if (zone === undefined) return domainName;
  const target = new ApiGatewayv2DomainProperties(domainName.regionalDomainName, domainName.regionalHostedZoneId);
  const hostedZone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', { zoneName: zone.name, hostedZoneId: zone.id });
  const record = { zone: hostedZone, recordName: name, target: RecordTarget.fromAlias(target) };
  new ARecord(scope, 'AddressRecord', record);
  new AaaaRecord(scope, 'Ipv6AddressRecord', record);
  return domainName;
}
