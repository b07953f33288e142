// The pages' queries and changes, typed by the control API's document. Reads are cached; after a change, all that the page shows is read again.

import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { type AnswerOf, type Api, type At, type BodyOf, ifMatch, type PathOf, type QueryOf, serviceClockAheadMs } from './api.ts';
import { useApplication } from './context.tsx';
import { changeFailureText, mayHaveWorked } from './failures.ts';
import { usePages } from './pages-of.ts';
import { afterFailures, refreshAfterMs, soonestOf } from './polling.ts';
import type { Account, Configuration, Domain } from './shapes.ts';

/** Polling intervals, in milliseconds, for data that may change at any time. */
const USAGE_REFRESH_MS = 5_000;
const EDITED_REFRESH_MS = 10_000;
/** How many times the dashboard retries a creation whose response was lost. */
const RETRIES = 2;

export interface ReadOptions<P extends PathOf<'GET'>> {
  readonly query?: QueryOf<'GET', P>;
  /** Returns the interval until the next read, in milliseconds. @param readAt when the data was read, by the service's clock. @default none */
  readonly interval?: (data: AnswerOf<'GET', P>, readAt: number) => number | false;
}

/** Reads data, and rereads it after the interval while the page is visible, and when it becomes visible. @param at if undefined, nothing is read */
export function useRead<P extends PathOf<'GET'>>(path: P, at: At<P> | undefined, { query, interval = () => false }: ReadOptions<P> = {}) {
  const { api } = useApplication();
  return useQuery<AnswerOf<'GET', P>>({
    queryKey: [path, at, query],
    queryFn: at === undefined ? skipToken : () => api.send('GET', path, at, { query }),
    // Not shared structurally, which would create objects without a version (api.ts).
    structuralSharing: (old, now) => (JSON.stringify(old) === JSON.stringify(now) ? old : now),
    refetchInterval: ({ state: { data, dataUpdatedAt, fetchFailureCount } }) =>
      afterFailures(data !== undefined && interval(data, dataUpdatedAt + serviceClockAheadMs()), fetchFailureCount),
  });
}

/** Reads the signed-in user, their accounts, and facts about the platform. */
export const useMe = () => useRead('/me', {});
/** Returns one of the user's accounts; undefined until it is loaded. */
export function useAccount(accountId: string): Account | undefined {
  return useMe().data?.accounts.find((account) => account.accountId === accountId);
}
/** Reads an account, and how much of its plan it uses. */
export const useAccountDetail = (accountId: string) => useRead('/accounts/{accountId}', { accountId });
/** An account's members. */
export const useMembers = (accountId: string) => useRead('/accounts/{accountId}/members', { accountId });
/** Returns a function that returns a host's URL, with the port on which domains are served. */
export function useAddressOf(): (host: string) => string {
  const port = useMe().data?.platform.httpsPort ?? 443;
  return (host) => `https://${host}${port === 443 ? '' : `:${port}`}/`;
}
/** Refetches the user without retries. */
export function useReadMe(): () => Promise<unknown> {
  const { api } = useApplication();
  const client = useQueryClient();
  const read = useCallback(() => api.send('GET', '/me', {}), [api]);
  return useCallback(() => client.fetchQuery({ queryKey: ['/me', {}, undefined], queryFn: read, retry: false, staleTime: 0 }), [client, read]);
}
/** Reads an account's projects, page by page. */
export const useProjects = (accountId: string) => usePages('/accounts/{accountId}/projects', { accountId });
/** Reads a project. @param projectId if undefined, nothing is read */
export const useProject = (projectId: string | undefined) => useRead('/projects/{projectId}', projectId === undefined ? undefined : { projectId });
/** Reads a project's domains, page by page, and again when one of them is checked. */
export const useDomains = (projectId: string) =>
  usePages(
    '/projects/{projectId}/domains',
    { projectId },
    { interval: (domains, readAt) => soonestOf(domains.map((domain) => refreshAfterMs(domain, readAt))) },
  );
/** All of a project's domains. */
export const useAllDomains = (projectId: string) => useRead('/projects/{projectId}/domains', { projectId });
/** Reads a domain, and again when it is checked. @param at if undefined, nothing is read */
export const useDomain = (at: { readonly projectId: string; readonly domainId: string } | undefined) =>
  useRead('/projects/{projectId}/domains/{domainId}', at, { interval: refreshAfterMs });
/** Returns the domain that was added together with another one; undefined if there is none, while it is loading, and once it is gone. */
export function useCompanion(domain: Pick<Domain, 'projectId' | 'companion'> | undefined): Domain | undefined {
  return useDomain(domain?.companion ? { projectId: domain.projectId, domainId: domain.companion.domainId } : undefined).data;
}
/** Reads a project's configuration. @param edited whether it is being edited, so that changes by other users must be noticed. @default false */
export const useConfiguration = (projectId: string, edited = false) =>
  useRead('/projects/{projectId}/configuration', { projectId }, { interval: () => (edited ? EDITED_REFRESH_MS : false) });
