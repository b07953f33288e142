// Generates docs/diagnoses.md from the code: an example of each piece of advice, from the real diagnosis of the facts that lead to it.

import { ADVICE_CODES, type Advice, type AdviceCode, adviceOf } from '../../core/domains/diagnosis/advice.ts';
import type { ServerFailure } from '../../core/domains/diagnosis/caa.ts';
import { diagnose } from '../../core/domains/diagnosis/diagnose.ts';
import type { Expected, Lag } from '../../core/domains/diagnosis/diagnosis.ts';
import type { DnsFacts, NameRecords, ServerAnswer } from '../../core/domains/diagnosis/dns-facts.ts';
import { CERTIFICATE_FAILURES, type Domain, type FailedAttempt, SUSPENSION_REASONS } from '../../core/domains/domain.ts';
import { isApex } from '../../core/domains/host-name.ts';
import { NOON } from '../../testing/samples.ts';

const HOST = 'shop.bakery.dev';
const ZONE = 'bakery.dev';
const TARGET = 'k7w2m9xq4hbt5rzn.edge.petstore.dev';
const TOKEN = 'petstore-project=k7w2m9xq4hbt5rzn';
const SERVER = 'ns1.provider.net (192.0.2.53)';

const records = (some: Partial<NameRecords>): ServerAnswer => ({
  server: SERVER,
  kind: 'records',
  records: { cname: [], a: [], aaaa: [], txt: [], ...some },
});
const none: ServerAnswer = { server: SERVER, kind: 'none' };
const failed = (reason: ServerFailure): ServerAnswer => ({ server: SERVER, kind: 'failed', reason });
const right = records({ cname: [TARGET] });

function factsOf(host: string, answer: ServerAnswer, more: Partial<DnsFacts> = {}): DnsFacts {
  return {
    ...{
      host,
      zone: ZONE,
      nameServers: ['ns1.provider.net'],
      registered: true,
      authoritative: [answer],
      recursive: [],
      bogus: undefined,
      referred: [],
      chain: [],
      loops: false,
    },
    ...{ edge: { a: ['192.0.2.10'], aaaa: ['2001:db8::10'] }, rotating: false, wildcard: false, misplaced: undefined, caa: [], ...more },
  };
}

interface Seen {
  readonly answer: ServerAnswer;
  readonly host?: string;
  readonly facts?: Partial<DnsFacts>;
  readonly expected?: Partial<Expected>;
  readonly ownership?: readonly string[];
  /** @default the change has just been made */
  readonly lag?: Lag;
}

const OTHER_TARGET = 'b3xc8v5nq2jd7mfp.edge.petstore.dev';
const LATE: ServerAnswer = { server: '9.9.9.9', kind: 'none', ttlSeconds: 2_340 };
const DAY_LAG: Lag = { since: NOON - 86_400_000, ttlSeconds: 3_600 };

const caa = (tag: string, value: string, flags = 0) => [{ name: ZONE, kind: 'found' as const, owner: ZONE, records: [{ flags, tag, value }] }];

