// Rules for CAA, redirects, the configuration, schedules and project targets.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../../core/domains/configuration.ts';
import { type CaaLookup, caaClimb, caaVerdict } from '../../../core/domains/diagnosis/caa.ts';
import { guardFailure } from '../../../core/domains/publication.ts';
import { newProjectToken, projectTarget, tokenOfTarget } from '../../../core/domains/records.ts';
import { type Redirect, redirectProblems } from '../../../core/domains/redirects.ts';
import { CERTIFICATE_SCHEDULE, DNS_CHECKS_IN_48_HOURS, DNS_SCHEDULE, lengthOf, waitAfter } from '../../../core/domains/schedule.ts';

const AUTHORITY = { issuers: ['letsencrypt.org'] };
const OURS = { ...AUTHORITY, accountUri: 'https://acme.example/acct/7', methods: ['http-01'] };
const found = (name: string, ...records: [number, string, string][]): CaaLookup => ({
  name,
  kind: 'found',
  owner: name,
  records: records.map(([flags, tag, value]) => ({ flags, tag, value })),
});
const none = (name: string): CaaLookup => ({ name, kind: 'none' });

describe('CAA', () => {
  test('is looked up at the name and at each of its parents', () => {
    expect(caaClimb('a.shop.example.dev')).toEqual(['a.shop.example.dev', 'shop.example.dev', 'example.dev', 'dev']);
  });

  test.each<[string, CaaLookup[], string]>([
    ['nothing anywhere', [none('a.dev'), none('dev')], 'allowed'],
    ['our authority', [found('a.dev', [0, 'issue', 'letsencrypt.org'])], 'allowed'],
    ['our authority in any case, with parameters', [found('a.dev', [0, 'ISSUE', ' LetsEncrypt.org ; validationmethods=http-01'])], 'allowed'],
    ['one of several', [found('a.dev', [0, 'issue', 'other.example'], [0, 'issue', 'letsencrypt.org'])], 'allowed'],
    ['another authority', [found('a.dev', [0, 'issue', 'other.example'])], 'blocked'],
    ['no authority', [found('a.dev', [0, 'issue', ';'])], 'blocked'],
    ['no authority, empty', [found('a.dev', [0, 'issue', ''])], 'blocked'],
    ['wildcards only', [found('a.dev', [0, 'issuewild', ';'])], 'allowed'],
    ['contact only', [found('a.dev', [0, 'iodef', 'mailto:a@example.dev'])], 'allowed'],
    ['an unknown tag', [found('a.dev', [0, 'future', 'x'], [0, 'issue', 'letsencrypt.org'])], 'allowed'],
    ['an unknown critical tag', [found('a.dev', [128, 'future', 'x'], [0, 'issue', 'letsencrypt.org'])], 'blocked'],
    ['a known critical tag', [found('a.dev', [128, 'issue', 'letsencrypt.org'])], 'allowed'],
    ['the nearest record permits', [found('a.b.dev', [0, 'issue', 'letsencrypt.org']), found('b.dev', [0, 'issue', ';'])], 'allowed'],
    ['the nearest record forbids', [none('a.b.dev'), found('b.dev', [0, 'issue', ';'])], 'blocked'],
    ['no answer', [none('a.b.dev'), { name: 'b.dev', kind: 'failed', reason: 'servfail' }], 'lookup_failed'],
  ])('%s', (_, lookups, kind) => {
    expect(caaVerdict(lookups, AUTHORITY).kind).toBe(kind);
  });

  test("if the authority's names are unknown, only an unknown critical tag blocks issuance", () => {
    expect(caaVerdict([found('a.dev', [0, 'issue', 'other.example'])], { issuers: [] })).toEqual({ kind: 'allowed' });
    expect(caaVerdict([found('a.dev', [128, 'future', 'x'])], { issuers: [] })).toMatchObject({ kind: 'blocked', why: 'unknown_tag' });
  });

  test('a refusal names the record and its owner name', () => {
    const lookup: CaaLookup = {
      name: 'shop.example.dev',
      kind: 'found',
      owner: 'edge.example',
      records: [{ flags: 0, tag: 'issue', value: 'ca.example' }],
    };
    expect(caaVerdict([lookup], AUTHORITY)).toEqual({
      ...{ kind: 'blocked', name: 'shop.example.dev', owner: 'edge.example', record: '0 issue "ca.example"', why: 'not_listed' },
      needed: 'letsencrypt.org',
    });
  });

  // RFC 8657, sections 3 and 4.
  test.each<[string, string | undefined]>([
    ['letsencrypt.org', undefined],
    ['letsencrypt.org; validationmethods=dns-01,http-01', undefined],
    ['letsencrypt.org;validationmethods=dns-01', 'letsencrypt.org; validationmethods=http-01'],
    ['letsencrypt.org; validationmethods=', 'letsencrypt.org; validationmethods=http-01'],
    ['letsencrypt.org; accounturi=https://acme.example/acct/7', undefined],
    ['letsencrypt.org; ACCOUNTURI=https://acme.example/acct/8', 'letsencrypt.org; accounturi=https://acme.example/acct/7'],
    [
      'letsencrypt.org; accounturi=https://acme.example/acct/7; validationmethods=dns-01',
      'letsencrypt.org; accounturi=https://acme.example/acct/7; validationmethods=http-01',
    ],
    // Two of one kind permit nothing.
    [
      'letsencrypt.org; accounturi=https://acme.example/acct/7; accounturi=https://acme.example/acct/8',
      'letsencrypt.org; accounturi=https://acme.example/acct/7',
    ],
    ['letsencrypt.org; future=x', undefined],
  ])('parameters count: %s', (value, needed) => {
    const verdict = caaVerdict([found('a.dev', [0, 'issue', value])], OURS);
    expect(verdict).toMatchObject(needed === undefined ? { kind: 'allowed' } : { kind: 'blocked', why: 'parameters', needed });
    // What the advice says to add permits us.
    if (needed !== undefined) expect(caaVerdict([found('a.dev', [0, 'issue', value], [0, 'issue', needed])], OURS).kind).toBe('allowed');
    // As long as our account is not known, nothing is held against it.
    expect(caaVerdict([found('a.dev', [0, 'issue', value])], AUTHORITY).kind).toBe(/accounturi.*accounturi/.test(value) ? 'blocked' : 'allowed');
  });
});

