// Errors about the domain that a command names.

import { CliError } from '../context.ts';

/** The error for a name that no project has. */
export function noDomain(host: string): CliError {
  return new CliError(`no domain ${JSON.stringify(host)}; petstore domains list PROJECT shows the domains of a project`);
}

/** The error for a name that several projects have. */
export function claimedByMany(host: string, claims: readonly { readonly projectId: string }[]): CliError {
  return new CliError(`${host} is claimed by several projects; choose one with --project: ${claims.map(({ projectId }) => projectId).join(', ')}`);
}
