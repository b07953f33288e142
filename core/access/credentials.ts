// Credentials that a user created in an account and that work without the user: API keys and deploy tokens.

import type { ProjectStore } from '../projects/ports.ts';
import type { Project } from '../projects/project.ts';
import type { AccountStore, DeployTokenStore } from './ports.ts';

/** A key or a deploy token that has not expired. */
export interface Credential {
  readonly kind: 'key' | 'deploy_token';
  readonly id: string;
  readonly name: string;
  /** The deploy token's project; undefined for a key. */
  readonly project?: Pick<Project, 'id' | 'name'>;
}

export interface CredentialPorts {
  readonly accounts: Pick<AccountStore, 'listKeys' | 'revokeKey'>;
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  readonly deployTokens: Pick<DeployTokenStore, 'listTokens' | 'removeToken'>;
}

/** Returns the keys and deploy tokens that a user created in an account and that still work. @param now milliseconds since 1970 */
export async function credentialsOf(
  { accounts, projects, deployTokens }: CredentialPorts,
  accountId: string,
  userId: string,
  now: number,
): Promise<readonly Credential[]> {
  const isTheirs = ({ createdBy, expiresAt }: { readonly createdBy?: string; readonly expiresAt: number }) => createdBy === userId && expiresAt > now;
  const keys = (await accounts.listKeys(accountId)).filter(isTheirs);
  const credentials: Credential[] = keys.map(({ id, name }) => ({ kind: 'key', id, name }));
  for (const project of await projects.listProjects(accountId)) {
    const tokens = (await deployTokens.listTokens(project.id)).filter(isTheirs);
    credentials.push(...tokens.map(({ id, name }) => ({ kind: 'deploy_token' as const, id, name, project })));
  }
  return credentials;
}

/** Revokes all credentials that `credentialsOf` returns. Can be repeated. @param by id of the acting user @param now milliseconds since 1970 */
export async function revokeCredentialsOf(ports: CredentialPorts, accountId: string, userId: string, by: string, now: number): Promise<void> {
  for (const { kind, id } of await credentialsOf(ports, accountId, userId, now))
    await (kind === 'key' ? ports.accounts.revokeKey(id, { at: now, by }) : ports.deployTokens.removeToken(id));
}
