// The rules behind the dashboard's pages, without rendering.

import { describe, expect, test } from 'vitest';
import { nameRefusal } from '../../core/access/account.ts';
import { AUDIT_ACTIONS } from '../../core/audit/entry.ts';
import { parseConfiguration as parseStoredConfiguration } from '../../core/domains/configuration.ts';
import { parseHostName } from '../../core/domains/host-name.ts';
import { redirectProblems } from '../../core/domains/redirects.ts';
import { isServed } from '../../core/domains/states.ts';
import { ApiError, troubleOf } from '../../core/http/api-error.ts';
import { parseSandboxRecord } from '../../core/sandbox/records.ts';
import { joinFaults } from '../../core/text.ts';
import { sentenceOf } from '../../dashboard/src/activity.ts';
import { adviceFor, adviceOn, taskFor } from '../../dashboard/src/advice.ts';
import {
  parseConfiguration,
  roleOf,
  setAccessLog,
  setPrimary,
  setRedirectOf,
  setRedirects,
  textOf,
  usesOf,
} from '../../dashboard/src/configuration-draft.ts';
import { changeFailureText, problemsOf, readFailureText } from '../../dashboard/src/failures.ts';
import { clientCall, curlCall } from '../../dashboard/src/first-call.ts';
import {
  actorText,
  forgetIssuedKey,
  forgetIssuedKeys,
  type IssuedKey,
  issuedKey,
  keepIssuedKey,
  keyRows,
  recognized,
} from '../../dashboard/src/key-rows.ts';
import { type AuditEntry, type Domain, type DomainState, type Key, sizeText } from '../../dashboard/src/shapes.ts';
import { addressesOf, isAtStage, stagesOf } from '../../dashboard/src/stages.ts';
import { fromNow } from '../../dashboard/src/times.ts';
import { choiceOf, scaleOf, totalsOf, warningOf } from '../../dashboard/src/usage-history.ts';
import { NOON } from '../../testing/samples.ts';

const at = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
const domain = (state: DomainState, history: readonly DomainState[] = []) => ({
  state,
  served: isServed({ name: state }),
  since: at(0),
  diagnosis: null,
  history: (['awaiting_dns', ...history] as const).map((each, index) => ({ state: each, at: at(index) })),
});
const statuses = (state: DomainState) => stagesOf(domain(state)).map(({ status }) => status);

const key = (keyId: string, successorId: string | null = null): Key => ({
  ...{ keyId, name: 'Till', hint: null, scopes: [], state: 'active', createdAt: at(0), createdBy: null },
  ...{ expiresAt: null, expiresSoon: false, successorId, pausedAt: null, bannedUntil: null, lastUsedAt: null },
});

