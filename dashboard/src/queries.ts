// What the pages read and change. Reads are kept and shared; a change says which reads it makes stale.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, unwrap } from './api.ts';
import { useApplication } from './context.tsx';
import type { operations } from './generated.ts';
import { isBusy } from './stages.ts';

type Result<Id extends keyof operations> = operations[Id]['responses'] extends { 200: { content: { 'application/json': infer T } } } ? T : never;

export type Project = Result<'getProject'>;
export type Domain = Result<'getDomain'>;
export type Key = Result<'listKeys'>[number];
export type Usage = Result<'getUsage'>;

/** While something is going on by itself, in milliseconds. */
const BUSY_REFRESH_MS = 1_000;
const USAGE_REFRESH_MS = 2_000;
function useRead<T>(key: readonly unknown[], read: (api: Api) => Promise<T>, refetchInterval?: (data: T | undefined) => number | false) {
  const { api } = useApplication();
  return useQuery({
    queryKey: key,
    queryFn: () => read(api),
    ...(refetchInterval !== undefined && { refetchInterval: (query: { state: { data: T | undefined } }) => refetchInterval(query.state.data) }),
  });
}

export const useMe = () => useRead(['me'], (api) => unwrap(api.GET('/dashboard/v1/me')));
export const useProjects = (accountId: string) =>
  useRead(['projects', accountId], (api) => unwrap(api.GET('/dashboard/v1/accounts/{accountId}/projects', { params: { path: { accountId } } })));
export const useProject = (projectId: string) =>
  useRead(['project', projectId], (api) => unwrap(api.GET('/dashboard/v1/projects/{projectId}', { params: { path: { projectId } } })));
export const useDeployments = (projectId: string) =>
  useRead(['deployments', projectId], (api) =>
    unwrap(api.GET('/dashboard/v1/projects/{projectId}/deployments', { params: { path: { projectId } } })),
  );
export const useDomains = (projectId: string) =>
  useRead(
    ['domains', projectId],
    (api) => unwrap(api.GET('/dashboard/v1/projects/{projectId}/domains', { params: { path: { projectId } } })),
    (domains) => (domains?.some(isBusy) ? BUSY_REFRESH_MS : false),
  );
export const useDomain = (projectId: string, domainId: string) =>
  useRead(
    ['domain', domainId],
    (api) => unwrap(api.GET('/dashboard/v1/projects/{projectId}/domains/{domainId}', { params: { path: { projectId, domainId } } })),
    (domain) => (domain !== undefined && isBusy(domain) ? BUSY_REFRESH_MS : false),
  );
export const useConfiguration = (projectId: string) =>
  useRead(['configuration', projectId], (api) =>
    unwrap(api.GET('/dashboard/v1/projects/{projectId}/configuration', { params: { path: { projectId } } })),
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

/**
 * A change, with its refusal told to the user.
 *
 * @param stale keys of reads that are read again afterwards
 */
export function useChange<Input, Output>(change: (api: Api, input: Input) => Promise<Output>, stale: readonly (readonly unknown[])[], said?: string) {
  const { api, notify } = useApplication();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    onSuccess: () => {
      if (said !== undefined) notify('success', said);
    },
    onError: (error) => notify('error', error.message),
    onSettled: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
