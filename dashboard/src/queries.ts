// The pages' queries and mutations. Reads are cached and shared; a change lists the reads that it makes stale.

import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { type Api, download, ifMatch, serviceClockAheadMs, unwrap } from './api.ts';
import { useApplication } from './context.tsx';
import { changeFailureText, mayHaveWorked } from './failures.ts';
import { allPages, unwrapPage, usePages } from './pages-of.ts';
import { afterFailures, refreshAfterMs, soonestOf } from './polling.ts';
import type { Account, Configuration, Domain, Project } from './shapes.ts';

/** Polling intervals of what changes at any time, in milliseconds. */
const USAGE_REFRESH_MS = 5_000;
const EDITED_REFRESH_MS = 10_000;
/** How many times the dashboard asks again for the answer of a creation. */
const RETRIES = 2;

/** Returns the interval until the next read, in milliseconds. @param readAt when the data was read, by the service's clock */
type Interval<T> = (data: T | undefined, readAt: number) => number | false;

/** Reads, and reads again: after the interval while the page is visible, and when it becomes visible again. */
export function useRead<T>(key: readonly unknown[], read: (api: Api) => Promise<T>, interval: Interval<T> = () => false) {
  const { api } = useApplication();
  return useQuery({
    queryKey: key,
    queryFn: () => read(api),
    // Not part by part, which would make objects without a version (api.ts).
    structuralSharing: (old, now) => (JSON.stringify(old) === JSON.stringify(now) ? old : now),
    refetchInterval: ({ state }) => afterFailures(interval(state.data, state.dataUpdatedAt + serviceClockAheadMs()), state.fetchFailureCount),
  });
}

const readMe = (api: Api) => unwrap(api.GET('/me'));
/** The signed-in user, their accounts, and the platform. */
export const useMe = () => useRead(['me'], readMe);
/** One of the user's accounts; undefined until it is read. */
export function useAccount(accountId: string): Account | undefined {
  return useMe().data?.accounts.find((account) => account.accountId === accountId);
}
/** An account, with what it uses. */
export const useAccountDetail = (accountId: string) =>
  useRead(['account', accountId], (api) => unwrap(api.GET('/accounts/{accountId}', { params: { path: { accountId } } })));
/** Returns a host's URL, once the port that serves domains is known. */
export function useAddressOf(): (host: string) => string {
  const port = useMe().data?.platform.httpsPort ?? 443;
  return (host) => `https://${host}${port === 443 ? '' : `:${port}`}/`;
}
/** Refetches the user without retries. */
export function useReadMe(): () => Promise<unknown> {
  const { api } = useApplication();
  const client = useQueryClient();
  return useCallback(() => client.fetchQuery({ queryKey: ['me'], queryFn: () => readMe(api), retry: false, staleTime: 0 }), [api, client]);
}
/** An account's projects, page by page. */
export const useProjects = (accountId: string) =>
  usePages(['projects', accountId, 'pages'], (api, query) =>
    unwrapPage(api.GET('/accounts/{accountId}/projects', { params: { path: { accountId }, query } })),
  );
const readProject = (api: Api, projectId: string) => unwrap(api.GET('/projects/{projectId}', { params: { path: { projectId } } }));
/** A project. */
export const useProject = (projectId: string) => useRead(['project', projectId], (api) => readProject(api, projectId));
/** Reads a project, if the URL contains one. */
export function useProjectOf(projectId: string | undefined) {
  const { api } = useApplication();
  return useQuery({ queryKey: ['project', projectId], queryFn: projectId === undefined ? skipToken : () => readProject(api, projectId) });
}
/** A project's deployments, page by page. */
export const useDeployments = (projectId: string) =>
  usePages(['deployments', projectId], (api, query) =>
    unwrapPage(api.GET('/projects/{projectId}/deployments', { params: { path: { projectId }, query } })),
  );
/** A project's domains, page by page, read again when one of them is checked. */
export const useDomains = (projectId: string) =>
  usePages(
    ['domains', projectId, 'pages'],
    (api, query) => unwrapPage(api.GET('/projects/{projectId}/domains', { params: { path: { projectId }, query } })),
    (domains, readAt) => soonestOf(domains.map((domain) => refreshAfterMs(domain, readAt))),
  );
/** All of a project's domains. */
export const useAllDomains = (projectId: string) =>
  useRead(['domains', projectId, 'all'], (api) => unwrap(api.GET('/projects/{projectId}/domains', { params: { path: { projectId } } })));