/** DNS facts by the code that they lead to; the page shows the first example of each. */
export const SEEN: Readonly<Partial<Record<AdviceCode, readonly Seen[]>>> = {
  not_found: [
    { answer: none },
    { answer: none, facts: { misplaced: { name: `${HOST}.${ZONE}`, value: `CNAME ${TARGET}` } } },
    { answer: none, host: ZONE },
    { answer: none, facts: { zone: HOST } },
    { answer: records({ txt: ['other'] }) },
  ],
  wrong_target: [
    { answer: records({ cname: ['old.host.net'] }) },
    { answer: records({ cname: [`${TARGET}.${ZONE}`] }) },
    { answer: records({ cname: ['old.host.net'] }), facts: { wildcard: true } },
    { answer: records({ cname: ['shop.new.dev'], dname: ZONE }) },
    { answer: records({ cname: [OTHER_TARGET] }), expected: { otherTargets: new Map([[OTHER_TARGET, 'Café']]) } },
    { answer: records({ a: ['198.51.100.7'] }), host: ZONE, ownership: [TOKEN] },
  ],
  indirect_cname: [{ answer: records({ cname: ['pages.bakery.dev'] }), facts: { chain: ['pages.bakery.dev', TARGET] } }],
  cname_required: [{ answer: records({ a: ['192.0.2.10'] }) }],
  conflict_a: [{ answer: records({ a: ['198.51.100.7'] }) }, { answer: records({ a: ['198.51.100.7'] }), facts: { wildcard: true } }],
  conflict_aaaa: [
    { answer: records({ aaaa: ['2001:db8:ffff::1'] }) },
    { answer: records({ a: ['192.0.2.10'], aaaa: ['2001:db8:ffff::1'] }), host: ZONE, ownership: [TOKEN] },
  ],
  conflict_https: [{ answer: records({ a: ['192.0.2.10'], https: ['old.host.net'] }), host: ZONE, ownership: [TOKEN] }],
  apex_cname: [
    { answer: records({ cname: [TARGET] }), host: ZONE },
    { answer: records({ cname: [TARGET] }), facts: { zone: HOST } },
  ],
  multiple_cname: [{ answer: records({ cname: [TARGET, 'old.host.net'] }) }],
  cname_loop: [{ answer: records({ cname: ['www.bakery.dev'] }), facts: { chain: ['www.bakery.dev', HOST], loops: true } }],
  proxied: [{ answer: records({ a: ['104.16.1.1'] }) }],
  propagating: [
    { answer: right, facts: { recursive: [LATE] } },
    { answer: right, facts: { recursive: [LATE] }, lag: DAY_LAG },
    { answer: right, facts: { recursive: [LATE], referred: [{ ...none, server: 'ns1.old-provider.net (198.51.100.53)' }] }, lag: DAY_LAG },
    { answer: right, facts: { authoritative: [right, { ...none, server: 'ns2.provider.net (192.0.2.54)' }] } },
    { answer: right, facts: { authoritative: [right, { ...none, server: 'ns2.provider.net (192.0.2.54)' }] }, lag: DAY_LAG },
    { answer: right, facts: { authoritative: [right, { ...none, server: 'ns1.old-provider.net (198.51.100.53)' }] }, lag: DAY_LAG },
  ],
  unregistered: [{ answer: none, facts: { registered: false, authoritative: [] } }],
  dnssec_bogus: [
    { answer: right, facts: { bogus: { name: ZONE, seenBy: '9.9.9.9', why: 'other' } } },
    { answer: failed('timeout'), facts: { bogus: { name: ZONE, seenBy: '9.9.9.9', why: 'other' } } },
    ...(['expired', 'not_yet_valid', 'unsigned'] as const).map((why) => ({
      answer: right,
      facts: { bogus: { name: HOST, seenBy: '9.9.9.9', why } },
    })),
  ],
  dns_unreachable: [
    { answer: failed('refused') },
    { answer: failed('timeout') },
    { answer: failed('servfail') },
    { answer: failed('malformed') },
    { answer: failed('not_public') },
    { answer: failed('no_address') },
    { answer: failed('not_responsible') },
    { answer: none, facts: { zone: undefined, authoritative: [] } },
  ],
  ownership_required: [
    { answer: records({ a: ['192.0.2.10'] }), host: ZONE },
    { answer: right, expected: { claimed: 'other_account' } },
    { answer: right, expected: { claimed: 'same_account' }, ownership: ['petstore-project=other'] },
  ],
  caa_blocked: [
    { answer: right, facts: { caa: caa('issue', 'other-ca.net') } },
    { answer: right, facts: { caa: caa('future', 'x', 128) } },
    { answer: right, facts: { caa: caa('issue', 'letsencrypt.org; validationmethods=dns-01') } },
    {
      answer: right,
      facts: { caa: [{ name: ZONE, kind: 'found', owner: 'parking.host.net', records: [{ flags: 0, tag: 'issue', value: 'other-ca.net' }] }] },
    },
    { answer: right, facts: { caa: [{ name: HOST, kind: 'found', owner: TARGET, records: [{ flags: 0, tag: 'issue', value: ';' }] }] } },
  ],
  caa_lookup_failed: (['servfail', 'timeout'] as const).map((reason) => ({
    answer: right,
    facts: { caa: [{ name: ZONE, kind: 'failed', reason }] },
  })),
};

const NOW = NOON;
const since = NOW - 10 * 60_000;
const waiting = { since, checks: 1, nextCheckAt: NOW };
const certificate = 'ref';

/** States, each with the failed attempt that it may have. */
type Example = Pick<Domain, 'state' | 'lastFailure' | 'certificate'>;

const lastFailure = (failure: FailedAttempt['failure'], address?: string): FailedAttempt => ({
  ...{
    failure,
    detail: failure.startsWith('name_in_use') ? '(what uses it)' : '(the message of the certificate authority)',
    since,
    attempts: 2,
    repeats: 2,
    nextTryAt: NOW + 60 * 60_000,
  },
  ...(address !== undefined && { address }),
});
const DAY_MS = 86_400_000;
const life = { issuer: "Let's Encrypt", notBefore: NOW - 80 * DAY_MS, notAfter: NOW + 10 * DAY_MS };
const served = { since, certificate, misses: 0, nextCheckAt: NOW };