describe('redirects', () => {
  const redirect = (from: string, to: string): Redirect => ({ from, to, status: 301 });
  const domains = new Set(['a.dev', 'b.dev', 'c.dev', 'd.dev']);
  const live = new Set(['a.dev', 'b.dev', 'c.dev']);

  test.each<[string, Redirect[], RegExp[]]>([
    ['none', [], []],
    ['one', [redirect('a.dev', 'b.dev')], []],
    ['from a domain that is not live yet', [redirect('d.dev', 'b.dev')], []],
    ['a chain that ends', [redirect('a.dev', 'b.dev'), redirect('b.dev', 'c.dev')], []],
    ['to itself', [redirect('a.dev', 'a.dev')], [/redirects\[0\]\.to: got a\.dev, the domain itself/]],
    ['to a domain that is not live', [redirect('a.dev', 'd.dev')], [/to: got d\.dev; allowed: .* live/]],
    ['to a domain outside the project', [redirect('a.dev', 'x.dev')], [/to: got x\.dev/]],
    ['from a domain outside the project', [redirect('x.dev', 'a.dev')], [/from: got x\.dev; allowed: a domain of this project/]],
    [
      'two from one domain',
      [redirect('a.dev', 'b.dev'), redirect('a.dev', 'c.dev')],
      [/redirects\[1\]\.from: got a\.dev, which is already redirected/],
    ],
    ['a loop of two', [redirect('b.dev', 'a.dev'), redirect('a.dev', 'b.dev')], [/a\.dev → b\.dev → a\.dev form a loop/]],
    ['a path into a loop', [redirect('c.dev', 'a.dev'), redirect('a.dev', 'b.dev'), redirect('b.dev', 'a.dev')], [/a\.dev → b\.dev → a\.dev/]],
  ])('%s', (_, redirects, problems) => {
    expect(redirectProblems(redirects, domains, live)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  test('valid redirects end, from every starting point', () => {
    const names = ['a.dev', 'b.dev', 'c.dev', 'd.dev', 'e.dev'];
    const all = new Set(names);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 6 }), (pairs) => {
        const redirects = pairs.map(([from, to]) => redirect(from, to));
        const ends = names.every((start) => {
          let at = start;
          for (let hops = 0; hops <= names.length; hops += 1) {
            const next = redirects.find(({ from }) => from === at);
            if (next === undefined) return true;
            at = next.to;
          }
          return false;
        });
        const twice = new Set(redirects.map(({ from }) => from)).size < redirects.length;
        expect(redirectProblems(redirects, all, all).length === 0).toBe(ends && !twice);
      }),
    );
  });
});

