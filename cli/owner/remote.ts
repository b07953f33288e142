// Owners' commands through the control API of an installation, as a signed-in user or with a deploy token.

import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import { accountIdOfKeyId } from '../../core/access/api-key.ts';
import { PLAN_NAMES, planOf } from '../../core/access/plans.ts';
import { changesBetween } from '../../core/domains/configuration-changes.ts';
import { hostIn } from '../../core/domains/pasted-host.ts';
import { ApiError } from '../../core/http/api-error.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { MAX_PAGE_SIZE } from '../../core/page.ts';
import { UnreadableFile } from '../../core/publishing/progress.ts';
import { createPublishing, isOwnPath, type Target } from '../../core/publishing/publishing.ts';
import { CliError, isoTime } from '../context.ts';
import { createProgress } from '../progress.ts';
import { type ControlApi, failureText } from '../remote/control-api.ts';
import { type FolderFile, readFolder } from '../sites/publish.ts';
import { claimedByMany, configurationChanged, invitationIn, noDomain } from './named-domain.ts';
import type { DomainRow, OwnerPort } from './port.ts';

/** Interval for polling a state, in milliseconds. Users may make ten requests a second. */
const POLL_MS = 2_000;
/** Time limit for sending a file, in milliseconds. */
const SEND_MS = 10 * 60_000;
/** The largest limits of any plan. The service checks those of the account's plan when files are announced. */
const LARGEST = PLAN_NAMES.map((plan) => planOf(plan).deployment).reduce((a, b) => ({
  files: Math.max(a.files, b.files),
  fileBytes: Math.max(a.fileBytes, b.fileBytes),
  bytes: Math.max(a.bytes, b.bytes),
}));

const OPERATORS_ONLY = new CliError('only the operator suspends and resumes accounts: without --url, on the data folder or a stage');