describe('keys', () => {
  test('are listed with the keys that they have replaced, in the place of the oldest', () => {
    const [first, second, third, other, last] = [key('a', 'b'), key('b', 'c'), key('c'), key('x'), key('y', 'revoked')] as const;
    expect(keyRows([first, second, other, third, last])).toEqual([third, second, first, other, last]);
    expect(keyRows([])).toEqual([]);
  });

  test('are recognized by their hint, and by their id if they have none', () => {
    expect([recognized(key('a')), recognized({ ...key('a'), hint: 'petstore_test_8sK2…zFw9' })]).toEqual(['a', 'petstore_test_8sK2…zFw9']);
  });

  test('are kept until their owner has saved them, for the user who issued them', () => {
    const items: Record<string, string> = {};
    const methods = {
      getItem: (name: string) => items[name] ?? null,
      setItem: (name: string, value: string) => void Object.assign(items, { [name]: value }),
      removeItem: (name: string) => void delete items[name],
    };
    // As in a browser, the names of a storage's properties are those of its items.
    const storage = new Proxy(items, { get: (_, name) => methods[name as keyof typeof methods] }) as unknown as Storage;
    const issued: IssuedKey = { keyId: 'key_1', name: 'Till', scopes: ['pets:read'], key: 'petstore_test_1' };
    const more = { ...issued, state: 'active' };
    keepIssuedKey(storage, 'acc_1', 'usr_1', more);
    expect(issuedKey(storage, 'acc_1', 'usr_1')).toEqual(issued);
    expect([issuedKey(storage, 'acc_1', 'usr_2'), issuedKey(storage, 'acc_2', 'usr_1')]).toEqual([undefined, undefined]);
    forgetIssuedKey(storage, 'acc_1', 'usr_1');
    expect(items).toEqual({});
    keepIssuedKey(storage, 'acc_1', 'usr_1', issued);
    items['oidc.user:a'] = '{}';
    forgetIssuedKeys(storage);
    expect(items).toEqual({ 'oidc.user:a': '{}' });
  });

  test('that may not read add an animal in the first call', () => {
    const call = (scopes: Key['scopes']) => {
      const first = { key: 'petstore_test_1', scopes };
      return [curlCall('https://api.test', first), clientCall('https://api.test', first)].join();
    };
    expect(call(['pets:read', 'pets:write'])).toMatch(/curl 'https:\/\/api\.test\/v1\/pets'/);
    expect(call(['pets:read'])).not.toMatch(/-d|createPet/);
    expect(call(['pets:write'])).toMatch(/-d .*"Rex"/);
    expect(call(['pets:write'])).toMatch(/createPet/);
  });

  test('show who issued them', () => {
    const actor = (userId: string | null, email: string | null) => actorText({ userId, email }, 'usr_1');
    expect([actor(null, null), actor('usr_1', 'a@b.test'), actor('usr_2', 'c@d.test'), actor('usr_3', null)]).toEqual([
      ...['the operator', 'you', 'c@d.test', 'usr_3'],
    ]);
  });
});

