// What every CertificateVault must do.

import { expect } from 'expect';
import type { CertificateVault, StoredCertificate } from '../core/domains/certificate-ports.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns an empty vault; called for each test */
export function certificateVaultContract(runner: TestFunction, make: Make<CertificateVault>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'CertificateVault contract', options, { setUp: make });

  test('a certificate is found as it was first stored', async (vault) => {
    await vault.put('acme:dom_1-g1', certificate('first'));
    await vault.put('acme:dom_1-g1', certificate('second'));
    await vault.put('acme:dom_2-g1', { ...certificate('other'), authority: undefined });
    expect(await vault.get('acme:dom_1-g1')).toEqual(certificate('first'));
    expect([(await vault.get('acme:dom_2-g1'))?.authority, await vault.get('acme:dom_3-g1')]).toEqual([undefined, undefined]);
  });

  test('what the authority says about a renewal is stored with the certificate', async (vault) => {
    await vault.putRenewal('acme:dom_1-g1', { window: undefined, askAgainAt: NOON });
    await vault.put('acme:dom_1-g1', certificate('chain'));
    expect(await vault.renewal('acme:dom_1-g1')).toBeUndefined();
    for (const window of [{ start: NOON, end: NOON + 1 }, undefined]) {
      await vault.putRenewal('acme:dom_1-g1', { window, askAgainAt: NOON + 2 });
      expect(await vault.renewal('acme:dom_1-g1')).toEqual({ window, askAgainAt: NOON + 2 });
    }
  });

  test("a domain's certificates are deleted, except one; the certificate that expires last can be kept for the host", async (vault) => {
    for (const [index, name] of ['g1', 'g1-r1', 'g2'].entries()) await vault.put(`acme:dom_1-${name}`, certificate(name, index === 1 ? 9 : index));
    await vault.put('acme:dom_12-g1', certificate('other'));
    await vault.deleteAll('acme:dom_1-', 'acme:dom_1-g1-r1');
    expect([await vault.get('acme:dom_1-g1'), await vault.get('acme:dom_1-g2')]).toEqual([undefined, undefined]);
    expect([(await vault.get('acme:dom_1-g1-r1'))?.chain, (await vault.get('acme:dom_12-g1'))?.chain]).toEqual(['g1-r1', 'other']);
    await vault.put('acme:dom_1-g3', certificate('g3', 5));
    expect(await vault.kept('www.shop.dev')).toBeUndefined();
    await vault.keep('acme:dom_1-');
    await vault.deleteAll('acme:dom_1-', undefined);
    expect([await vault.get('acme:dom_1-g3'), await vault.kept('www.shop.dev')]).toEqual([undefined, certificate('g1-r1', 9)]);
    // The prefix is not a pattern.
    await vault.deleteAll('acme:dom%', undefined);
    expect((await vault.get('acme:dom_12-g1'))?.chain).toBe('other');
  });
}

function certificate(chain: string, days = 0): StoredCertificate {
  return { host: 'www.shop.dev', chain, privateKey: 'key', notBefore: NOON, notAfter: NOON + days, authority: 'https://ca.test/directory' };
}
