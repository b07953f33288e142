// Owners' commands through the control API of an installation, as a signed-in user or with a deploy token.

import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import { PLAN_NAMES, planOf } from '../../core/access/plans.ts';
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
import { onlyClaim } from './named-domain.ts';
import { createRequests, ofDomain, ofKey } from './on-control-api.ts';
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

/** Creates the port for an installation. */
export function createRemote(api: ControlApi): OwnerPort {
  const request: ControlApi['request'] = async (id, input) => {
    try {
      return await api.request(id, input);
    } catch (error) {
      throw error instanceof CliError ? error : new CliError(failureText(api, error), { cause: error });
    }
  };
  /** Finds a member by id or address, because members see each other's addresses. */
  const userIdOf = async (accountId: string, user: string) => {
    const members = await request('listMembers', { path: { accountId } });
    return members.find(({ userId, email }) => userId === user || email?.toLowerCase() === user.toLowerCase())?.userId ?? user;
  };
  const requests = createRequests(request, { userIdOf, daysOf: wholeDays });
  const listProjects: OwnerPort['listProjects'] = async (accountId) => {
    const accountIds = accountId === undefined ? (await requests.listAccounts()).map((account) => account.accountId) : [accountId];
    return (await Promise.all(accountIds.map((each) => request('listProjects', { path: { accountId: each } })))).flat();
  };

  return {
    ...requests,
    pollMs: POLL_MS,
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
    invite: async (accountId, email, role) => {
      const sent = await requests.invite(accountId, email, role);
      return { ...sent, link: sent.link === null ? null : `${api.origin}${sent.link}` };
    },
    unbanKey: async (keyId) => {
      const { path } = ofKey(keyId);
      const before = (await requests.listKeys(path.accountId)).find((key) => key.keyId === keyId);
      await request('unbanKey', { path });
      return { wasBannedUntil: before?.bannedUntil ?? '' };
    },

    listProjects,
    createProject: (accountId, name, { empty }) => {
      if (empty)
        throw new CliError('--empty: not possible with --url; publish your own files instead of the placeholder with petstore projects deploy');
      return request('createProject', { path: { accountId }, body: { name } });
    },
    deploy: async (projectId, folder) => {
      const { files, bytes, skipped } = await readFolder(folder, LARGEST);
      const deploymentId = await publish(api, projectId, files, bytes);
      return { deploymentId, files: files.length, bytes, skipped };
    },
    findDomain: async (input, projectId) => {
      const host = domainToASCII(hostIn(input).replace(/\.$/, '')) || input;
      const projectIds = projectId === undefined ? (await listProjects(undefined)).map((project) => project.projectId) : [projectId];
      const claims: DomainRow[] = [];
      for (const each of projectIds) claims.push(...(await requests.listDomains(each)).filter((domain) => domain.host === host));
      return onlyClaim(host, claims);
    },
    getDomain: async (domain) => {
      try {
        return await api.request('getDomain', ofDomain(domain));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error instanceof CliError ? error : new CliError(failureText(api, error), { cause: error });
      }
    },
  };
}

/** Publishes files as the dashboard does. @returns the id of the deployment */
async function publish(api: ControlApi, projectId: string, files: readonly FolderFile[], bytes: number): Promise<string> {
  const progress = await createProgress(bytes, 'files');
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new CliError('interrupted; nothing was published'));
  process.once('SIGINT', interrupt);
  let deploymentId = '';
  const cancel = (id: string) => api.request('cancelUpload', { path: { projectId, deploymentId: id }, signal: AbortSignal.timeout(5_000) });
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
      cancel,
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
    // The next run begins a new upload, and a project may have only a few.
    if (deploymentId !== '') await cancel(deploymentId).catch(() => {});
    if (error instanceof CliError) throw error;
    throw new CliError(error instanceof UnreadableFile ? error.message : failureText(api, error), { cause: error });
  } finally {
    progress.stop();
    process.off('SIGINT', interrupt);
  }
}

/** Sends a file. The token must not be sent to signed URLs. */
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
