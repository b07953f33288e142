// The settings of a stage: one schema of environment variables, from which everything else that knows settings is derived or checked.

import * as z from 'zod';
import { parseNameServer } from '../adapters/dns/name-server.ts';
import { type StageName, settingsPrefix } from '../platforms/aws/stage-name.ts';
import type { MailSender } from './constructs/notifier-function.ts';
import { isProfileName, PROFILES } from './profiles.ts';

const zone = z.string().regex(/^[a-z0-9.-]+:Z[A-Z0-9]+$/, 'name and id of a Route 53 zone, such as example.com:Z0123456789');

const REGION_PATTERN = /^[a-z]{2}(-[a-z]+)+-\d$/;
const REGION = 'a region name, such as eu-central-1';
const SERVERS = 'addresses with ports, separated by commas, such as 9.9.9.9:53,1.1.1.1:53';
const SENDER = 'an email address, or one with the region of its domain in SES, such as no-reply@example.com:eu-west-1';
const PORT = 'a port from 1 to 65535';

/** Returns the schema of a stage's environment variables. The profiles of `staging` and `production` are fixed. */
export const settingsOf = (name: StageName) => {
  const prefix = settingsPrefix(name);
  return z.object({
    [`${prefix}ACCOUNT`]: z
      .string()
      .regex(/^\d{12}$/, '12 digits')
      .optional(),
    [`${prefix}REGION`]: z.string().regex(REGION_PATTERN, REGION).optional(),
    [`${prefix}HOME`]: z.string().regex(REGION_PATTERN, REGION).optional(),
    ...(!isProfileName(name) && { [`${prefix}PROFILE`]: z.enum(Object.keys(PROFILES), Object.keys(PROFILES).join(', ')).optional() }),
    [`${prefix}TABLE_PREFIX`]: z
      .string()
      .regex(/^[a-z][a-z0-9-]{2,40}$/, '3 to 41 lower-case letters, digits and hyphens, starting with a letter')
      .optional(),
    [`${prefix}DRAFT_HEADERS`]: z.enum(['on', 'off'], 'on, off').optional(),
    [`${prefix}ALARM_EMAIL`]: z.email('an email address').optional(),
    [`${prefix}BUDGET`]: z
      .string()
      .regex(/^[1-9]\d{0,6}$/, 'whole US dollars a month, such as 200')
      .optional(),
    [`${prefix}API_DOMAIN`]: z.hostname('a host name, such as api.example.com').optional(),
    [`${prefix}API_ZONE`]: zone.optional(),
    [`${prefix}API_GATEWAY_URL`]: z.enum(['on', 'off'], 'on, off').optional(),
    [`${prefix}EDGE_NAME`]: z.hostname('a host name, such as edge.example.com').optional(),
    [`${prefix}EDGE_ZONE`]: zone.optional(),
    [`${prefix}EDGE_CERTIFICATE_ARN`]: z
      .string()
      .regex(
        /^arn:aws[\w-]*:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
        'the ARN of an ACM certificate in us-east-1, where CloudFront reads certificates',
      )
      .optional(),
    [`${prefix}SIGN_UP`]: z.enum(['open', 'invited'], 'open, invited').optional(),
    [`${prefix}MFA`]: z.enum(['off', 'required'], 'off, required').optional(),
    [`${prefix}MAIL_FROM`]: z
      .string()
      .refine((sender) => readSender(sender, undefined) !== undefined, SENDER)
      .optional(),
    [`${prefix}DNS_SERVERS`]: z
      .string()
      .refine((list) => list.split(',').every((each) => parseNameServer(each) !== undefined), SERVERS)
      .optional(),
    [`${prefix}DNS_PORT`]: z
      .string()
      .regex(/^\d{1,5}$/, PORT)
      .refine((port) => Number(port) >= 1 && Number(port) <= 65_535, PORT)
      .optional(),
    [`${prefix}DNS_PRIVATE_NETWORKS`]: z.enum(['on', 'off'], 'on, off').optional(),
    [`${prefix}GITHUB_REPOSITORY`]: z
      .string()
      .regex(/^[\w.-]+\/[\w.-]+$/, 'owner/name')
      .optional(),
    [`${prefix}OIDC_SUBJECT`]: z
      .string()
      .regex(/^repo:[\w.@-]+\/[\w.@-]+$/, 'the start of a subject, such as repo:owner@123/name@456')
      .optional(),
    [`${prefix}API_CERTIFICATE_ARN`]: z
      .string()
      .regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of an ACM certificate')
      .optional(),
  });
};

/** Reads `address` or `address:region`. @returns undefined if it is neither */
export function readSender(sender: string, stageRegion: string | undefined): MailSender | undefined {
  const [address = '', region = stageRegion, ...rest] = sender.split(':');
  if (rest.length > 0 || !z.email().safeParse(address).success) return undefined;
  return region === undefined || REGION_PATTERN.test(region) ? { address, region } : undefined;
}

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that may have all settings, as a JSON object: `toJSON(vars)` in a workflow. Other variables are ignored. */
export const SETTINGS_VARIABLE = 'STAGE_SETTINGS';

/** Returns the settings that the environment has, as variables or in SETTINGS_VARIABLE; a variable wins. @param problems gets a line if that is no JSON object of strings */
export function settingsIn(environment: Environment, problems: string[]): Environment {
  const text = environment[SETTINGS_VARIABLE];
  if (!text) return environment;
  const parsed = z.record(z.string(), z.string()).safeParse(jsonIn(text));
  if (!parsed.success) problems.push(`${SETTINGS_VARIABLE}: got ${JSON.stringify(text.slice(0, 40))}; allowed: a JSON object with strings`);
  return { ...parsed.data, ...Object.fromEntries(Object.entries(environment).filter(([, value]) => value)) };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