/** Reads an account's API keys. @param isNeeded whether to read them. @default true */
export const useKeys = (accountId: string, isNeeded = true) => useRead('/accounts/{accountId}/keys', isNeeded ? { accountId } : undefined);
/** Reads an account's recently revoked keys. */
export const useRevokedKeys = (accountId: string) => useRead('/accounts/{accountId}/revoked-keys', { accountId });
/** Reads an account's usage, every five seconds. */
export const useUsage = (accountId: string) => useRead('/accounts/{accountId}/usage', { accountId }, { interval: () => USAGE_REFRESH_MS });

export interface ChangeOptions {
  /** What is read again after a success: only `user` if the page is left, because its content may be gone. @default all that the page shows */
  readonly reads?: 'user' | 'nothing';
  /** The message on success. @default none */
  readonly successMessage?: string;
  /** Whether a failure is shown as a message. @default false: the caller shows it */
  readonly announcesFailure?: boolean;
  /** Whether to try again. @param failures number of failures before this one. @default never */
  readonly retry?: (failures: number, error: Error) => boolean;
}

interface Made<Output> {
  /** Called with the response, even if the dialog that asked for it has closed: it may be a secret that can't be shown again. @default nothing */
  readonly made?: (output: Output) => void;
}

/** A mutation with messages, after which the page is read again. While it is in progress, further calls do nothing. */
export function useChange<Input, Output>(change: (api: Api, input: Input) => Promise<Output>, options: ChangeOptions & Made<Output> = {}) {
  const { reads, successMessage: said, announcesFailure = false, retry = false, made } = options;
  const { api, notify } = useApplication();
  const client = useQueryClient();
  const isRunning = useRef(false);
  const mutation = useMutation({
    mutationFn: (input: Input) => change(api, input),
    retry,
    onSuccess: (output) => {
      if (said !== undefined) notify('success', said);
      made?.(output);
    },
    onError: (error) => {
      if (announcesFailure) notify('error', changeFailureText(error));
    },
    onSettled: async (_, error) => {
      isRunning.current = false;
      if (reads === 'nothing') return;
      const isLeft = reads === 'user' && error === null;
      // A list that was read before may still contain the deleted item.
      if (isLeft) client.removeQueries({ type: 'inactive' });
      await client.invalidateQueries({ refetchType: isLeft ? 'none' : 'active' });
      if (isLeft) await client.refetchQueries({ queryKey: ['/me'] });
    },
  });
  const mutate: typeof mutation.mutate = (...call) => {
    // A second click may arrive before the button is shown as busy.
    if (isRunning.current) return;
    isRunning.current = true;
    mutation.mutate(...call);
  };
  return { ...mutation, mutate };
}

export interface RequestOptions extends ChangeOptions {
  /** The data on which the change is based; refused if that data has changed since. @default no condition */
  readonly basedOn?: object | undefined;
}

/** Returns a change that sends one request, with the input as its body. */
export function useRequest<M extends 'PUT' | 'POST' | 'DELETE', P extends PathOf<M>>(
  method: M,
  path: P,
  at: At<P>,
  { basedOn, query, ...options }: RequestOptions & { readonly query?: QueryOf<M, P> } = {},
) {
  return useChange(
    (api, body: BodyOf<M, P>) => api.send(method, path, at, { query, body, headers: basedOn === undefined ? {} : ifMatch(basedOn) }),
    options,
  );
}

type IdempotencyKey = Readonly<Record<'Idempotency-Key', string>>;

/** Returns a request that creates something only once, because it has the same key if it is repeated after its response was lost. */
export function useCreation<P extends PathOf<'POST'>>(path: P, at: At<P>, options: Omit<ChangeOptions, 'retry'> & Made<AnswerOf<'POST', P>> = {}) {
  const attempt = useRef<{ readonly input: string; readonly headers: IdempotencyKey }>(undefined);
  return useChange(
    async (api, body: BodyOf<'POST', P>) => {
      const input = JSON.stringify(body);
      if (attempt.current?.input !== input) attempt.current = { input, headers: { 'Idempotency-Key': crypto.randomUUID() } };
      const made = await api.send('POST', path, at, { body, headers: attempt.current.headers });
      attempt.current = undefined;
      return made;
    },
    { ...options, retry: (failures, error) => failures < RETRIES && mayHaveWorked(error) },
  );
}

/** Replaces a project's configuration if it has not changed since it was read. The input may be unvalidated, because the API validates it. */
export const useSaveConfiguration = (projectId: string, basedOn: Configuration | undefined, options: ChangeOptions = {}) =>
  useRequest(
    'PUT',
    '/projects/{projectId}/configuration',
    { projectId },
    { basedOn, successMessage: 'Saved; served from the next request on.', ...options },
  );

/** Checks domains one after another. @param setsRecords whether to set their records first, in zones that the service runs */
export function useVerify(projectId: string, { setsRecords = false, ...options }: ChangeOptions & { readonly setsRecords?: boolean } = {}) {
  return useChange(async (api, domainIds: readonly string[]) => {
    for (const action of setsRecords ? (['publish', 'verify'] as const) : (['verify'] as const))
      for (const domainId of domainIds) await api.send('POST', `/projects/{projectId}/domains/{domainId}/${action}`, { projectId, domainId });
  }, options);
}