/** The domain that was added together with another one; undefined if there is none, while it is read, and once it is gone. */
export function useCompanion(domain: Pick<Domain, 'projectId' | 'companion'> | undefined): Domain | undefined {
  const { api } = useApplication();
  const { projectId = '', companion } = domain ?? {};
  return useQuery({
    queryKey: ['domain', companion?.domainId],
    queryFn: companion ? () => readDomain(api, projectId, companion.domainId) : skipToken,
    refetchInterval: ({ state }) =>
      state.data === undefined
        ? false
        : afterFailures(refreshAfterMs(state.data, state.dataUpdatedAt + serviceClockAheadMs()), state.fetchFailureCount),
  }).data;
}
const readDomain = (api: Api, projectId: string, domainId: string) =>
  unwrap(api.GET('/projects/{projectId}/domains/{domainId}', { params: { path: { projectId, domainId } } }));
/** A domain, read again when it is checked. */
export const useDomain = (projectId: string, domainId: string) =>
  useRead(
    ['domain', domainId],
    (api) => readDomain(api, projectId, domainId),
    (domain, readAt) => domain !== undefined && refreshAfterMs(domain, readAt),
  );
/** A project's configuration. @param edited whether it is being edited, so that changes by other users must be noticed. @default false */
export const useConfiguration = (projectId: string, edited = false) =>
  useRead(
    ['configuration', projectId],
    (api) => unwrap(api.GET('/projects/{projectId}/configuration', { params: { path: { projectId } } })),
    () => (edited ? EDITED_REFRESH_MS : false),
  );
const readKeys = (api: Api, accountId: string) => unwrap(api.GET('/accounts/{accountId}/keys', { params: { path: { accountId } } }));
/** An account's API keys. */
export const useKeys = (accountId: string) => useRead(['keys', accountId], (api) => readKeys(api, accountId));
/** Returns the name of a key; its id until the keys are read. @param isNeeded whether to read them */
export function useKeyName(accountId: string, isNeeded: boolean): (keyId: string) => string {
  const { api } = useApplication();
  const { data } = useQuery({ queryKey: ['keys', accountId], queryFn: isNeeded ? () => readKeys(api, accountId) : skipToken });
  return (keyId) => data?.find((key) => key.keyId === keyId)?.name ?? keyId;
}
/** An account's keys that were revoked lately. Read again with the keys. */
export const useRevokedKeys = (accountId: string) =>
  useRead(['keys', accountId, 'revoked'], (api) => unwrap(api.GET('/accounts/{accountId}/revoked-keys', { params: { path: { accountId } } })));
const readActivity = (api: Api, accountId: string, query: { readonly limit: number; readonly cursor?: string }) =>
  unwrapPage(api.GET('/accounts/{accountId}/audit', { params: { path: { accountId }, query } }));
/** What was changed in an account, the latest first, page by page. */
export const useActivity = (accountId: string) => usePages(['activity', accountId], (api, query) => readActivity(api, accountId, query));
/** An account's usage, polled every five seconds. */
export const useUsage = (accountId: string) =>
  useRead(
    ['usage', accountId],
    (api) => unwrap(api.GET('/accounts/{accountId}/usage', { params: { path: { accountId } } })),
    () => USAGE_REFRESH_MS,
  );
/** The sandbox's records. */
export const useSandboxRecords = () => useRead(['sandbox'], (api) => unwrap(api.GET('/sandbox/records')));

export interface ChangeOptions {
  /** Keys of the queries to read again afterwards. */
  readonly stale: readonly (readonly unknown[])[];
  /** Keys of the queries to read again if the change fails. @default none */
  readonly staleIfRefused?: readonly (readonly unknown[])[];
  /** The message on success. @default none */
  readonly successMessage?: string;
  /** Whether the caller shows the failure. @default false: a message shows it */
  readonly showsFailure?: boolean;
  /** Whether to try again. @param failures before this one. @default never */
  readonly retry?: (failures: number, error: Error) => boolean;
}

