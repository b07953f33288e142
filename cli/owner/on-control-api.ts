// Owners' commands as requests to the control API: the part that is the same over HTTP and, for operators, in process.

import { accountIdOfKeyId } from '../../core/access/api-key.ts';
import { changesBetween } from '../../core/domains/configuration-changes.ts';
import { CliError } from '../context.ts';
import type { ControlApi } from '../remote/control-api.ts';
import { configurationChanged, invitationIn } from './named-domain.ts';
import type { DomainRow, OwnerPort } from './port.ts';

export interface RequestOptions {
  /** Returns the id of the user with this id or address; the text itself if there is no such user. */
  readonly userIdOf: (accountId: string, user: string) => Promise<string>;
  /** Converts a key's lifetime from milliseconds to days. @throws CliError if it is not allowed */
  readonly daysOf: (lifetimeMs: number) => number;
}

/** Creates the methods that only request operations. @param request rejects with CliError if an operation is refused */
export function createRequests(request: ControlApi['request'], { userIdOf, daysOf }: RequestOptions) {
  const listInvitations = (accountId: string) => request('listInvitations', { path: { accountId } });
  return {
    listAccounts: () => request('listAccounts', {}),
    renameAccount: async (accountId, name) => void (await request('renameAccount', { path: { accountId }, body: { name } })),
    requireSecondFactor: async (accountId, required) => void (await request('requireSecondFactor', { path: { accountId }, body: { required } })),
    deleteAccount: async (accountId) => void (await request('deleteAccount', { path: { accountId } })),
    usage: (accountId) => request('getUsage', { path: { accountId } }),
    listMembers: (accountId) => request('listMembers', { path: { accountId } }),
    setRole: async (accountId, user, role) =>
      (await request('changeMember', { path: { accountId, userId: await userIdOf(accountId, user) }, body: { role } })).userId,
    removeMember: async (accountId, user) => {
      const userId = await userIdOf(accountId, user);
      await request('removeMember', { path: { accountId, userId } });
      return userId;
    },

    listInvitations,
    invite: (accountId, email, role) => request('inviteMember', { path: { accountId }, body: { email, role } }),
    withdrawInvitation: async (accountId, invitation) => {
      const invitationId = invitationIn(await listInvitations(accountId), invitation);
      await request('withdrawInvitation', { path: { accountId, invitationId } });
      return invitationId;
    },

    listKeys: (accountId) => request('listKeys', { path: { accountId } }),
    listRevokedKeys: (accountId) => request('listRevokedKeys', { path: { accountId } }),
    issueKey: ({ accountId, name, scopes, lifetimeMs }) => {
      const expiresInDays = lifetimeMs === undefined ? undefined : daysOf(lifetimeMs);
      return request('issueKey', { path: { accountId }, body: { name, scopes: [...scopes], ...(expiresInDays !== undefined && { expiresInDays }) } });
    },
    changeKey: async (keyId, { name, scopes, lifetimeMs, paused }) => {
      const expiresInDays = typeof lifetimeMs === 'number' ? daysOf(lifetimeMs) : lifetimeMs;
      const body = {
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes: [...scopes] }),
        ...(expiresInDays !== undefined && { expiresInDays }),
        ...(paused !== undefined && { paused }),
      };
      return request('changeKey', { ...ofKey(keyId), body });
    },
    rotateKey: async (keyId, graceMs) => request('rotateKey', { ...ofKey(keyId), body: { graceSeconds: Math.round(graceMs / 1_000) } }),
    revokeKey: async (keyId) => void (await request('revokeKey', ofKey(keyId))),

    renameProject: async (projectId, name) => void (await request('renameProject', { path: { projectId }, body: { name } })),
    deleteProject: async (projectId) => void (await request('deleteProject', { path: { projectId } })),
    listDeployments: (projectId) => request('listDeployments', { path: { projectId } }),
    deleteDeployment: async (projectId, deploymentId) => void (await request('deleteDeployment', { path: { projectId, deploymentId } })),
    pinDeployment: (projectId, deploymentId) => request('pinDeployment', { path: { projectId, deploymentId } }),
    unpinDeployment: (projectId, deploymentId) => request('unpinDeployment', { path: { projectId, deploymentId } }),
    rollBack: (projectId, to) => request('rollBack', { path: { projectId }, body: to === undefined ? {} : { deploymentId: to } }),
    getConfiguration: (projectId) => request('getConfiguration', { path: { projectId } }),
    putConfiguration: async (projectId, value, read) => {
      const path = { projectId };
      if (read === undefined) return request('putConfiguration', { path, body: value });
      let etag = '';
      const found = await request('getConfiguration', { path, onEtag: (each) => (etag = each) });
      if (changesBetween(read, found).length > 0) throw configurationChanged(read, found);
      return request('putConfiguration', { path, body: value, ifMatch: etag });
    },

    addDomain: (projectId, input, { companion }) => request('addDomain', { path: { projectId }, body: { host: input, companion } }),
    listDomains: (projectId) => request('listDomains', { path: { projectId } }),
    verifyDomain: (domain) => request('verifyDomain', ofDomain(domain)),
    publishRecords: async (domain) => (await request('publishRecords', ofDomain(domain))).records,
    removeDomain: (domain, { withRedirects }) =>
      request('removeDomain', { ...ofDomain(domain), ...(withRedirects && { query: { withRedirects: 'true' } }) }),
  } satisfies Partial<OwnerPort>;
}

/** Returns the path parameters for a domain. */
export function ofDomain({ projectId, domainId }: DomainRow) {
  return { path: { projectId, domainId } };
}

/** Returns the path parameters for a key. @throws CliError if it is not a key's id */
export function ofKey(keyId: string) {
  const accountId = accountIdOfKeyId(keyId);
  if (accountId === undefined) throw new CliError(`no key ${JSON.stringify(keyId)}; petstore keys list --account ID shows the keys of an account`);
  return { path: { accountId, keyId } };
}
