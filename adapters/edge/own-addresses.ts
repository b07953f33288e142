// The addresses that projects have on one machine even without a domain: <token>.<edge name>. A wildcard certificate serves all, if the authority
// issues one. Otherwise, each address gets its own, requested at the first visit ("on-demand TLS") and renewed at a later one, within the budget.

import { BoundedMap } from '../../core/bounded-map.ts';
import { failedAttempt } from '../../core/domains/attempts.ts';
import type { CertificateVault } from '../../core/domains/certificate-ports.ts';
import type { AttemptFailure, FailedAttempt } from '../../core/domains/domain.ts';
import { type OrderPurpose, takeOrder } from '../../core/domains/order-budget.ts';
import { AuthoritySilent, type CertificateAuthority, type OrderLimiter } from '../../core/domains/ports.ts';
import { tokenOfTarget } from '../../core/domains/records.ts';
import { renewalDueAt } from '../../core/domains/renewal.ts';
import type { OwnAddressStore, Shown } from '../../core/domains/served.ts';
import type { Changes } from '../../core/ports.ts';

export interface OwnAddresses {
  /** Returns what to serve at a project's own address; undefined if the host is not such an address. */
  shown(host: string): Promise<Shown | undefined>;
  /** Returns the reference of the address's certificate, after waiting a few seconds for a new one; undefined if there is none yet. */
  certificateFor(host: string): Promise<string | undefined>;
  /** Removes the certificates of deleted projects, or of all projects if the wildcard serves them. */
  forgetUnused(): Promise<void>;
}