/** A mutation with messages, after which the stale queries are read again. While it is in progress, further calls do nothing. */
export function useChange<Input, Output>(change: (api: Api, input: Input) => Promise<Output>, options: ChangeOptions) {
  const { stale, staleIfRefused = [], successMessage: said, showsFailure = false, retry = false } = options;
  const { api, notify } = useApplication();
  const client = useQueryClient();
  const isRunning = useRef(false);
  const mutation = useMutation({
    mutationFn: (input: Input) => change(api, input),
    retry,
    onSuccess: () => {
      if (said !== undefined) notify('success', said);
    },
    onError: (error) => {
      if (!showsFailure) notify('error', changeFailureText(error));
    },
    onSettled: (_, error) => {
      isRunning.current = false;
      return Promise.all([...stale, ...(error === null ? [] : staleIfRefused)].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  const mutate: typeof mutation.mutate = (...call) => {
    // A second click may arrive before the button is drawn as busy.
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(...call);
  };
  return { ...mutation, mutate };
}

type IdempotencyKey = Readonly<Record<'Idempotency-Key', string>>;

/**
 * A change that creates something. If the answer is lost, it is asked for again, by the dashboard and by the user: with the same key, so that what was
 * made is made once, and shown.
 */
export function useCreation<Input, Output>(
  create: (api: Api, input: Input, headers: IdempotencyKey) => Promise<Output>,
  options: Omit<ChangeOptions, 'retry'>,
) {
  const attempt = useRef<{ readonly input: string; readonly headers: IdempotencyKey }>(undefined);
  return useChange(
    async (api, input: Input) => {
      const text = JSON.stringify(input);
      if (attempt.current?.input !== text) attempt.current = { input: text, headers: { 'Idempotency-Key': crypto.randomUUID() } };
      const made = await create(api, input, attempt.current.headers);
      attempt.current = undefined;
      return made;
    },
    { ...options, retry: (failures, error) => failures < RETRIES && mayHaveWorked(error) },
  );
}

/** Saves all changes of an account as a file. */
export function useSaveActivity(accountId: string) {
  return useChange(
    async (api) => {
      const all = await allPages((query) => readActivity(api, accountId, query));
      download(`activity-${accountId}.json`, 'application/json', JSON.stringify(all, null, 2));
    },
    { stale: [] },
  );
}

/** Gives an account another display name. */
export function useRenameAccount(accountId: string) {
  return useChange((api, name: string) => unwrap(api.PUT('/accounts/{accountId}', { params: { path: { accountId } }, body: { name } })), {
    stale: [['account', accountId], ['me']],
    successMessage: 'Renamed.',
    showsFailure: true,
  });
}

/** Gives a project another display name. */
export function useRenameProject(project: Project) {
  const { projectId, accountId } = project;
  return useChange(
    (api, name: string) => unwrap(api.PUT('/projects/{projectId}', { params: { path: { projectId } }, headers: ifMatch(project), body: { name } })),
    {
      stale: [
        ['project', projectId],
        ['projects', accountId],
      ],
      successMessage: 'Renamed.',
      showsFailure: true,
    },
  );
}

/** Deletes a project, if it still is as it was read. */
export function useDeleteProject(project: Project) {
  const { projectId, accountId, name } = project;
  return useChange((api) => unwrap(api.DELETE('/projects/{projectId}', { params: { path: { projectId } }, headers: ifMatch(project) })), {
    stale: [
      ['projects', accountId],
      ['account', accountId],
    ],
    staleIfRefused: [['project', projectId]],
    successMessage: `${name} is deleted.`,
    showsFailure: true,
  });
}

/** Deletes an account. */
export function useDeleteAccount({ accountId, name }: Pick<Account, 'accountId' | 'name'>) {
  return useChange((api) => unwrap(api.DELETE('/accounts/{accountId}', { params: { path: { accountId } } })), {
    stale: [['me']],
    successMessage: `${name} is deleted.`,
    showsFailure: true,
  });
}

/** Replaces a project's configuration, if it still is as it was read. */
export function useSaveConfiguration(projectId: string, options: Pick<ChangeOptions, 'showsFailure'> = {}) {
  return useChange(
    (api, { read, next }: { readonly read: Configuration; readonly next: unknown }) =>
      unwrap(
        api.PUT('/projects/{projectId}/configuration', {
          params: { path: { projectId } },
          headers: ifMatch(read),
          // As typed: the API validates it.
          body: next as Configuration,
        }),
      ),
    { stale: [['configuration', projectId]], successMessage: 'Saved; served from the next request on.', ...options },
  );
}

const verify = (api: Api, projectId: string, domainId: string) =>
  unwrap(api.POST('/projects/{projectId}/domains/{domainId}/verify', { params: { path: { projectId, domainId } } }));

/** Verify, one domain after the other. */
export function useVerify(projectId: string) {
  return useChange(
    async (api, domainIds: readonly string[]) => {
      for (const domainId of domainIds) await verify(api, projectId, domainId);
    },
    { stale: [['domain'], ['domains', projectId]] },
  );
}

/** Sets the records of domains whose zone the service runs, and checks them. */
export function useSetUpForMe(projectId: string) {
  return useChange(
    async (api, domainIds: readonly string[]) => {
      for (const domainId of domainIds)
        await unwrap(api.POST('/projects/{projectId}/domains/{domainId}/publish', { params: { path: { projectId, domainId } } }));
      for (const domainId of domainIds) await verify(api, projectId, domainId);
    },
    { stale: [['domain'], ['domains', projectId]] },
  );
}
