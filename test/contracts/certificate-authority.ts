// What every CertificateAuthority must do.

import { beforeAll, describe, expect, test } from 'vitest';
import type { Domain } from '../../core/domains/domain.ts';
import { AuthoritySilent, type CertificateAuthority, type CertificateStatus } from '../../core/domains/ports.ts';

type DomainName = Pick<Domain, 'id' | 'host'>;

export interface AuthorityWorld {
  readonly authority: CertificateAuthority;
  /** All hosts below it can be proved. */
  readonly zone: string;
  /** What there is for a host: certificates, and requests for them that have made none yet. */
  certificates(host: string): readonly string[];
  /** Takes down what the edge made for a domain, which happens before its certificates are given up. @default nothing is made */
  teardown?(domain: DomainName): Promise<void>;
  /** Certificates hang on what the edge has of a host, of which there is one: no two domains ask for the same host at a time. @default false */
  readonly oneDomainAHost?: boolean;
  /** The same authority, which can't be reached. @default it always can */
  readonly unreachable?: CertificateAuthority;
  /** Does it say so with AuthoritySilent, for a domain's timer to wait? @default any rejection: an engine repeats the step */
  readonly saysSilent?: boolean;
}

/** Looks that an authority has to get ready. */
const LOOKS = 20;

let made = 0;

export function certificateAuthorityContract(name: string, makeWorld: () => Promise<AuthorityWorld>): void {
  describe(`CertificateAuthority contract: ${name}`, () => {
    let world: AuthorityWorld;
    let authority: CertificateAuthority;

    beforeAll(async () => {
      world = await makeWorld();
      ({ authority } = world);
    });

    function newDomain(): DomainName {
      made += 1;
      return { id: `dom_c${made}`, host: `c${made}.${world.zone}` };
    }

    async function settle(reference: string): Promise<CertificateStatus> {
      for (let looks = 0; looks < LOOKS; looks += 1) {
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

    test('issues a certificate, and says from when to when it is good, or that it does not know', async () => {
      const domain = newDomain();
      const status = await authority.check(await issued(domain));
      const life = status.kind === 'issued' ? status.life : undefined;
      expect(life === undefined || life.notBefore < life.notAfter).toBe(true);
      expect(world.certificates(domain.host)).toHaveLength(1);
    });

    test('asked again with the same id, also at once, it gives the same reference and no second certificate', async () => {
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

    test('each request has a reference of its own', async () => {
      const domain = newDomain();
      const references = [await issued(domain), await issued(domain, 'g2'), await issued(newDomain())];
      expect(new Set(references).size).toBe(3);
    });

    test('what is prepared is what a request with the same id gives; that can be repeated', async () => {
      const { id, host } = newDomain();
      for (let times = 0; times < 2; times += 1) await authority.prepare?.(host, `${id}-g1`);
      const prepared = world.certificates(host);
      expect(prepared.length).toBeLessThan(2);
      await issued({ id, host });
      await authority.prepare?.(host, `${id}-g1`);
      expect(world.certificates(host)).toEqual(prepared.length === 0 ? [expect.anything()] : prepared);
    });

    test('gives up all that a domain asked for, and can do so again, also for one that never asked', async () => {
      const domain = newDomain();
      const references = [await issued(domain), await issued(domain, 'g2-r1')];
      for (let times = 0; times < 2; times += 1) {
        await release(domain);
        expect(world.certificates(domain.host)).toEqual([]);
      }
      for (const reference of references) expect((await authority.check(reference)).kind).not.toBe('issued');
      await release(newDomain());
    });

    test('keeps the certificate that took the place of another', async () => {
      const domain = newDomain();
      const [old, renewed] = [await issued(domain), await issued(domain, 'g1-r1')];
      for (let times = 0; times < 2; times += 1) {
        await authority.release(domain, renewed);
        expect(world.certificates(domain.host)).toHaveLength(1);
        expect(await authority.check(renewed)).toMatchObject({ kind: 'issued' });
      }
      expect(old).not.toBe(renewed);
    });

    test('gives up nothing of other domains, whose ids may begin alike', async () => {
      const domain = newDomain();
      const other = { id: `${domain.id}1`, host: world.oneDomainAHost ? newDomain().host : domain.host };
      const [, theirs] = [await issued(domain), await issued(other)];
      await release(domain);
      expect(world.certificates(other.host)).toHaveLength(1);
      expect(await authority.check(theirs)).toMatchObject({ kind: 'issued' });
      await authority.release({ ...domain, id: 'dom_stranger' });
      expect(await authority.check(theirs)).toMatchObject({ kind: 'issued' });
    });

    test('names its issuers as CAA records have them, however it fares', async () => {
      for (const each of [authority, world.unreachable]) {
        for (const issuer of (await each?.issuerNames()) ?? []) expect(issuer).toMatch(/^[a-z0-9.-]+$/);
      }
    });

    test('one that can’t be reached says so with a rejection: it has refused nothing', async () => {
      if (world.unreachable === undefined) return;
      const { id, host } = newDomain();
      const reference = await authority.request(host, `${id}-g1`);
      const rejection = await world.unreachable.check(reference).catch((error: unknown) => error);
      expect(rejection).toBeInstanceOf(world.saysSilent ? AuthoritySilent : Error);
      const asked = await world.unreachable.request(host, `${id}-g1`).catch((error: unknown) => error);
      if (asked !== reference) expect(asked).toBeInstanceOf(world.saysSilent ? AuthoritySilent : Error);
      // Nothing is lost by it.
      expect(await settle(reference)).toMatchObject({ kind: 'issued' });
    });
  });
}
