// What every CertificateAuthority must do.

import { expect } from 'expect';
import type { Domain } from '../core/domains/domain.ts';
import { AuthoritySilent, type CertificateAuthority, type CertificateStatus } from '../core/domains/ports.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

type DomainName = Pick<Domain, 'id' | 'host'>;

export interface AuthorityWorld {
  readonly authority: CertificateAuthority;
  /** The parent of hosts for which control can be proved. */
  readonly zone: string;
  /** Returns the certificates for a host, and the requests that have no certificate yet. */
  certificates(host: string): readonly string[];
  /** Deletes what the edge created for a domain, before its certificates are deleted. @default nothing is created */
  teardown?(domain: DomainName): Promise<void>;
  /** The same authority, but unreachable. Needed unless `outages` is declared. */
  readonly unreachable?: CertificateAuthority;
}

const GAPS = ['shared_hosts', 'outages'] as const;

/** `shared_hosts`: a host has only one certificate, so two domains can't both request one. `outages`: the authority is always reachable. */
export type CertificateAuthorityGap = (typeof GAPS)[number];

/** The authority must have finished within this many checks. */
const CHECKS = 20;

let made = 0;

/** Declares the suite for an adapter. @param make returns the authority, with a view of its certificates; called once */
export function certificateAuthorityContract(
  runner: TestFunction,
  make: Make<AuthorityWorld>,
  options: SuiteOptions<CertificateAuthorityGap> = {},
): void {
  let world: AuthorityWorld;
  let authority: CertificateAuthority;

  const test = contractSuite(runner, 'CertificateAuthority contract', options, {
    setUp: once(async () => {
      world = await make();
      ({ authority } = world);
    }),
    gaps: GAPS,
  });

  function newDomain(): DomainName {
    made += 1;
    return { id: `dom_c${made}`, host: `c${made}.${world.zone}` };
  }

  async function settle(reference: string): Promise<CertificateStatus> {
    for (let looks = 0; looks < CHECKS; looks += 1) {
      const status = await authority.check(reference);
      if (status.kind !== 'pending') return status;
    }
    throw new Error(`${reference} is still pending`);
  }

  async function issued({ id, host }: DomainName, request = 'g1'): Promise<string> {
    const reference = await authority.request(host, `${id}-${request}`);
    expect(await settle(reference)).toMatchObject({ kind: 'issued' });
    return reference;
  }

  async function release(domain: DomainName): Promise<void> {
    await world.teardown?.(domain);
    await authority.release(domain);
  }

  const declared = (gap: CertificateAuthorityGap) => options.declares?.includes(gap) ?? false;

  test('issues a certificate with its validity, or reports the validity as unknown', async () => {
    const domain = newDomain();
    const status = await authority.check(await issued(domain));
    const life = status.kind === 'issued' ? status.life : undefined;
    expect(life === undefined || life.notBefore < life.notAfter).toBe(true);
    // The issuer is for display, and only set if the authority does not renew the certificate without us.
    expect(status.kind === 'issued' && status.issuer !== undefined).toBe(!authority.renewsAutomatically);
    expect(world.certificates(domain.host)).toHaveLength(1);
  });

  test('returns the same reference for the same id, even concurrently, without a second certificate', async () => {
    const domain = newDomain();
    const ask = () => authority.request(domain.host, `${domain.id}-g1`);
    const [reference = '', ...others] = await Promise.all([ask(), ask(), ask()]);
    const again = [await ask()];
    const status = await settle(reference);
    const certificates = world.certificates(domain.host);
    again.push(await ask());
    expect(status).toMatchObject({ kind: 'issued' });
    expect([...others, ...again]).toEqual(Array(4).fill(reference));
    expect(await authority.check(reference)).toEqual(status);
    expect(certificates).toHaveLength(1);
    expect(world.certificates(domain.host)).toEqual(certificates);
  });

  test('gives each request a separate reference', async () => {
    const domain = newDomain();
    const references = [await issued(domain), await issued(domain, 'g2'), await issued(newDomain())];
    expect(new Set(references).size).toBe(3);
  });

  test('a request with the id of a preparation returns the prepared certificate; preparing can be repeated', async () => {
    const { id, host } = newDomain();
    for (let times = 0; times < 2; times += 1) await authority.prepare?.(host, `${id}-g1`);
    const prepared = world.certificates(host);
    expect(prepared.length).toBeLessThan(2);
    await issued({ id, host });
    await authority.prepare?.(host, `${id}-g1`);
    expect(world.certificates(host)).toEqual(prepared.length === 0 ? [expect.anything()] : prepared);
  });

  test('deletes everything that a domain requested; this can be repeated, and works for a domain without requests', async () => {
    const domain = newDomain();
    const references = [await issued(domain), await issued(domain, 'g2-r1')];
    for (let times = 0; times < 2; times += 1) {
      await release(domain);
      expect(world.certificates(domain.host)).toEqual([]);
    }
    for (const reference of references) expect((await authority.check(reference)).kind).not.toBe('issued');
    await release(newDomain());
  });

  test('keeps a certificate that has replaced another', async () => {
    const domain = newDomain();
    const [old, renewed] = [await issued(domain), await issued(domain, 'g1-r1')];
    for (let times = 0; times < 2; times += 1) {
      await authority.release(domain, renewed);
      expect(world.certificates(domain.host)).toHaveLength(1);
      expect(await authority.check(renewed)).toMatchObject({ kind: 'issued' });
    }
    expect(old).not.toBe(renewed);
  });

  test('deletes nothing that belongs to other domains, even with a common id prefix', async () => {
    const domain = newDomain();
    const other = { id: `${domain.id}x`, host: declared('shared_hosts') ? newDomain().host : domain.host };
    const [, theirs] = [await issued(domain), await issued(other)];
    await release(domain);
    expect(world.certificates(other.host)).toHaveLength(1);
    expect(await authority.check(theirs)).toMatchObject({ kind: 'issued' });
    await authority.release({ ...domain, id: 'dom_stranger' });
    expect(await authority.check(theirs)).toMatchObject({ kind: 'issued' });
  });

  test('lists its issuer names as in CAA records, even while unreachable', async () => {
    for (const each of [authority, world.unreachable]) {
      for (const issuer of (await each?.caaIdentity())?.issuers ?? []) expect(issuer).toMatch(/^[a-z0-9.-]+$/);
    }
  });

  if (!declared('outages'))
    test('says that it is unreachable, and refuses nothing', async () => {
      if (world.unreachable === undefined) throw new Error('the world has no unreachable authority; declare outages');
      const { id, host } = newDomain();
      const reference = await authority.request(host, `${id}-g1`);
      const answer = await world.unreachable.check(reference).catch((error: unknown) => error);
      // If it is unknown whether the authority received the request, the attempt is over.
      if (answer instanceof Error) expect(answer).toBeInstanceOf(AuthoritySilent);
      else expect(answer).toMatchObject({ kind: 'failed', failure: 'authority_unavailable' });
      const asked = await world.unreachable.request(host, `${id}-g1`).catch((error: unknown) => error);
      if (asked !== reference) expect(asked).toBeInstanceOf(AuthoritySilent);
      // Nothing is lost, because the same request continues or starts again.
      expect(await authority.request(host, `${id}-g1`)).toBe(reference);
      expect(await settle(reference)).toMatchObject({ kind: 'issued' });
    });
}
