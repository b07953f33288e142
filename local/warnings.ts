// Warnings for the operator of a service that has started.

import { statSync } from 'node:fs';
import { hasSecondFactor } from '../core/identity/factors.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import { neighborProblem, type Settings } from '../platforms/embedded/settings.ts';

/** Checks the data folder's permissions. @returns a sentence; none if only its owner has access */
export function folderWarnings(folder: string): readonly string[] {
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o077) === 0) return [];
  return [
    `PETSTORE_DATA: other users of this machine can access ${folder} (mode ${mode.toString(8)}); allowed: only its owner; run chmod 700 ${folder}`,
  ];
}

/** Checks the users who are to be operators. @returns a sentence for each who can't be one yet */
export async function operatorWarnings(
  { operators }: Pick<Settings, 'operators'>,
  { users, factors }: Pick<DataFolder, 'users' | 'factors'>,
): Promise<readonly string[]> {
  const warnings = operators.map(async (id) => {
    const user = await users.get(id);
    if (user === undefined) return [`PETSTORE_OPERATORS: no user ${id}; petstore users list shows all users`];
    if (hasSecondFactor(await factors.factorsOf(id))) return [];
    return [
      `PETSTORE_OPERATORS: ${user.email} has no second factor, which operators need; until there is one, anyone who knows the password can add one`,
    ];
  });
  return (await Promise.all(warnings)).flat();
}

/**
 * Checks for settings that have no effect because an adapter replaces them, for names that let sites set the dashboard's cookies, and for a sign-in
 * that does not work from other machines. @param providers the name of each port's adapter
 */
export function settingWarnings(
  { mail, edge, host, publicUrl }: Pick<Settings, 'mail' | 'edge' | 'host' | 'publicUrl'>,
  { mailer }: { readonly mailer?: string | undefined },
): readonly string[] {
  const neighbors = neighborProblem({ edge, publicUrl });
  return [
    ...(mail === undefined || mailer === undefined
      ? []
      : [`PETSTORE_SMTP_URL, PETSTORE_MAIL_FROM: not used, because the adapter ${mailer} sends emails; remove these settings, or the adapter`]),
    ...(publicUrl === undefined && ['0.0.0.0', '::'].includes(host)
      ? [
          `PETSTORE_URL: missing; with PETSTORE_HOST=${host}, other machines reach the service, but can't sign in: set it to the address that they use`,
        ]
      : []),
    ...(neighbors === undefined ? [] : [`PETSTORE_EDGE_NAME: ${neighbors.found}; ${neighbors.action}`]),
  ];
}