/** Creates the port. */
export function createRemote(api: ControlApi): OwnerPort {
  const request: ControlApi['request'] = async (id, input) => {
    try {
      return await api.request(id, input);
    } catch (error) {
      throw error instanceof CliError ? error : new CliError(failureText(api, error), { cause: error });
    }
  };
  const ofDomain = ({ projectId, domainId }: DomainRow) => ({ path: { projectId, domainId } });
  const ofKey = (keyId: string) => {
    const accountId = accountIdOfKeyId(keyId);
    if (accountId === undefined) throw new CliError(`no key ${JSON.stringify(keyId)}; petstore keys list --account ID shows the keys of an account`);
    return { path: { accountId, keyId } };
  };
  const listAccounts = () => request('listAccounts', {});
  const listProjects: OwnerPort['listProjects'] = async (accountId) => {
    const accountIds = accountId === undefined ? (await listAccounts()).map((account) => account.accountId) : [accountId];
    return (await Promise.all(accountIds.map((each) => request('listProjects', { path: { accountId: each } })))).flat();
  };
  const listDomains = (projectId: string) => request('listDomains', { path: { projectId } });
  const listMembers = (accountId: string) => request('listMembers', { path: { accountId } });
  const listInvitations = (accountId: string) => request('listInvitations', { path: { accountId } });
  /** Finds a member by id or address, because members see each other's addresses. */
  const memberOf = async (accountId: string, user: string) =>
    (await listMembers(accountId)).find(({ userId, email }) => userId === user || email?.toLowerCase() === user.toLowerCase())?.userId ?? user;

  return {
    pollMs: POLL_MS,

    listAccounts,
    createAccount: (name, { plan }) => {
      if (plan !== 'free') throw new CliError(`--plan: got ${plan}; allowed with --url: free; the operator changes it`);
      return request('createAccount', { body: { name } });
    },
    suspendAccount: async () => {
      throw OPERATORS_ONLY;
    },
    resumeAccount: async () => {
      throw OPERATORS_ONLY;
    },
    renameAccount: async (accountId, name) => void (await request('renameAccount', { path: { accountId }, body: { name } })),
    requireSecondFactor: async (accountId, required) => void (await request('requireSecondFactor', { path: { accountId }, body: { required } })),
    deleteAccount: async (accountId) => void (await request('deleteAccount', { path: { accountId } })),
    usage: (accountId) => request('getUsage', { path: { accountId } }),
    auditEntries: async function* ({ accountId = '', since, until }) {
      const range = { ...(since !== undefined && { since: isoTime(since) }), ...(until !== undefined && { until: isoTime(until) }) };
      let cursor: string | undefined;
      do {
        const query = { ...range, limit: String(MAX_PAGE_SIZE), ...(cursor !== undefined && { cursor }) };
        const entries = await request('listAuditEntries', { path: { accountId }, query });
        for (const entry of entries) yield { ...entry, accountId };
        // An entry's id is the cursor of the page that follows it.
        cursor = entries.length < MAX_PAGE_SIZE ? undefined : entries.at(-1)?.entryId;
      } while (cursor !== undefined);
    },
    listMembers,
    setRole: async (accountId, user, role) =>
      (await request('changeMember', { path: { accountId, userId: await memberOf(accountId, user) }, body: { role } })).userId,
    removeMember: async (accountId, user) => {
      const userId = await memberOf(accountId, user);
      await request('removeMember', { path: { accountId, userId } });
      return userId;
    },

    listInvitations,
    invite: async (accountId, email, role) => {
      const sent = await request('inviteMember', { path: { accountId }, body: { email, role } });
      return { ...sent, link: sent.link === null ? null : `${api.origin}${sent.link}` };
    },
    withdrawInvitation: async (accountId, invitation) => {
      const invitationId = invitationIn(await listInvitations(accountId), invitation);
      await request('withdrawInvitation', { path: { accountId, invitationId } });
      return invitationId;
    },

    listKeys: (accountId) => request('listKeys', { path: { accountId } }),
    listRevokedKeys: (accountId) => request('listRevokedKeys', { path: { accountId } }),
    issueKey: ({ accountId, name, scopes, lifetimeMs }) => {
      const expiresInDays = lifetimeMs === undefined ? undefined : wholeDays(lifetimeMs);
      return request('issueKey', { path: { accountId }, body: { name, scopes: [...scopes], ...(expiresInDays !== undefined && { expiresInDays }) } });
    },
    changeKey: async (keyId, { name, scopes, lifetimeMs, paused }) => {
      const expiresInDays = typeof lifetimeMs === 'number' ? wholeDays(lifetimeMs) : lifetimeMs;
      const body = {
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes: [...scopes] }),
        ...(expiresInDays !== undefined && { expiresInDays }),
        ...(paused !== undefined && { paused }),
      };
      return request('changeKey', { ...ofKey(keyId), body });
    },
    rotateKey: (keyId, graceMs) => request('rotateKey', { ...ofKey(keyId), body: { graceSeconds: Math.round(graceMs / 1_000) } }),
    revokeKey: async (keyId) => void (await request('revokeKey', ofKey(keyId))),
    unbanKey: async (keyId) => {
      const { path } = ofKey(keyId);
      const before = (await request('listKeys', { path: { accountId: path.accountId } })).find((key) => key.keyId === keyId);
      await request('unbanKey', { path });
      return { wasBannedUntil: before?.bannedUntil ?? '' };
    },

    listProjects,
    createProject: (accountId, name, { empty }) => {
      if (empty)
        throw new CliError('--empty: not possible with --url; publish your own files instead of the placeholder with petstore projects deploy');
      return request('createProject', { path: { accountId }, body: { name } });
    },
    renameProject: async (projectId, name) => void (await request('renameProject', { path: { projectId }, body: { name } })),
    deleteProject: async (projectId) => void (await request('deleteProject', { path: { projectId } })),
    deploy: async (projectId, folder) => {
      const { files, bytes, skipped } = await readFolder(folder, LARGEST);
      const deploymentId = await publish(api, projectId, files, bytes);
      return { deploymentId, files: files.length, bytes, skipped };
    },
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
    listDomains,
    findDomain: async (input, projectId) => {
      const host = domainToASCII(hostIn(input).replace(/\.$/, '')) || input;
      const projectIds = projectId === undefined ? (await listProjects(undefined)).map((project) => project.projectId) : [projectId];
      const claims: DomainRow[] = [];
      for (const each of projectIds) claims.push(...(await listDomains(each)).filter((domain) => domain.host === host));
      const [domain] = claims;
      if (domain === undefined) throw noDomain(host);
      if (claims.length > 1) throw claimedByMany(host, claims);
      return domain;
    },
    getDomain: async (domain) => {
      try {
        return await api.request('getDomain', ofDomain(domain));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error instanceof CliError ? error : new CliError(failureText(api, error), { cause: error });
      }
    },
    verifyDomain: (domain) => request('verifyDomain', ofDomain(domain)),
    publishRecords: async (domain) => (await request('publishRecords', ofDomain(domain))).records,
    removeDomain: (domain, { withRedirects }) =>
      request('removeDomain', { ...ofDomain(domain), ...(withRedirects && { query: { withRedirects: 'true' } }) }),
  };
}

