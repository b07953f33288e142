// The examples of domains in the control API's OpenAPI document: one domain, from its addition to its removal.

import { DOMAIN_STATES } from '../../core/domains/states.ts';
import { domainId, host, projectId, target, tuesday } from './example-values.ts';

const record = { type: 'CNAME', name: host, label: 'www', value: target, ttl: 3_600 } as const;
const provider = {
  id: 'gandi',
  name: 'Gandi',
  steps: ['Choose the domain in your list of domains.', 'Open DNS Records.', 'Choose Add.', 'Enter each record below, and save.'],
  notes: ['The dot at the end of the value belongs to it.'],
  fields: { name: 'Name', value: 'Hostname' },
  apexAlias: 'ALIAS',
  records: [{ type: 'CNAME', name: 'www', value: `${target}.`, ttl: '3600' }],
  link: 'https://docs.gandi.net/en/domain_names/common_operations/dns_records.html',
  automation: 'https://api.gandi.net/docs/livedns/',
};
export const added = {
  domainId,
  host,
  displayHost: host,
  projectId,
  state: 'awaiting_dns',
  stateLabel: DOMAIN_STATES.awaiting_dns.label,
  served: false,
  inProgress: false,
  since: tuesday,
  diagnosis: null,
  advice: {
    code: 'awaiting_dns',
    seen: `${host} was added; its records have not been checked yet`,
    fix: 'set the records shown here at your DNS provider, then verify',
    actor: 'owner',
  },
  canPublish: false,
  certificate: null,
  companion: null,
  redirectTo: null,
  dnsSeenAt: tuesday,
  canVerify: true,
  certificateLate: false,
  lastFailure: null,
  history: [{ state: 'awaiting_dns', at: tuesday }],
  records: [record],
  provider,
} as const;
export const verifying = {
  ...added,
  state: 'verifying',
  stateLabel: DOMAIN_STATES.verifying.label,
  inProgress: true,
  since: '2026-03-03T10:20:00.000Z',
  advice: { code: 'checking_dns', seen: 'the DNS is being checked', fix: 'nothing: wait for the result', actor: 'nobody' },
  nextCheckAt: '2026-03-03T10:20:00.000Z',
  history: [...added.history, { state: 'verifying', at: '2026-03-03T10:20:00.000Z' }],
} as const;
const missing = {
  code: 'not_found',
  seen: `no record at ${host}`,
  fix: `add the record: CNAME, name www, value ${target}`,
  actor: 'owner',
} as const;
export const waiting = { ...verifying, diagnosis: missing, advice: missing, nextCheckAt: '2026-03-03T10:20:30.000Z' } as const;
export const removing = {
  ...added,
  state: 'removing',
  stateLabel: DOMAIN_STATES.removing.label,
  inProgress: true,
  since: '2026-03-04T08:00:00.000Z',
  advice: { code: 'removing', seen: `${host} is no longer served`, fix: 'nothing: the teardown is in progress', actor: 'nobody' },
  canVerify: false,
  history: [...added.history, { state: 'removing', at: '2026-03-04T08:00:00.000Z' }],
} as const;
