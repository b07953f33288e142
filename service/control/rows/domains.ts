// The control API's operations on domains, and on the sandbox's records.

import * as z from 'zod';
import { domain, sandboxRecord } from '../domain-shapes.ts';
import { domainInput, pageQuery, removalQuery, sandboxRecordInput, sandboxRecordQuery } from '../inputs.ts';
import { done } from '../shapes.ts';
import type { ControlRow } from './row.ts';

export const DOMAIN_ROWS = {
  listDomains: {
    method: 'GET',
    path: '/projects/{projectId}/domains',
    summary: 'Domains, oldest first.',
    query: pageQuery,
    paged: true,
    status: 200,
    result: z.array(domain),
  },
  addDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains',
    summary: 'Adds a domain; the response has the records to set.',
    creates: true,
    body: domainInput,
    status: 201,
    result: domain,
  },
  getDomain: { method: 'GET', path: '/projects/{projectId}/domains/{domainId}', summary: 'A domain.', status: 200, result: domain },
  verifyDomain: {
    method: 'POST',
    path: '/projects/{projectId}/domains/{domainId}/verify',
    summary: 'Verify: checks the DNS now; the rest follows automatically.',
    status: 200,
    result: domain,
  },
  publishRecords: {
    method: 'POST',
    path: '/projects/{projectId}/domains/{domainId}/publish',
    summary: "Sets the domain's records, if the platform runs their zone.",
    status: 200,
    result: domain,
  },
  removeDomain: {
    method: 'DELETE',
    path: '/projects/{projectId}/domains/{domainId}',
    summary: 'Stops serving the domain at once and deletes what was made for it.',
    query: removalQuery,
    status: 200,
    result: domain,
  },
  listSandboxRecords: {
    method: 'GET',
    path: '/sandbox/records',
    summary: "The sandbox records set by the user's accounts or the operator, if the platform has a sandbox.",
    status: 200,
    result: z.array(sandboxRecord),
  },
  setSandboxRecord: {
    method: 'PUT',
    path: '/sandbox/records',
    summary: 'Sets a sandbox record, as at a DNS provider, and replaces those with the same name and type.',
    body: sandboxRecordInput,
    status: 200,
    result: sandboxRecord,
  },
  unsetSandboxRecord: {
    method: 'DELETE',
    path: '/sandbox/records',
    summary: 'Removes a sandbox record.',
    query: sandboxRecordQuery,
    status: 200,
    result: done,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;
