// What the pages read and change. Reads are kept and shared; a change says which reads it makes stale.

import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type Api, unwrap } from './api.ts';
import { useApplication } from './context.tsx';
import { changeInWords } from './failures.ts';
import type { Account, Configuration } from './shapes.ts';

/** While something is going on by itself, in milliseconds. */
const BUSY_REFRESH_MS = 1_000;
const USAGE_REFRESH_MS = 2_000;
const EDITED_REFRESH_MS = 5_000;

function useRead<T>(key: readonly unknown[], read: (api: Api) => Promise<T>, refetchInterval?: (data: T | undefined) => number | false) {
  const { api } = useApplication();
  return useQuery({
    queryKey: key,
    queryFn: () => read(api),
    ...(refetchInterval !== undefined && { refetchInterval: (query: { state: { data: T | undefined } }) => refetchInterval(query.state.data) }),
  });
}

const readMe = (api: Api) => unwrap(api.GET('/dashboard/v1/me'));
export const useMe = () => useRead(['me'], readMe);
export function useAccount(accountId: string): Account | undefined {
  return useMe().data?.accounts.find((account) => account.accountId === accountId);
}
/** Where a host is visited, once it is known where domains are served. */
export function useAddressOf(): (host: string) => string {
  const port = useMe().data?.platform.httpsPort ?? 443;
  return (host) => `https://${host}${port === 443 ? '' : `:${port}`}/`;
}
/** Reads who is signed in, now and once. */
export function useReadMe(): () => Promise<unknown> {
  const { api } = useApplication();
  const client = useQueryClient();
  return useCallback(() => client.fetchQuery({ queryKey: ['me'], queryFn: () => readMe(api), retry: false, staleTime: 0 }), [api, client]);
}
export const useProjects = (accountId: string) =>
  useRead(['projects', accountId], (api) => unwrap(api.GET('/dashboard/v1/accounts/{accountId}/projects', { params: { path: { accountId } } })));
const readProject = (api: Api, projectId: string) => unwrap(api.GET('/dashboard/v1/projects/{projectId}', { params: { path: { projectId } } }));
export const useProject = (projectId: string) => useRead(['project', projectId], (api) => readProject(api, projectId));
/** The same where there may be no project. */
export function useProjectOf(projectId: string | undefined) {
  const { api } = useApplication();
  return useQuery({ queryKey: ['project', projectId], queryFn: projectId === undefined ? skipToken : () => readProject(api, projectId) });
}
export const useDeployments = (projectId: string) =>
  useRead(['deployments', projectId], (api) =>
    unwrap(api.GET('/dashboard/v1/projects/{projectId}/deployments', { params: { path: { projectId } } })),
  );
export const useDomains = (projectId: string) =>
  useRead(
    ['domains', projectId],
    (api) => unwrap(api.GET('/dashboard/v1/projects/{projectId}/domains', { params: { path: { projectId } } })),
    (domains) => (domains?.some(({ inProgress }) => inProgress) ? BUSY_REFRESH_MS : false),
  );
export const useDomain = (projectId: string, domainId: string) =>
  useRead(
    ['domain', domainId],
    (api) => unwrap(api.GET('/dashboard/v1/projects/{projectId}/domains/{domainId}', { params: { path: { projectId, domainId } } })),
    (domain) => (domain?.inProgress ? BUSY_REFRESH_MS : false),
  );
/** @param edited is somebody working on it, so that what others save should be noticed? @default false */
export const useConfiguration = (projectId: string, edited = false) =>
  useRead(
    ['configuration', projectId],
    (api) => unwrap(api.GET('/dashboard/v1/projects/{projectId}/configuration', { params: { path: { projectId } } })),
    () => (edited ? EDITED_REFRESH_MS : false),
  );
export const useKeys = (accountId: string) =>
  useRead(['keys', accountId], (api) => unwrap(api.GET('/dashboard/v1/accounts/{accountId}/keys', { params: { path: { accountId } } })));
export const useUsage = (accountId: string) =>
  useRead(
    ['usage', accountId],
    (api) => unwrap(api.GET('/dashboard/v1/accounts/{accountId}/usage', { params: { path: { accountId } } })),
    () => USAGE_REFRESH_MS,
  );
export const useSandboxRecords = () => useRead(['sandbox'], (api) => unwrap(api.GET('/dashboard/v1/sandbox/records')));

export interface ChangeOptions {
  /** Keys of reads that are read again afterwards. */
  readonly stale: readonly (readonly unknown[])[];
  /** What is said when it is done. @default nothing */
  readonly said?: string;
  /** Does what asked for it show by itself why it failed? @default false: a message does */
  readonly showsFailure?: boolean;
}

export function useChange<Input, Output>(change: (api: Api, input: Input) => Promise<Output>, { stale, said, showsFailure = false }: ChangeOptions) {
  const { api, notify } = useApplication();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    onSuccess: () => {
      if (said !== undefined) notify('success', said);
    },
    onError: (error) => {
      if (!showsFailure) notify('error', changeInWords(error));
    },
    onSettled: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

export function useSaveConfiguration(projectId: string, options: Pick<ChangeOptions, 'showsFailure'> = {}) {
  return useChange(
    (api, body: unknown) =>
      unwrap(
        api.PUT('/dashboard/v1/projects/{projectId}/configuration', {
          params: { path: { projectId } },
          // As it was typed: what is wrong with it says the API.
          body: body as Configuration,
        }),
      ),
    { stale: [['configuration', projectId]], said: 'Saved; served from the next request on.', ...options },
  );
}

/** Verify and Re-verify. */
export function useVerify(projectId: string) {
  return useChange(
    (api, domainId: string) =>
      unwrap(api.POST('/dashboard/v1/projects/{projectId}/domains/{domainId}/verify', { params: { path: { projectId, domainId } } })),
    { stale: [['domain'], ['domains', projectId]] },
  );
}