const STATES: Readonly<Partial<Record<AdviceCode, readonly Example[]>>> = {
  awaiting_dns: [{ state: { name: 'awaiting_dns', since } }],
  checking_dns: [{ state: { name: 'verifying', diagnosis: undefined, ...waiting } }],
  certificate_pending: [{ state: { name: 'certificate_pending', certificate, ...waiting } }, { state: { name: 'verified', since } }],
  certificate_late: [
    ...CERTIFICATE_FAILURES.map((failure) => ({ state: { name: 'certificate_pending', ...waiting } as const, lastFailure: lastFailure(failure) })),
    { state: { name: 'certificate_pending', ...waiting }, lastFailure: lastFailure('validation', '198.51.100.7') },
    { state: { name: 'attaching', certificate, ...waiting }, lastFailure: lastFailure('edge_not_ready') },
    { state: { name: 'certificate_pending', certificate, ...waiting, since: NOW - 31 * 60_000 } },
  ],
  certificate_refused: [
    { state: { name: 'certificate_failed', ...waiting, failure: 'name_refused', detail: '(the message of the certificate authority)' } },
  ],
  attaching: [{ state: { name: 'attaching', certificate, ...waiting } }],
  renewal_late: [
    { state: { name: 'live', ...served }, certificate: life, lastFailure: lastFailure('authority_unavailable') },
    { state: { name: 'live', ...served }, lastFailure: lastFailure('account') },
  ],
  certificate_expired: [
    { state: { name: 'certificate_expired', ...served }, lastFailure: lastFailure('authority_unavailable') },
    { state: { name: 'certificate_expired', ...served } },
  ],
  removing: [{ state: { name: 'removing', ...waiting } }],
  ...Object.fromEntries(SUSPENSION_REASONS.map((reason) => [`suspended_${reason}`, [{ state: { name: 'suspended', since, reason } as const }]])),
};

const LOST = { at: NOON, proof: `_petstore.${HOST}` };

/** Domains that get this advice, the usual case first. */
export function domainsWith(code: AdviceCode): readonly (Example & Pick<Domain, 'lost'>)[] {
  const seen = (SEEN[code] ?? []).map(({ answer, host = HOST, facts, expected, ownership = [], lag }) => {
    const wanted: Expected = {
      host,
      apex: isApex(host),
      target: TARGET,
      token: TOKEN,
      claimed: 'none',
      authority: { issuers: ['letsencrypt.org'], accountUri: 'https://acme.example/acct/7', methods: ['http-01'] },
      ...expected,
    };
    return {
      state: { name: 'verifying', diagnosis: diagnose(wanted, factsOf(host, answer, facts), ownership, { now: NOW, lag }), ...waiting } as const,
    };
  });
  if (code === 'taken_over') return [{ state: { name: 'taken_over', since }, lost: LOST }];
  return [...seen, ...(STATES[code] ?? [])];
}

/** All advice for a code, the usual case first. */
export function examplesOf(code: AdviceCode): readonly (Advice | undefined)[] {
  return domainsWith(code).map((domain) => adviceOf(domain, NOW));
}

const WHO = { owner: 'you', dns_provider: 'your DNS provider', platform: 'we', nobody: 'no one' } as const;

const INTRODUCTION = `# What is wrong with my domain?

For domain owners: every code that a domain can show, with an example of its message, what to do, and who must do it. Other cases of a code have
messages of their own. The command line (\`petstore domains show\`), the control API (\`advice\`) and the dashboard show the same messages. In the
examples, the owner has registered \`${ZONE}\` and adds \`${HOST}\`.

Record names are written as most forms expect them, such as \`shop\`: the DNS provider adds the rest automatically. If your provider wants the full
name, enter the one in parentheses.

| code | seen | what to do | who |
|---|---|---|---|
`;

/** Returns the whole page. */
export function diagnosesPage(): string {
  const rows = ADVICE_CODES.flatMap((code) => {
    const examples = examplesOf(code);
    if (examples.length === 0) throw new Error(`no example of ${code}`);
    const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('_', '\\_');
    // A certificate is late for many reasons; of the others, one example says enough.
    return examples.slice(0, code === 'certificate_late' ? undefined : 1).map((advice) => {
      if (advice === undefined) throw new Error(`no advice for an example of ${code}`);
      return `| \`${code}\` | ${cell(advice.seen)} | ${cell(advice.fix)} | ${WHO[advice.actor]} |`;
    });
  });
  return `${INTRODUCTION}${[...new Set(rows)].join('\n')}\n`;
}
