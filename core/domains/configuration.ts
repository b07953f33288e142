// A project's configuration: its custom domains (specification, section 2), and what is recorded about visitors. The dashboard uses it as JSON.

import * as z from 'zod';
import { faultsIn } from '../text.ts';
import { validate } from '../validate.ts';
import { type HostNamePolicy, parseHostName } from './host-name.ts';
import { REDIRECT_STATUSES, type Redirect, type RedirectStatus } from './redirects.ts';

export interface DomainConfiguration {
  readonly domains: {
    /** @default none */
    readonly primary?: string | undefined;
    readonly redirects: readonly Redirect[];
  };
  /** What is recorded about visitors. @default nothing */
  readonly logs?: { readonly access: true } | undefined;
}

const MAX_REDIRECTS = 100;

/** The configuration as given by a client. */
export const configurationSchema = z.strictObject({
  domains: z.strictObject({
    primary: z.string('a host name').optional().describe("The project's primary domain: a live domain of the project"),
    redirects: z
      .array(
        z.strictObject({
          from: z.string('a host name').describe("The old domain: one of the project's domains"),
          to: z.string('a host name').describe('The target: a live domain of the project'),
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
  logs: z
    .strictObject({
      access: z
        .boolean('true or false')
        .default(false)
        .describe("Whether visits are in the operator's access log, with the visitors' addresses, which are personal data. Only on one machine"),
    })
    .optional(),
});

export type ConfigurationResult =
  | { readonly ok: true; readonly configuration: DomainConfiguration }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Validates a configuration's shape and normalizes its names. Does not check whether the names belong to this project. */
export function parseConfiguration(value: unknown, policy: HostNamePolicy): ConfigurationResult {
  const result = validate(configurationSchema, 'configuration', value);
  if (!result.ok) return { ok: false, problems: faultsIn(result.message).map((line) => line.replace(/^configuration (?=\w)/, '')) };
  const problems: string[] = [];
  const nameOf = (at: string, input: string): string => {
    const parsed = parseHostName(input, policy);
    if (parsed.ok) return parsed.name.host;
    problems.push(`${at}: ${parsed.message.replace(/^domain: /, '')}`);
    return input;
  };
  const { domains, logs } = result.value;
  const { primary, redirects } = domains;
  const configuration: DomainConfiguration = {
    domains: {
      ...(primary !== undefined && { primary: nameOf('domains.primary', primary) }),
      redirects: redirects.map(({ from, to, status }, index) => ({
        from: nameOf(`domains.redirects[${index}].from`, from),
        to: nameOf(`domains.redirects[${index}].to`, to),
        status: status as RedirectStatus,
      })),
    },
    ...(logs?.access === true && { logs: { access: true } }),
  };
  return problems.length === 0 ? { ok: true, configuration } : { ok: false, problems };
}

/** Returns the project settings that point to this host: the primary domain, and redirects to it. */
export function usesOf({ domains }: DomainConfiguration, host: string): { readonly primary: boolean; readonly redirects: readonly Redirect[] } {
  return { primary: domains.primary === host, redirects: domains.redirects.filter(({ to }) => to === host) };
}

/** Returns the settings without those that name a removed host. */
export function withoutHost(configuration: DomainConfiguration, host: string): DomainConfiguration {
  const { primary, redirects } = configuration.domains;
  return {
    ...configuration,
    domains: {
      ...(primary !== undefined && primary !== host && { primary }),
      redirects: redirects.filter(({ from, to }) => from !== host && to !== host),
    },
  };
}
