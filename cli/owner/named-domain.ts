// Errors about the domain or the configuration that a command names.

import { changesBetween, type ShownConfiguration } from '../../core/domains/configuration-changes.ts';
import { normalEmail } from '../../core/identity/user.ts';
import { CliError } from '../context.ts';
import type { InvitationRow } from './port.ts';

/** Creates the error for a name that no project has. */
export function noDomain(host: string): CliError {
  return new CliError(`no domain ${JSON.stringify(host)}; petstore domains list PROJECT shows the domains of a project`);
}

/** Returns the domain with a name. @param claims the projects' claims to the name @throws CliError if there is none, or more than one */
export function onlyClaim<T extends { readonly projectId: string }>(host: string, claims: readonly T[]): T {
  const [domain] = claims;
  if (domain === undefined) throw noDomain(host);
  if (claims.length === 1) return domain;
  throw new CliError(`${host} is claimed by several projects; choose one with --project: ${claims.map(({ projectId }) => projectId).join(', ')}`);
}

/** Creates the error for a configuration that has changed since the user read it. @param read the configuration then @param now the current one */
export function configurationChanged(read: ShownConfiguration, now: ShownConfiguration): CliError {
  return new CliError(
    `another client has changed the configuration in the meantime, and nothing was stored: ${changesBetween(read, now).join('; ')}`,
  );
}

/** Finds an invitation by its id or its address. @returns its id, or the given text if there is no such invitation */
export function invitationIn(all: readonly InvitationRow[], given: string): string {
  return all.find(({ invitationId, email }) => invitationId === given || email === normalEmail(given))?.invitationId ?? given;
}