describe('domain stages', () => {
  test.each<[DomainState, string[]]>([
    ['awaiting_dns', ['success', 'pending', 'pending', 'pending', 'pending', 'pending']],
    ['verifying', ['success', 'in-progress', 'pending', 'pending', 'pending', 'pending']],
    ['certificate_pending', ['success', 'success', 'success', 'in-progress', 'pending', 'pending']],
    ['live', ['success', 'success', 'success', 'success', 'success', 'success']],
    ['degraded', ['success', 'success', 'success', 'success', 'success', 'success']],
    ['certificate_failed', ['success', 'pending', 'pending', 'pending', 'pending', 'pending']],
  ])('%s', (state, expected) => {
    expect(statuses(state)).toEqual(expected);
  });

  test('of a domain whose records are wrong say so', () => {
    const wrong = { ...domain('verifying'), diagnosis: { code: 'wrong_cname', actor: 'owner' } as unknown as Domain['diagnosis'] };
    expect(stagesOf(wrong)[1]?.status).toBe('warning');
  });

  test('have the time at which they were last reached, and no time from an earlier round', () => {
    const again = domain('verifying', ['verifying', 'verified', 'certificate_pending', 'certificate_failed', 'verifying']);
    expect(stagesOf(again).map((stage) => stage.at)).toEqual([at(0), at(5), undefined, undefined, undefined, undefined]);
  });

  test('failures are shown at their stage', () => {
    expect((['live', 'degraded', 'verifying', 'dns_failed', 'removing'] as const).map((state) => isAtStage(domain(state)))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('advice', () => {
  const told = { code: 'wrong_target', seen: 'it points elsewhere', fix: 'point it here', actor: 'owner' } as const;

  test('comes from the service: what to do, what was seen, and who must act if it is not the reader', () => {
    expect(adviceFor({ state: 'live', advice: null })).toBeUndefined();
    expect(adviceFor({ state: 'verifying', advice: told })).toEqual({
      severity: 'warning',
      header: 'Point it here',
      lines: ['Seen: it points elsewhere.'],
    });
    expect(adviceFor({ state: 'verifying', advice: { ...told, actor: 'dns_provider' } })?.lines).toContain('Who must act: your DNS provider.');
  });

  test('says what is going on where there is nothing to do, and names no one who must act', () => {
    const waiting = { code: 'checking_dns', seen: 'the records are being checked', fix: 'nothing: this takes seconds', actor: 'nobody' } as const;
    const shown = { severity: 'info', header: 'The records are being checked', lines: ['This takes seconds.'] };
    expect(adviceFor({ state: 'verifying', advice: waiting })).toEqual(shown);
  });

  test.each([
    ['change the record to: CNAME, name shop, value k7.edge.dev; only a direct CNAME counts', 'Change the record'],
    ['remove all A and AAAA records at this name (an old website is lost), and leave MX records', 'Remove all A and AAAA records at this name'],
    ['add the records at your DNS provider (usually the company); then Verify', 'Add the records at your DNS provider'],
    ['nothing: this takes seconds', ''],
  ])('is in a list a few words: %s', (fix, task) => {
    expect(taskFor({ advice: { ...told, fix }, records: [] })).toBe(task);
  });

  test('does not repeat a record that is shown below it', () => {
    const record = { type: 'CNAME', name: 'shop.a.dev', label: 'shop', value: 'k7.edge.dev', ttl: 3_600 } as const;
    const text = (fix: string) => adviceFor({ state: 'verifying', advice: { ...told, fix } }, [record]);
    expect(text('change the record to: CNAME, name shop (in full shop.a.dev), value k7.edge.dev; only a direct CNAME counts')).toMatchObject({
      header: 'Change the record to the one below',
      lines: ['Seen: it points elsewhere.', 'Only a direct CNAME counts.'],
    });
    const other = 'add the record: CAA, name @ (that is a.dev itself), value 0 issue "letsencrypt.org"; keep the other CAA records';
    expect(text(other)).toMatchObject({
      header: `A${other.slice(1).replace(/;.*/, '')}`,
      lines: [expect.any(String), 'Keep the other CAA records.'],
    });
  });

  test('on two names is one task if their records are missing, and else says what each needs', () => {
    const record = { type: 'CNAME', name: 'shop.a.dev', label: 'shop', value: 'k7.edge.dev', ttl: 3_600 } as const;
    const named = (displayHost: string, advice: Domain['advice'], state: DomainState = 'verifying') =>
      ({ displayHost, state, advice, diagnosis: null, records: [record], canPublish: false }) as unknown as Domain;
    const missing = { ...told, code: 'not_found', seen: 'no record', fix: 'add the record: CNAME, name shop, value k7.edge.dev; hurry' } as const;
    const added = { ...told, code: 'awaiting_dns', seen: 'not checked yet', fix: 'add the records; then Verify' } as const;
    expect(adviceOn([named('www.a.dev', added, 'awaiting_dns'), named('a.dev', missing)])).toEqual({
      severity: 'warning',
      header: 'Add these 2 records at your DNS provider, then select Verify',
      lines: ['a.dev: no record.', 'Hurry.'],
    });
    expect(adviceOn([named('a.dev', missing)])).toMatchObject({ header: 'Add this record at your DNS provider, then select Verify' });
    expect(adviceOn([{ ...named('a.dev', missing), canPublish: true }])?.header).toBe(
      'Select Set up for me, or add this record at your DNS provider',
    );
    expect(taskFor(named('www.a.dev', { ...added, fix: 'add the records at your DNS provider; then Verify' }))).toBe(
      'Add the record at your DNS provider',
    );
    expect(adviceOn([named('a.dev', told), named('www.a.dev', missing)])).toMatchObject({
      header: 'a.dev: Point it here',
      lines: ['Seen: it points elsewhere.', 'www.a.dev: Add the record below.', 'Seen: no record.', 'Hurry.'],
    });
    expect(adviceOn([named('a.dev', told), named('www.a.dev', null)])).toMatchObject({ header: 'a.dev: Point it here' });
    expect(adviceOn([named('a.dev', null)])).toBeUndefined();
  });

  test('has a matching severity', () => {
    const severity = (state: DomainState, actor: 'owner' | 'nobody') => adviceFor({ state, advice: { ...told, actor } })?.severity;
    expect([
      ...[severity('verifying', 'nobody'), severity('awaiting_dns', 'owner'), severity('verifying', 'owner')],
      ...[severity('suspended', 'owner'), severity('certificate_failed', 'nobody')],
    ]).toEqual(['info', 'info', 'warning', 'warning', 'error']);
  });
});

test("a domain's uses are listed before it is removed", () => {
  const domains = { primary: 'a.dev', redirects: [{ from: 'b.dev', to: 'a.dev', status: 301 }] };
  expect(usesOf({ domains }, 'a.dev')).toEqual(['its role as the primary domain', 'the redirect from b.dev']);
  expect(usesOf({ domains }, 'b.dev')).toEqual([]);
});

test("a project's links are its served domains, the primary one first", () => {
  const domains = [
    { host: 'b.dev', served: true },
    { host: 'a.dev', served: true },
    { host: 'c.dev', served: true },
    { host: 'd.dev', served: false },
  ];
  expect([addressesOf(domains, 'c.dev'), addressesOf(domains, undefined), addressesOf([], 'c.dev')]).toEqual([
    ['c.dev', 'a.dev', 'b.dev'],
    ['a.dev', 'b.dev', 'c.dev'],
    [],
  ]);
});

test.each([
  [0, '0\u00a0bytes'],
  [1_536, '1.5\u00a0KiB'],
  [2 ** 20, '1\u00a0MiB'],
  [500 * 2 ** 20, '500\u00a0MiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

describe('usage', () => {
  test.each([
    ['hour', 'hour'],
    ['day', 'day'],
    ['month', 'month'],
    ['year', 'hour'],
    ['toString', 'hour'],
    [7, 'hour'],
    [undefined, 'hour'],
  ])('window=%s in the address shows the last %s', (given, shown) => {
    expect(choiceOf(given)).toBe(shown);
  });

  const past = (...counts: readonly (readonly [admitted: number, refused: number])[]) =>
    counts.map(([admitted, refused], n) => ({ startsAt: at(n), admitted, refused }));

  test('the chart has round scales that no bar exceeds, and the limit if it is near', () => {
    expect(scaleOf(past([0, 0]))).toEqual({ above: 1, below: 0, limit: undefined });
    expect(scaleOf(past([3, 0], [7, 12]))).toEqual({ above: 10, below: 20, limit: undefined });
    expect(scaleOf(past([1_000, 1]), 1_000)).toEqual({ above: 1_000, below: 1, limit: 1_000 });
    expect(scaleOf(past([30, 0]), 60)).toEqual({ above: 100, below: 0, limit: 60 });
    expect(scaleOf(past([30, 0]), 300_000).limit).toBeUndefined();
    for (const count of [1, 2, 3, 5, 6, 9, 10, 11, 49, 51, 99, 101, 123_456_789]) {
      const { above } = scaleOf(past([count, 0]));
      expect(above).toBeGreaterThanOrEqual(count);
      expect(above).toBeLessThanOrEqual(2.5 * count);
    }
    expect(totalsOf(past([3, 1], [7, 12]))).toEqual({ admitted: 10, refused: 13 });
  });

  const window = (used: number, limit: number) => ({ used, limit, remaining: limit - used, resetAt: at(1) });

  test.each([
    [0, 0, undefined],
    [79, 79, undefined],
    [80, 0, 'warning: 80% of the quota for this minute is used'],
    [100, 99, 'warning: 99% of the quota for today is used'],
    [100, 0, 'error: The quota for this minute is used up'],
    [100, 100, 'error: The quota for today is used up'],
  ])('%i of 100 this minute and %i of 100 today: %s', (ofMinute, ofDay, expected) => {
    const warning = warningOf({ minute: window(ofMinute, 100), day: window(ofDay, 100) });
    expect(warning && `${warning.severity}: ${warning.header}`).toBe(expected);
  });
});

test('service failures are distinguished from refusals', () => {
  const [away, faulty, refused] = [
    new TypeError('Failed to fetch'),
    new ApiError(503, 'unavailable', 'try again'),
    new ApiError(409, 'conflict', 'no'),
  ];
  expect([away, faulty, refused, 'text'].map(troubleOf)).toEqual(['away', 'faulty', undefined, undefined]);
  expect([away, faulty, refused].map(readFailureText)).toEqual(["The service can't be reached.", 'Try again.', 'No.']);
  expect([away, refused].map(changeFailureText)).toEqual([expect.stringContaining('may have been made'), 'No.']);
});

describe('refusals are sentences for people', () => {
  const problems = (message: string) => problemsOf(new ApiError(400, 'invalid_request', message));
  const policy = { ours: ['petstore.dev'], extraSuffixes: ['test'] };
  const refusalOf = (host: string) => {
    const result = parseHostName(host, policy);
    return result.ok ? undefined : `${result.message}`;
  };
  const long = 'a'.repeat(64);

  test.each([
    ['', 'Enter a host name, such as shop.example.com.'],
    ['https://a.dev/', 'Enter only the host name, without https://, port, path or spaces.'],
    ['*.a.dev', 'Enter one name; wildcards are not supported.'],
    ['a..dev', 'Enter a name that does not start with a dot and has no two dots in a row.'],
    ['192.0.2.1', 'Enter a name, not an address.'],
    [`${long}.dev`, 'Enter at most 63 characters between dots: one part of this name has 64.'],
    [`${`${long.slice(1)}.`.repeat(4)}dev`, 'Enter at most 253 characters: this name has 259.'],
    ['-a.dev', 'Use letters, digits and hyphens, with no hyphen next to a dot or at an end. One part is "-a".'],
    ['☃.dev', 'Use only letters, digits and hyphens.'],
    ['pаypal.dev', 'Enter a name in letters of one alphabet: this one mixes alphabets, or looks like another name.'],
    ['www', 'Enter a full name, such as shop.example.com.'],
    ['com', 'Enter a name below com, under which many people register names.'],
    ['a.nothing-like-it', 'Enter a name under a public suffix; .nothing-like-it does not exist.'],
    ['a.petstore.dev', 'Enter a name that is yours; petstore.dev and all names below it are ours.'],
    ['example.com', "Enter a name in the public DNS; example.com is reserved and can't be registered."],
  ])('domain %j: %s', (host, text) => {
    expect(problems(refusalOf(host) ?? '')).toEqual([{ field: 'domain', text }]);
  });

  test.each([
    ['project prj_8sK2mPq4Zt has a domain: remove it first', 'This project has a domain: remove it first.'],
    ['dpl_8sK2mPq4Zt is pinned; unpin it first', 'This deployment is pinned; unpin it first.'],
    ['key key_1a was replaced by key_2b; rotate that one', 'This key was replaced by another key; rotate that one.'],
    [
      'we do not manage the zone of a.test for account acc_1; set the records',
      'We do not manage the zone of a.test for this account; set the records.',
    ],
  ])('do not name ids: %j', (message, text) => {
    expect(problems(message)).toEqual([{ field: undefined, text }]);
  });

  test('for every sandbox record that is refused', () => {
    const refusals = [
      { name: 'www.shop.dev', type: 'A', value: '192.0.2.1' },
      ...['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'CAA'].map((type) => ({ name: 'www.shop.test', type, value: '\u2603; allowed: "' })),
    ].map((record) => parseSandboxRecord(record, 'test'));
    expect(refusals.flatMap((refusal) => (refusal.ok ? [] : problems(refusal.message)))).toEqual([
      { field: 'name', text: 'Enter a name below test, such as www.my-shop.test.' },
      { field: 'value', text: 'Enter an IPv4 address, such as 192.0.2.1.' },
      { field: 'value', text: 'Enter an IPv6 address, such as 2001:db8::1.' },
      { field: 'value', text: 'Enter a host name.' },
      { field: 'value', text: 'Enter a host name.' },
      { field: 'value', text: 'Enter text of 1 to 255 ASCII characters.' },
      { field: 'value', text: 'Enter flags, tag and value, such as 0 issue "letsencrypt.org".' },
    ]);
  });

  test('for a name that is refused', () => {
    expect(problems(nameRefusal(' ')?.message ?? '')).toEqual([{ field: 'name', text: 'Enter 1 to 100 characters.' }]);
  });

  test('for every problem of a configuration, at its field', () => {
    const redirects = [
      { from: 'a.dev', to: 'a.dev', status: 301 },
      { from: 'a.dev', to: 'b.dev', status: 301 },
      { from: 'b.dev', to: 'c.dev', status: 301 },
      { from: 'c.dev', to: 'b.dev', status: 301 },
    ] as const;
    const lines = redirectProblems(redirects, new Set(['a.dev', 'b.dev']), new Set(['a.dev', 'b.dev']), []);
    expect(problems(joinFaults(lines))).toEqual([
      { field: 'domains.redirects[0].to', text: 'Choose another domain of this project.' },
      { field: 'domains.redirects[1].from', text: 'This domain is already redirected: choose another.' },
      { field: 'domains.redirects[2].to', text: 'Choose a live domain of this project.' },
      { field: 'domains.redirects[3].from', text: 'Add this domain to the project first.' },
      { field: undefined, text: expect.stringMatching(/^These redirects form a loop: b\.dev → c\.dev → b\.dev\.$/) },
    ]);
    const empty = parseStoredConfiguration({ domains: { redirects: [{ from: '', to: 'a.dev', status: 301 }] } }, policy);
    expect(empty.ok ? [] : problems(joinFaults(empty.problems))).toEqual([{ field: 'domains.redirects[0].from', text: 'Choose a domain.' }]);
    const unknown = parseStoredConfiguration({ domains: { redirect: [] }, more: 1 }, policy);
    expect(unknown.ok ? [] : problems(joinFaults(unknown.problems)).map(({ text }) => text)).toEqual([
      '"redirect" is not known in domains: remove it.',
      '"more" is not known in configuration: use domains, logs.',
    ]);
  });

  test('without hints for the command line, and with ids and host names as they are', () => {
    expect(
      [
        'a.dev is in use: b.dev redirects to it; change these settings first, or remove them with the domain',
        'no project "prj_1" among yours',
        'the account already has 100 keys, the maximum; revoke one first',
        'Done!',
      ].map((message) => problems(message).map(({ text }) => text)),
    ).toEqual([
      ['a.dev is in use: b.dev redirects to it; change these settings first, or remove them with the domain.'],
      ['This project does not exist, or belongs to another account.'],
      ['The account already has 100 keys, the maximum; revoke one first.'],
      ['Done!'],
    ]);
  });
});

describe('edited configuration', () => {
  const value = { domains: { primary: 'www.a.dev', redirects: [{ from: 'a.dev', to: 'www.a.dev', status: 308 }] } };

  test.each([
    '',
    '{',
    '[]',
    'null',
    '{}',
    '{"domains":1}',
    '{"domains":{"redirects":{}}}',
    '{"domains":{"redirects":[null]}}',
    '{"domains":{"primary":1}}',
  ])('%s is invalid', (text) => {
    expect(parseConfiguration(text)).toBeUndefined();
  });

  test('is unchanged by editing, apart from the default status', () => {
    expect(parseConfiguration(textOf(value))).toEqual(value);
    expect(parseConfiguration('{"domains":{"redirects":[{"from":"a.dev","to":"b.dev"}]}}')?.domains.redirects[0]?.status).toBe(301);
    expect(parseConfiguration('{"domains":{}}')).toEqual({ domains: { redirects: [] } });
  });

  test('shows what each domain is used for', () => {
    expect(['www.a.dev', 'a.dev', 'b.dev'].map((host) => roleOf(value, host))).toEqual(['primary', 'redirects to www.a.dev (308)', undefined]);
  });

  test('keeps whether visits are logged through every other change, and turns it on and off', () => {
    const logged = setAccessLog(value, true);
    expect(logged).toEqual({ ...value, logs: { access: true } });
    for (const changed of [setPrimary(logged, ''), setRedirects(logged, []), setRedirectOf(logged, 'c.dev', undefined)])
      expect(changed.logs).toEqual({ access: true });
    expect(parseConfiguration(textOf(logged))).toEqual(logged);
    expect(setAccessLog(logged, false)).toEqual(value);
    expect(parseConfiguration('{"domains":{},"logs":{"access":false}}')).toEqual({ domains: { redirects: [] } });
    for (const logs of ['{}', 'null', 'true', '{"access":1}']) expect(parseConfiguration(`{"domains":{},"logs":${logs}}`)).toBeUndefined();
  });

  test('sets and removes the redirect of a host, and the primary domain', () => {
    const set = setRedirectOf(value, 'b.dev', { to: 'www.a.dev', status: 302 });
    expect(set.domains.redirects).toEqual([...value.domains.redirects, { from: 'b.dev', to: 'www.a.dev', status: 302 }]);
    expect(setRedirectOf(set, 'b.dev', undefined)).toEqual(value);
    expect(setPrimary(value, '')).toEqual({ domains: { redirects: value.domains.redirects } });
    expect(setPrimary(value, 'b.dev').domains.primary).toBe('b.dev');
  });
});

describe('activity', () => {
  const entry = (
    action: AuditEntry['action'],
    subject: string,
    details: AuditEntry['details'] = {},
    actor: Partial<AuditEntry['actor']> = {},
  ): AuditEntry => ({
    ...{ entryId: 'aud_1', at: at(0), action, subject, details, requestId: null },
    actor: { kind: 'user', id: 'usr_1', email: 'ann@example.com', address: null, ...actor },
  });
  const names = new Map([
    ['key_1', 'Till (…daEa)'],
    ['prj_1', 'Shop'],
  ]);
  const sentence = (...of: Parameters<typeof entry>) => sentenceOf(entry(...of), names, 'usr_1');

  test('is told in sentences, with the names of what is known', () => {
    expect(sentence('key.revoked', 'key_1')).toBe('You revoked the key Till (…daEa)');
    expect(sentence('key.revoked', 'key_2', {}, { id: 'usr_2' })).toBe('ann@example.com revoked the key key_2');
    expect(sentence('deployment.published', 'dpl_1', { projectId: 'prj_1' }, { kind: 'deploy_token', id: 'tok_1', email: null })).toBe(
      'A pipeline published to the project Shop',
    );
    expect(sentence('domain.state_set', 'dom_1', { host: 'a.test', to: 'live' }, { kind: 'workflow', id: null, email: null })).toBe(
      'a.test went live',
    );
    expect(sentence('domain.state_set', 'dom_1', { host: 'a.test', to: 'taken_over' })).toBe('You changed the state of a.test to taken over');
    expect(sentence('member.removed', 'usr_1')).toBe('You left the account');
    expect(sentence('member.added', 'usr_1', { role: 'member' })).toBe('You joined as member');
    expect(sentence('member.added', 'usr_9', { role: 'owner' }, { kind: 'service', id: null, email: null })).toBe('The service added usr_9 as owner');
    expect(sentence('key.expiry_set', 'key_1', { expiresAt: at(0) })).toMatch(/^You set the key Till \(…daEa\) to expire on [A-Z][a-z]{2} \d/);
  });

  test.each(AUDIT_ACTIONS)('has words for %s', (action) => {
    expect(sentence(action, 'x', { host: 'a.test', to: 'verified' })).toMatch(action === 'domain.state_set' ? /^a\.test has/ : /^You [a-z][^{}]+$/);
  });
});

describe('times from now', () => {
  const shown = (seconds: number, isAhead?: boolean) => fromNow(new Date(NOON + seconds * 1_000).toISOString(), NOON, isAhead);

  test('never show the future for what has happened, even if the page has read the clock before it', () => {
    expect([-7_300, -61, -1, 0, 1, 29, 3_700].map((seconds) => shown(seconds))).toEqual([
      ...['2 hours ago', '1 minute ago', 'just now', 'just now'],
      ...['just now', 'just now', 'just now'],
    ]);
  });

  test('show how long it is until what is to come', () => {
    expect([1, 29, 3_700, 7 * 86_400 - 1, 7 * 86_400 + 1].map((seconds) => shown(seconds, true))).toEqual([
      'in 1 s',
      'in 29 s',
      'in 1 hour',
      'in 7 days',
      'in 7 days',
    ]);
  });
});