describe('configuration', () => {
  const policy = { ours: [], extraSuffixes: [] };
  const parse = (value: unknown) => parseConfiguration(value, policy);

  test('stores names in normal form, and status 301 by default', () => {
    expect(parse({ domains: { primary: 'Bücher.de', redirects: [{ from: 'WWW.bücher.de.', to: 'bücher.de' }] } })).toEqual({
      ok: true,
      configuration: {
        domains: { primary: 'xn--bcher-kva.de', redirects: [{ from: 'www.xn--bcher-kva.de', to: 'xn--bcher-kva.de', status: 301 }] },
      },
    });
    expect(parse({ domains: {} })).toEqual({ ok: true, configuration: { domains: { redirects: [] } } });
    const logged = { domains: { redirects: [] }, logs: { access: true } };
    expect(parse(logged)).toEqual({ ok: true, configuration: logged });
    for (const logs of [{}, { access: false }])
      expect(parse({ domains: {}, logs })).toEqual({ ok: true, configuration: { domains: { redirects: [] } } });
    expect(parse({ domains: {}, logs: { access: 1 } })).toEqual({ ok: false, problems: ['logs.access: got 1; allowed: true or false'] });
  });

  test.each<[unknown, RegExp[]]>([
    [null, [/^configuration: /]],
    [{}, [/^domains: missing; allowed: an object$/]],
    [{ domains: { primary: 7 } }, [/^domains\.primary: got 7; allowed: a host name$/]],
    [
      { domains: { redirects: [{ from: 'a.dev', to: 'b.dev', status: 303 }] } },
      [/^domains\.redirects\[0\]\.status: got 303; allowed: one of 301, 302, 307, 308$/],
    ],
    [{ domains: { redirects: [{ from: 'a.dev', to: 'b.dev', why: 1 }] } }, [/why/]],
    [{ domains: { other: 1 } }, [/^domains "other": not known; leave it out$/]],
    [
      { domains: { primary: 'co.uk', redirects: [{ from: 'a..b', to: '*.a.dev' }] } },
      [/^domains\.primary: got "co\.uk"/, /\[0\]\.from: got "a\.\.b"/, /\[0\]\.to: got/],
    ],
    [{ domains: { redirects: Array.from({ length: 101 }, () => ({ from: 'a.dev', to: 'b.dev' })) } }, [/at most 100/]],
  ])('refuses %j', (value, problems) => {
    expect(parse(value)).toEqual({ ok: false, problems: problems.map((problem) => expect.stringMatching(problem)) });
  });
});

describe('schedules', () => {
  test('for DNS have 165 checks in 48 hours, and go on', () => {
    const waits = Array.from({ length: DNS_CHECKS_IN_48_HOURS }, (_, index) => waitAfter(DNS_SCHEDULE, index + 1) ?? 0);
    expect([waits.length, waits.reduce((sum, wait) => sum + wait, 0)]).toEqual([165, 48 * 3_600_000]);
    expect([1, 10, 11, 35, 36, 165, 166, 10_000].map((checks) => waitAfter(DNS_SCHEDULE, checks))).toEqual([
      30_000,
      30_000,
      60_000,
      60_000,
      300_000,
      1_800_000,
      6 * 3_600_000,
      7 * 24 * 3_600_000,
    ]);
  });

  test('for a certificate have checks for 72 hours', () => {
    expect(lengthOf(CERTIFICATE_SCHEDULE) / 3_600_000).toBeGreaterThanOrEqual(70);
    expect(lengthOf(CERTIFICATE_SCHEDULE) / 3_600_000).toBeLessThanOrEqual(72);
  });
});

describe('project targets', () => {
  test('contain their token; other names contain none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (random) => {
        const token = newProjectToken(random);
        expect(token).toMatch(/^[a-z2-9]{16}$/);
        expect(tokenOfTarget(projectTarget(token, 'edge.example.dev'), 'edge.example.dev')).toBe(token);
      }),
    );
    for (const other of [
      'edge.example.dev',
      'x.edge.example.dev',
      `${'a'.repeat(16)}.other.dev`,
      `${'a'.repeat(17)}.edge.example.dev`,
      `${'A'.repeat(16)}.edge.example.dev`,
    ]) {
      expect(tokenOfTarget(other, 'edge.example.dev')).toBeUndefined();
    }
  });
});

describe('the guard', () => {
  const account = { id: 'acc_1', name: 'Owner', plan: 'pro' as const, limits: { perMinute: 1, perDay: 1 }, createdAt: 0 };
  const project = {
    id: 'prj_1',
    accountId: 'acc_1',
    name: 'Shop',
    token: 't',
    createdAt: 0,
    currentDeploymentId: 'dpl_1',
    configuration: { domains: { redirects: [] } },
  };

  test('requires a paid plan and a deployment', () => {
    expect(guardFailure(account, project)).toBeUndefined();
    expect(guardFailure({ ...account, plan: 'free' }, project)).toMatchObject({ reason: 'plan', message: expect.stringContaining('got plan free') });
    expect(guardFailure(account, { ...project, currentDeploymentId: undefined })).toMatchObject({ reason: 'no_deployment' });
    expect([guardFailure(undefined, project), guardFailure(account, undefined)]).toMatchObject([{ reason: 'account' }, { reason: 'account' }]);
  });
});
