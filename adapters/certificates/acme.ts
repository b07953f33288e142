// Certificates by ACME (RFC 8555) over http-01: whoever reaches the domain by plain HTTP comes to our edge, which knows the answer.
// Account key, orders and challenges are stored before the authority hears of them, so that a crash at any point is gone on
// from: the order that was begun is finished, no second one is made.

import acme, { type Authorization, type Order } from 'acme-client';
import type { CertificateFailure } from '../../core/domains/domain.ts';
import { AuthoritySilent, type CertificateAuthority, type CertificateStatus } from '../../core/domains/ports.ts';
import { renewalDueAt } from '../../core/domains/renewal.ts';
import { StoreFault } from '../../core/store-fault.ts';
import type { AcmeOrders, StoredOrder } from './acme-orders.ts';
import { AcmeProblem, requestsWith } from './acme-requests.ts';
import { type CertificateVault, lifeOf } from './sqlite-vault.ts';

export interface AcmeOptions {
  /** URL of the directory. */
  readonly directory: string;
  /** PEM of the root to trust for an authority of one's own, in place of the public ones. */
  readonly extraRoot?: string | undefined;
  /** Names that a CAA record may allow it by. @default what its directory says (RFC 8555, section 7.1.1, caaIdentities) */
  readonly issuerNames?: readonly string[] | undefined;
  readonly orders: AcmeOrders;
  readonly vault: CertificateVault;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** How long one check goes on by itself while the authority is at work, in milliseconds, and how often it looks. */
const WORK_MS = 5_000;
const LOOK_MS = 250;

/** Let's Encrypt bars a host for an hour after five failures: the last one is not used up. */
const FAILURES_AN_HOUR = 4;
const HOUR_MS = 3_600_000;

/** Which failures repeat themselves until somebody acts; the others pass, and the step is done again. */
const FAILURES: Readonly<Record<string, CertificateFailure>> = {
  caa: 'caa',
  rateLimited: 'rate_limited',
  rejectedIdentifier: 'name_refused',
  unsupportedIdentifier: 'name_refused',
  unauthorized: 'validation',
  connection: 'validation',
  dns: 'validation',
  incorrectResponse: 'validation',
  tls: 'validation',
  malformed: 'other',
};

export async function createAcmeAuthority({ directory, extraRoot, issuerNames, orders, vault, clock }: AcmeOptions): Promise<CertificateAuthority> {
  const withRequests = requestsWith(extraRoot);
  const accountKey = orders.accountKey(directory) ?? orders.keepAccountKey(directory, String(await acme.crypto.createPrivateEcdsaKey()));
  const client = new acme.Client({ directoryUrl: directory, accountKey, backoffAttempts: 3, backoffMin: 200, backoffMax: 1_000 });
  let known = issuerNames;
  let registered: Promise<void> | undefined;
  const register = () => {
    registered ??= makeAccount(client).catch((error) => {
      registered = undefined;
      throw error;
    });
    return registered;
  };

  async function orderOf(stored: StoredOrder): Promise<Order> {
    if (stored.url !== undefined) return client.getOrder({ url: stored.url } as Order);
    const order = await client.createOrder({ identifiers: [{ type: 'dns', value: stored.host }] });
    orders.update(stored.reference, { url: order.url });
    return order;
  }

  /** Makes the answers known at the edge, and tells the authority to look. */
  async function answerChallenges(order: Order): Promise<CertificateStatus | undefined> {
    for (const authorization of await client.getAuthorizations(order)) {
      const failed = failureOf(authorization);
      if (failed !== undefined) return failed;
      if (authorization.status !== 'pending') continue;
      const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
      if (challenge === undefined) return { kind: 'failed', failure: 'other', detail: 'the authority offers no http-01 challenge' };
      orders.keepChallenge(authorization.identifier.value, challenge.token, await client.getChallengeKeyAuthorization(challenge));
      if (challenge.status === 'pending') await client.completeChallenge(challenge);
    }
    return undefined;
  }

  async function finish(stored: StoredOrder, order: Order): Promise<CertificateStatus> {
    const chain = await client.getCertificate(order);
    const info = acme.crypto.readCertificateInfo(chain);
    const [notBefore, notAfter] = [info.notBefore.getTime(), info.notAfter.getTime()];
    vault.put(stored.reference, { host: stored.host, chain, privateKey: stored.privateKey, notBefore, notAfter });
    orders.forget(stored.reference);
    return { kind: 'issued', life: { notBefore, notAfter } };
  }

  /** One look at the order, and what it is ready for. */
  async function step(stored: StoredOrder): Promise<CertificateStatus> {
    const order = await orderOf(stored);
    switch (order.status) {
      case 'pending':
        return (await answerChallenges(order)) ?? { kind: 'pending' };
      case 'ready': {
        const [, csr] = await acme.crypto.createCsr({ altNames: [stored.host] }, stored.privateKey);
        await client.finalizeOrder(order, csr);
        return { kind: 'pending' };
      }
      case 'processing':
        return { kind: 'pending' };
      case 'valid':
        return finish(stored, order);
      case 'invalid':
        return (
          (await answerChallenges(order)) ?? {
            kind: 'failed',
            failure: 'other',
            detail: order.error === undefined ? 'the order is invalid' : JSON.stringify(order.error),
          }
        );
    }
  }

  /** Too many failures of late: the authority would only say no, for longer. */
  function barred(host: string): CertificateStatus | undefined {
    const now = clock();
    // Failures of the future were noted before the clock was set back.
    const failures = orders.failuresSince(host, now - HOUR_MS).filter((at) => at <= now);
    const [first] = failures;
    if (first === undefined || failures.length < FAILURES_AN_HOUR) return undefined;
    const until = new Date(first + HOUR_MS).toISOString();
    return {
      kind: 'failed',
      failure: 'rate_limited',
      detail: `${failures.length} tries failed within an hour, more bar the name; Re-verify after ${until}`,
    };
  }

  /** Goes on with an order for as long as the authority is at work on it. */
  async function work(stored: StoredOrder): Promise<CertificateStatus> {
    await register();
    for (const end = Date.now() + WORK_MS; ; ) {
      const status = await step(orders.get(stored.reference) ?? stored);
      if (status.kind !== 'pending' || Date.now() >= end) return status;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  return {
    issuerNames: async () => {
      known ??= await withRequests(() => caaIdentities(directory));
      return known ?? [];
    },
    renewsByItself: false,
    request: async (host, requestId) => {
      const reference = referenceOf(requestId);
      if (vault.get(reference) !== undefined || orders.get(reference) !== undefined) return reference;
      const kept = vault.kept(host);
      if (kept !== undefined && clock() < renewalDueAt(kept, host)) {
        vault.put(reference, kept);
        return reference;
      }
      orders.keep({ reference, host, privateKey: String(await acme.crypto.createPrivateEcdsaKey()), url: undefined });
      return reference;
    },
    check: async (reference) => {
      const issued = vault.get(reference);
      if (issued !== undefined) return { kind: 'issued', life: lifeOf(issued) };
      const stored = orders.get(reference);
      if (stored === undefined) return { kind: 'failed', failure: 'other', detail: `no order ${reference}; verify again` };
      const bar = stored.url === undefined ? barred(stored.host) : undefined;
      if (bar !== undefined) return bar;
      const status = await withRequests(() => work(stored)).catch((error: unknown): CertificateStatus => {
        const failure = error instanceof AcmeProblem ? FAILURES[error.type] : undefined;
        if (failure === undefined) throw silentOr(error);
        return { kind: 'failed', failure, detail: error instanceof Error ? error.message : String(error) };
      });
      if (status.kind === 'failed') orders.noteFailure(stored, clock());
      return status;
    },
    release: async ({ id }, except) => {
      const prefix = `${referenceOf(id)}-`;
      orders.forgetAll(prefix, except);
      if (except === undefined) vault.keep(prefix);
      vault.deleteAll(prefix, except);
    },
  };
}

/** Problems that no order is to blame for, such as serverInternal, and no answer at all, of which the library makes errors of all kinds. */
function silentOr(error: unknown): unknown {
  return error instanceof StoreFault ? error : new AuthoritySilent(error instanceof Error ? error.message : String(error), { cause: error });
}

/** @returns undefined if the directory can't be had; empty if it names none */
async function caaIdentities(directory: string): Promise<readonly string[] | undefined> {
  try {
    const { data } = await acme.axios.get<{ readonly meta?: { readonly caaIdentities?: unknown } }>(directory);
    const names = data.meta?.caaIdentities;
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()) : [];
  } catch {
    return undefined;
  }
}

/** The authority knows an account by its key: asking again gives the same one. */
async function makeAccount(client: acme.Client): Promise<void> {
  try {
    await client.createAccount({ termsOfServiceAgreed: true });
  } catch (error) {
    // Of an account that is there already the library makes an update without content, which an authority may refuse.
    if (!hasAccount(client)) throw error;
  }
}

function hasAccount(client: acme.Client): boolean {
  try {
    return client.getAccountUrl() !== '';
  } catch {
    return false;
  }
}

const referenceOf = (requestId: string) => `acme:${requestId}`;

/** Why an authorization failed, in the authority's words. */
function failureOf({ status, challenges }: Authorization): CertificateStatus | undefined {
  if (status !== 'invalid') return undefined;
  const error = challenges.map((challenge) => (challenge as { error?: { type?: string; detail?: string } }).error).find((each) => each !== undefined);
  const type = String(error?.type ?? '').replace('urn:ietf:params:acme:error:', '');
  return { kind: 'failed', failure: FAILURES[type] ?? 'other', detail: error?.detail ?? 'the authorization is invalid' };
}
