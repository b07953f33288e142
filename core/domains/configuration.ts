// The custom-domain configuration of a project (specification, section 2): what the dashboard shows and takes as JSON.

import * as z from 'zod';
import { validate } from '../validate.ts';
import { type HostNamePolicy, parseHostName } from './host-name.ts';
import { REDIRECT_STATUSES, type Redirect, type RedirectStatus } from './redirects.ts';

export interface DomainConfiguration {
  readonly domains: {
    /** The main domain of the project; undefined if it has none. */
    readonly primary?: string | undefined;
    readonly redirects: readonly Redirect[];
  };
}

const MAX_REDIRECTS = 100;

/** Of the input. */
export const configurationSchema = z.strictObject({
  domains: z.strictObject({
    primary: z.string('a host name').optional().describe("The main domain of the project: one of the project's domains"),
    redirects: z
      .array(
        z.strictObject({
          from: z.string('a host name').describe("The old domain: one of the project's domains"),
          to: z.string('a host name').describe('The target: a domain of the project that is live'),
          status: z
            .literal(REDIRECT_STATUSES, `one of ${REDIRECT_STATUSES.join(', ')}`)
            .default(301)
            .describe('Status of the redirect'),
        }),
        'a list of {"from","to","status"}',
      )
      .max(MAX_REDIRECTS, `at most ${MAX_REDIRECTS} redirects`)
      .default([]),
  }),
});

export type ConfigurationResult =
  | { readonly ok: true; readonly configuration: DomainConfiguration }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a configuration's shape, and its names into their stored form. Whether they are this project's is not known here. */
export function parseConfiguration(value: unknown, policy: HostNamePolicy): ConfigurationResult {
  const result = validate(configurationSchema, 'configuration', value);
  if (!result.ok) return { ok: false, problems: result.message.split('\n').map((line) => line.replace(/^configuration (?=\w)/, '')) };
  const problems: string[] = [];
  const nameOf = (at: string, input: string): string => {
    const parsed = parseHostName(input, policy);
    if (parsed.ok) return parsed.name.host;
    problems.push(`${at}: ${parsed.message.replace(/^domain: /, '')}`);
    return input;
  };
  const { primary, redirects } = result.value.domains;
  const configuration: DomainConfiguration = {
    domains: {
      ...(primary !== undefined && { primary: nameOf('domains.primary', primary) }),
      redirects: redirects.map(({ from, to, status }, index) => ({
        from: nameOf(`domains.redirects[${index}].from`, from),
        to: nameOf(`domains.redirects[${index}].to`, to),
        status: status as RedirectStatus,
      })),
    },
  };
  return problems.length === 0 ? { ok: true, configuration } : { ok: false, problems };
}

/** What of a project's settings names this host as a place to go: the primary domain, and redirects that lead to it. */
export function usesOf({ domains }: DomainConfiguration, host: string): { readonly primary: boolean; readonly redirects: readonly Redirect[] } {
  return { primary: domains.primary === host, redirects: domains.redirects.filter(({ to }) => to === host) };
}

/** The settings without a host that is gone. */
export function withoutHost({ domains }: DomainConfiguration, host: string): DomainConfiguration {
  const { primary, redirects } = domains;
  return {
    domains: {
      ...(primary !== undefined && primary !== host && { primary }),
      redirects: redirects.filter(({ from, to }) => from !== host && to !== host),
    },
  };
}
