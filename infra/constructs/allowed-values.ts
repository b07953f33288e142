// The allowed values of stages' settings, which are text, and of constructs' properties, some of which are only known at deployment. Settings are
// also read without the CDK, so the CDK is not imported here.

import * as z from 'zod';
import { parseNameServer } from '../../adapters/dns/name-server.ts';
import { maxTablePrefix } from '../../platforms/aws/stage-name.ts';

/** Returns a schema for text. @param allowed what is allowed, for messages */
export function text(pattern: RegExp, allowed: string): z.ZodString {
  return z.string(allowed).regex(pattern, allowed);
}

/** The prefix of a table's name: what DynamoDB allows, minus the longest suffix. */
export const TABLE_PREFIX = text(/^[a-z][a-z0-9-]{2,40}$/, '3 to 41 lower-case letters, digits and hyphens, starting with a letter');
export const GLOBAL_NAME = text(/^[a-z][a-z0-9-]{0,40}$/, '1 to 41 lower-case letters, digits and hyphens, starting with a letter');
export const HOST = text(
  /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
  'a host name in lower case, such as api.example.com',
);
/** API reference, HostedZone. */
export const ZONE_ID = text(/^Z[A-Z0-9]{0,31}$/, 'the id of a Route 53 zone, such as Z0123456789');
export const EDGE_CERTIFICATE = text(
  /^arn:aws[\w-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
  'the ARN of an ACM certificate in us-east-1, where CloudFront reads certificates',
);
export const NAME_SERVER = z.string().refine((server) => parseNameServer(server) !== undefined, 'an address with a port, such as 9.9.9.9:53');
/** A count from which an alarm's threshold is computed, so it must be known at synthesis. */
export const COUNT = z.int('a whole number of at least 1').min(1, 'a whole number of at least 1');
const MEGABYTES = '128 to 10240, in MB';
export const MEMORY = z.int(MEGABYTES).min(128, MEGABYTES).max(10_240, MEGABYTES);
const DOLLARS = 'whole US dollars a month, such as 200';
export const BUDGET = z.int(DOLLARS).positive(DOLLARS);
export const REPOSITORY = text(/^[\w.-]+\/[\w.-]+$/, 'owner/name');

/** Adds a line if the value is not allowed. */
export function check(property: string, given: unknown, allowed: z.core.$ZodType, problems: string[]): void {
  const issue = z.safeParse(allowed, given).error?.issues[0];
  if (issue !== undefined) problems.push(problem(property, given, issue.message));
}

/** Whether the CDK marks a value as known only at deployment: by a token in text, or by a very low number (`Token.isUnresolved`). */
function isUnresolved(given: unknown): boolean {
  return typeof given === 'number' ? given < Number.MIN_SAFE_INTEGER : typeof given === 'string' && given.includes('${Token[');
}

/** Checks that a host name is in the zone where its record is set. @param property the zone's property */
export function checkZone(property: string, host: string, zone: string, problems: string[]): void {
  if (isUnresolved(host) || isUnresolved(zone) || host === zone || host.endsWith(`.${zone}`)) return;
  problems.push(problem(property, zone, `the zone that contains ${host}`));
}

/** Checks a prefix that is also part of the sites bucket's name. @param region undefined if it is not known */
export function checkBucketPrefix(property: string, prefix: string, region: string | undefined, problems: string[]): void {
  const longest = maxTablePrefix(region);
  if (prefix.length > longest) problems.push(problem(property, prefix, `at most ${longest} characters, because a bucket is named after it`));
}

/** Returns a line with the given value and what is allowed. */
export function problem(property: string, given: unknown, allowed: string): string {
  return `${property}: got ${isUnresolved(given) ? 'a value that is only known at deployment' : JSON.stringify(given)}; allowed: ${allowed}`;
}

/** @throws Error with all problems, if there are any */
export function refuseProblems(path: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${path}: invalid properties:\n${problems.map((each) => `  ${each}`).join('\n')}`);
}