/** Publishes files as the dashboard does. @returns the id of the deployment */
async function publish(api: ControlApi, projectId: string, files: readonly FolderFile[], bytes: number): Promise<string> {
  const progress = await createProgress(bytes, 'files');
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new CliError('interrupted; nothing was published'));
  process.once('SIGINT', interrupt);
  let deploymentId = '';
  const publishing = createPublishing(
    {
      begin: async (announced, signal) => {
        deploymentId = (await api.request('beginUpload', { path: { projectId }, body: { files: [...announced] }, signal })).deploymentId;
        return deploymentId;
      },
      list: (id, after, signal) =>
        api.request('listUploadTargets', { path: { projectId, deploymentId: id }, ...(after !== undefined && { query: { after } }), signal }),
      put: (target, content, moved, signal) => send(api, target, content, moved, signal),
      publish: (id, signal) => api.request('publishUpload', { path: { projectId, deploymentId: id }, signal }),
      wait: async (milliseconds, signal) => void (await sleep(milliseconds, undefined, { signal })),
      unfinished: { get: () => undefined, set: () => {} },
    },
    files.map(({ name, path, bytes: size }) => ({
      name,
      bytes: size,
      read: () =>
        openAsBlob(path).catch((cause: unknown) => {
          throw new UnreadableFile(`${path} can't be read`, { cause });
        }),
    })),
  );
  try {
    await publishing.run((phase, done) => phase === 'sending' && progress.update(done.bytes, done.files), interrupted.signal);
    return deploymentId;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(error instanceof UnreadableFile ? error.message : failureText(api, error), { cause: error });
  } finally {
    progress.stop();
    process.off('SIGINT', interrupt);
  }
}

/** Sends a file. Signed URLs must not get the token. */
async function send(
  { origin, bearer }: ControlApi,
  { name, url, headers }: Target,
  content: Blob,
  moved: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const own = isOwnPath(url);
  const response = await fetch(own ? `${origin}${url}` : url, {
    method: 'PUT',
    headers: { ...headers, ...(own && { authorization: `Bearer ${await bearer.token()}` }) },
    body: content,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]),
  });
  const text = await response.text();
  if (response.status >= 300)
    throw new ApiError(
      response.status,
      'refused',
      `${name}: ${messageIn(text) ?? `refused with ${response.status}; has the file changed meanwhile?`}`,
    );
  moved(content.size);
}

function wholeDays(lifetimeMs: number): number {
  const days = lifetimeMs / DAY_MS;
  if (!Number.isInteger(days)) throw new CliError('--expires: allowed with --url: whole days, such as 90d');
  return days;
}

function messageIn(body: string): string | undefined {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    // S3 responds with XML, which is not meant for people.
    return undefined;
  }
}
