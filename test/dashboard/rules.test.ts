// The rules of the dashboard's pages, without their looks.

import { describe, expect, test } from 'vitest';
import { addRedirect, parseConfiguration, removeRedirect, setPrimary, setRedirect } from '../../dashboard/src/configuration-draft.ts';
import { canVerify, isBusy, isCertificateLate, isOnItsWay, sentence, stagesOf } from '../../dashboard/src/stages.ts';
import { NOON } from '../support/samples.ts';

const at = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
const domain = (state: string, history: readonly string[] = []) => ({
  state,
  since: at(0),
  history: ['awaiting_dns', ...history].map((each, index) => ({ state: each, at: at(index) })),
});
const statuses = (state: string) => stagesOf(domain(state)).map(({ status }) => status);

describe('the stages of a domain', () => {
  test.each([
    ['awaiting_dns', ['success', 'pending', 'pending', 'pending', 'pending', 'pending']],
    ['verifying', ['success', 'in-progress', 'pending', 'pending', 'pending', 'pending']],
    ['certificate_pending', ['success', 'success', 'success', 'in-progress', 'pending', 'pending']],
    ['live', ['success', 'success', 'success', 'success', 'success', 'success']],
    ['degraded', ['success', 'success', 'success', 'success', 'success', 'success']],
    ['certificate_failed', ['success', 'pending', 'pending', 'pending', 'pending', 'pending']],
  ])('%s', (state, expected) => {
    expect(statuses(state)).toEqual(expected);
  });

  test('have the time at which they were reached last, and none of an earlier round', () => {
    const again = domain('verifying', ['verifying', 'verified', 'certificate_pending', 'certificate_failed', 'verifying']);
    expect(stagesOf(again).map((stage) => stage.at)).toEqual([at(0), at(5), undefined, undefined, undefined, undefined]);
  });

  test('failures stand beside them', () => {
    expect(['live', 'degraded', 'verifying', 'dns_failed', 'removing'].map((state) => isOnItsWay({ state }))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(['live', 'verifying', 'removing'].map((state) => isBusy({ state }))).toEqual([false, true, true]);
  });
});

describe('Verify', () => {
  test.each([
    ['awaiting_dns', true],
    ['verifying', true],
    ['certificate_failed', true],
    ['live', false],
    ['attaching', false],
    ['removing', false],
  ])('of a domain that is %s: %s', (state, can) => {
    expect(canVerify({ state, since: at(0) }, NOON)).toBe(can);
  });

  test('is offered again for a certificate that has not come within 30 minutes', () => {
    const pending = { state: 'certificate_pending', since: at(0) };
    expect([canVerify(pending, NOON + 29 * 60_000), canVerify(pending, NOON + 31 * 60_000)]).toEqual([false, true]);
    expect([isCertificateLate(pending, NOON), isCertificateLate(pending, NOON + 31 * 60_000)]).toEqual([false, true]);
  });
});

test('a sentence begins large', () => {
  expect([sentence('add the record'), sentence('')]).toEqual(['Add the record', '']);
});

describe('a configuration that is edited', () => {
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
  ])('%s is none', (text) => {
    expect(parseConfiguration(text)).toBeUndefined();
  });

  test('comes back as it was, with the status that is usual', () => {
    expect(parseConfiguration(JSON.stringify(value))).toEqual(value);
    expect(parseConfiguration('{"domains":{"redirects":[{"from":"a.dev","to":"b.dev"}]}}')?.domains.redirects[0]?.status).toBe(301);
    expect(parseConfiguration('{"domains":{}}')).toEqual({ domains: { redirects: [] } });
  });

  test('gets redirects, changes them and loses them', () => {
    const added = addRedirect(value);
    expect(added.domains.redirects[1]).toEqual({ from: '', to: 'www.a.dev', status: 301 });
    expect(setRedirect(added, 1, { from: 'b.dev' }).domains.redirects[1]?.from).toBe('b.dev');
    expect(removeRedirect(added, 0).domains.redirects).toEqual([{ from: '', to: 'www.a.dev', status: 301 }]);
    expect(setPrimary(value, '')).toEqual({ domains: { redirects: value.domains.redirects } });
    expect(setPrimary(value, 'b.dev').domains.primary).toBe('b.dev');
  });
});