export interface OwnAddressOptions {
  readonly store: OwnAddressStore;
  /** The parent of all addresses. */
  readonly edgeHost: string;
  /** The installation's own name, which gets its certificate in the same way. @default none */
  readonly platformHost?: string | undefined;
  /** Whether the authority can issue a wildcard certificate for all addresses. @default false */
  readonly hasWildcard?: boolean;
  readonly authority: Pick<CertificateAuthority, 'request' | 'check' | 'release'>;
  readonly vault: Pick<CertificateVault, 'get'>;
  /** Limits orders. @default nothing is limited */
  readonly orders?: OrderLimiter | undefined;
  /** While changes are stopped, no certificate is requested. @default they are never stopped */
  readonly changes?: Changes | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called with a one-line warning for operators. @default not reported */
  readonly warn?: (message: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** How long a handshake waits for a new certificate, in milliseconds. A later visit may get it. */
const PATIENCE_MS = 8_000;
const POLL_MS = 250;
/** How long an authority may take for a request, in milliseconds. */
const ISSUE_MS = 5 * 60_000;
/** How often the authority is queried about a certificate's renewal, in milliseconds. */
const LOOK_MS = 6 * 3_600_000;
/** Maximum number of addresses whose last failure is remembered. */
const REMEMBERED = 10_000;
/** Used instead of a project's id, which begins with prj_. */
export const PLATFORM = 'platform';
const WILDCARD = 'wildcard';
/** Maximum number of certificates requested at the same time. */
const MOST_AT_ONCE = 4;

interface Holder {
  /** A project's id, or PLATFORM. */
  readonly id: string;
  readonly host: string;
  /** The account whose budget the order uses; undefined for the installation's own. */
  readonly accountId: string | undefined;
}

/** Creates the addresses. */
export function createOwnAddresses(options: OwnAddressOptions): OwnAddresses {
  const { store, edgeHost, platformHost, hasWildcard = false, authority, vault, orders, changes, clock, warn, onFault } = options;
  const requests = new Map<string, Promise<string | undefined>>();
  const failures = new BoundedMap<string, FailedAttempt>(REMEMBERED);
  /** When the authority wants each certificate renewed, by reference. */
  const due = new BoundedMap<string, { readonly lookedAt: number; readonly at: number }>(REMEMBERED);
  const wildcard: Holder = { id: WILDCARD, host: `*.${edgeHost}`, accountId: undefined };

  const find = (host: string) => {
    const token = tokenOfTarget(host, edgeHost);
    return token === undefined ? undefined : store.projectOf(token);
  };

  async function issued(reference: string): Promise<AttemptFailure | undefined> {
    for (const end = clock() + ISSUE_MS; clock() < end; ) {
      const status = await authority.check(reference);
      if (status.kind === 'issued') return undefined;
      if (status.kind === 'failed') return status;
      // The next request will continue the order.
      if (changes?.isStopped()) return { failure: 'queued', detail: 'the installation accepts no changes at the moment', retryAt: clock() };
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return { failure: 'timed_out', detail: 'no certificate within five minutes' };
  }

  /** Requests a certificate. @param current the reference of the current certificate */
  async function work({ id, host, accountId }: Holder, current: string | undefined): Promise<string | AttemptFailure> {
    const purpose: OrderPurpose = current === undefined ? 'own_address' : 'renewal';
    const until = accountId === undefined ? undefined : await takeOrder(orders, { host, accountId, purpose }, clock());
    if (until !== undefined) return { failure: 'queued', detail: 'the order budget is used up for now', retryAt: until };
    const notAfter = current === undefined ? 0 : ((await vault.get(current))?.notAfter ?? 0);
    const reference = await authority.request(host, `${id}-own-${notAfter}`, current);
    const failure = await issued(reference);
    if (failure !== undefined) return failure;
    await store.setCertificate(id, tokenOfTarget(host, edgeHost) ?? '', reference);
    await authority.release({ id, host }, reference);
    await forgetUnused();
    return reference;
  }

  /** Requests a certificate, unless a request is in progress, or the next attempt is not due yet. */
  function request(holder: Holder, current: string | undefined): Promise<string | undefined> {
    const { id, host } = holder;
    const running = requests.get(id);
    if (running !== undefined) return running;
    if (changes?.isStopped()) return Promise.resolve(undefined);
    const now = clock();
    const last = failures.get(id);
    // A failure with a time in the future was recorded while the clock was wrong, so it does not count.
    if (last !== undefined && last.nextTryAt > now && last.since <= now) return Promise.resolve(undefined);
    // The installation's own name does not count, so visits to projects' addresses can't hold up its certificate.
    if (requests.size - Number(requests.has(PLATFORM)) >= MOST_AT_ONCE && id !== PLATFORM) return Promise.resolve(undefined);
    const failed = (failure: AttemptFailure) => {
      const next = failedAttempt(last, failure, clock());
      failures.set(id, next);
      warn?.(
        `${host}: no certificate (${next.failure}: ${next.detail}); failed attempts: ${next.attempts}; the next attempt follows the first visit after ${iso(next.nextTryAt)}`,
      );
      return undefined;
    };
    const done = work(holder, current)
      .then(
        (result) => {
          if (typeof result !== 'string') return failed(result);
          failures.delete(id);
          return result;
        },
        (error: unknown) => {
          const { message: detail, retryAt } = error instanceof AuthoritySilent ? error : { message: 'a fault', retryAt: undefined };
          if (!(error instanceof AuthoritySilent)) onFault(error);
          return failed({ failure: 'authority_unavailable', detail, retryAt });
        },
      )
      .finally(() => requests.delete(id));
    requests.set(id, done);
    return changes?.follow(done) ?? done;
  }

  /** Returns the time at which a certificate is due for renewal. The authority is queried in the background. */
  function dueAt({ id }: Holder, reference: string, life: { readonly notBefore: number; readonly notAfter: number }): number {
    const now = clock();
    const known = due.get(reference);
    if (!changes?.isStopped() && (known === undefined || Math.abs(now - known.lookedAt) >= LOOK_MS)) {
      due.set(reference, { lookedAt: now, at: known?.at ?? renewalDueAt(life, id) });
      const asked = authority.check(reference).then((status) => {
        if (status.kind !== 'issued' || status.life === undefined) return;
        due.set(reference, { lookedAt: now, at: status.isForeign ? now : renewalDueAt(status.life, id, status.window) });
      }, onFault);
      void changes?.follow(asked);
    }
    return due.get(reference)?.at ?? renewalDueAt(life, id);
  }

  /** Returns the holder's current certificate as `now`, and the requested one as `next`. */
  async function present(holder: Holder): Promise<{ readonly now: string | undefined; readonly next: Promise<string | undefined> }> {
    const reference = await store.certificateOf(holder.id);
    const certificate = reference === undefined ? undefined : await vault.get(reference);
    if (reference === undefined || certificate === undefined) return { now: undefined, next: request(holder, undefined) };
    const isValid = certificate.notAfter > clock();
    const next = !isValid || dueAt(holder, reference, certificate) <= clock() ? request(holder, reference) : Promise.resolve(reference);
    // The certificate is renewed in the background; meanwhile, visitors get the old one if it is valid.
    return { now: isValid ? reference : undefined, next };
  }

  async function forgetUnused(): Promise<void> {
    const shared = hasWildcard ? await store.certificateOf(WILDCARD) : undefined;
    const isShared = shared !== undefined && ((await vault.get(shared))?.notAfter ?? 0) > clock();
    for (const { id, token } of await store.unused(isShared)) {
      await authority.release({ id, host: `${token}.${edgeHost}` });
      await store.forget(id);
    }
  }

  return {
    shown: async (host) => {
      const token = tokenOfTarget(host, edgeHost);
      return token === undefined ? undefined : store.shown(token);
    },
    forgetUnused,
    certificateFor: async (host) => {
      if (host === platformHost) return arrived(await present({ id: PLATFORM, host, accountId: undefined }));
      const project = await find(host);
      if (project === undefined) return undefined;
      const shared = hasWildcard ? await arrived(await present(wildcard)) : undefined;
      return shared ?? arrived(await present({ id: project.id, host, accountId: project.accountId }));
    },
  };
}

/** Returns the current certificate, or the next one if it arrives in time. */
function arrived({ now, next }: { readonly now: string | undefined; readonly next: Promise<string | undefined> }): Promise<string | undefined> {
  if (now !== undefined) return Promise.resolve(now);
  const late = new Promise<undefined>((resolve) => {
    setTimeout(resolve, PATIENCE_MS, undefined).unref();
  });
  return Promise.race([next, late]);
}

const iso = (at: number) => new Date(at).toISOString();
