// Certificates through ACME (RFC 8555) with the http-01 challenge: plain HTTP requests for the domain reach our edge, which has the response. The
// account key, orders and challenges are stored before the authority learns of them. After a crash at any point, the existing order continues; no
// second one is created.

import acme, { type Authorization, type Order } from 'acme-client';
import type { CertificateFailure } from '../../core/domains/domain.ts';
import { AuthoritySilent, type CertificateAuthority, type CertificateStatus } from '../../core/domains/ports.ts';
import { renewalDueAt } from '../../core/domains/renewal.ts';
import { StoreFault } from '../../core/store-fault.ts';
import type { AcmeOrders, StoredOrder } from './acme-orders.ts';
import { AcmeProblem, requestsWith } from './acme-requests.ts';
import { type CertificateVault, issuedStatus } from './sqlite-vault.ts';

export interface AcmeOptions {
  /** URL of the directory. */
  readonly directory: string;
  /** PEM of the root to trust for a private authority, instead of the public roots. */
  readonly extraRoot?: string | undefined;
  /** Names that allow this authority in a CAA record. @default the directory's caaIdentities (RFC 8555, section 7.1.1) */
  readonly issuerNames?: readonly string[] | undefined;
  readonly orders: AcmeOrders;
  readonly vault: CertificateVault;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** How long one check keeps polling while the authority works, and the polling interval, both in milliseconds. */
const WORK_MS = 5_000;
const POLL_MS = 250;

/** Let's Encrypt blocks a host for an hour after five failures; we stop one short of that. */
const FAILURES_AN_HOUR = 4;
/**
 * Failed orders within an hour after which a validation is not repeated automatically. The authority may have tried to reach this edge or the
 * owner's name servers while they were restarting: nobody has to act on that.
 */
const FAILURES_TO_REPORT = 2;
const HOUR_MS = 3_600_000;

/** Failures that recur until someone acts. All others are transient, and the step is retried. */
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

/** Opens an ACME authority. The account key is created on first use; the account is registered with the first order. */
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

  /** Publishes the challenge responses at the edge, then tells the authority to validate. */
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
    return issuedStatus({ chain, notBefore, notAfter });
  }

  /** Reads the order and performs the next action for which it is ready. */
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

  /** Records that the order failed. The first failed validation within an hour is repeated with a new order at the next check. */
  function afterFailure(reference: string, status: Extract<CertificateStatus, { kind: 'failed' }>): CertificateStatus {
    const stored = orders.get(reference);
    if (stored === undefined) return status;
    const now = clock();
    orders.recordFailure({ host: stored.host, reference: stored.url ?? reference }, now);
    if (status.failure !== 'validation' || failuresWithinHour(stored.host, now).length >= FAILURES_TO_REPORT) return status;
    orders.update(reference, { url: undefined });
    return { kind: 'pending' };
  }

  // Failures with a time in the future were recorded before the clock was set back.
  const failuresWithinHour = (host: string, now: number) => orders.failuresSince(host, now - HOUR_MS).filter((at) => at <= now);

  /** Returns a failure if the host has had too many failures recently: another order would fail as well, and prolong the block. */
  function barred(host: string): CertificateStatus | undefined {
    const failures = failuresWithinHour(host, clock());
    const [first] = failures;
    if (first === undefined || failures.length < FAILURES_AN_HOUR) return undefined;
    const until = new Date(first + HOUR_MS).toISOString();
    return {
      kind: 'failed',
      failure: 'rate_limited',
      detail: `${failures.length} orders failed within an hour, and one more could block the name; verify again after ${until}`,
    };
  }

  /** Works on an order for as long as the authority makes progress, up to WORK_MS. */
  async function work(stored: StoredOrder): Promise<CertificateStatus> {
    await register();
    for (const end = Date.now() + WORK_MS; ; ) {
      const status = await step(orders.get(stored.reference) ?? stored);
      if (status.kind !== 'pending' || Date.now() >= end) return status;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  return {
    issuerNames: async () => {
      known ??= await withRequests(() => caaIdentities(directory));
      return known ?? [];
    },
    renewsAutomatically: false,
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
      if (issued !== undefined) return issuedStatus(issued);
      const stored = orders.get(reference);
      if (stored === undefined) return { kind: 'failed', failure: 'other', detail: `no order ${reference}; verify again` };
      const bar = stored.url === undefined ? barred(stored.host) : undefined;
      if (bar !== undefined) return bar;
      const status = await withRequests(() => work(stored)).catch((error: unknown): CertificateStatus => {
        const failure = error instanceof AcmeProblem ? FAILURES[error.type] : undefined;
        if (failure === undefined) throw silentOr(error);
        return { kind: 'failed', failure, detail: error instanceof Error ? error.message : String(error) };
      });
      return status.kind === 'failed' ? afterFailure(stored.reference, status) : status;
    },
    release: async ({ id }, except) => {
      const prefix = `${referenceOf(id)}-`;
      orders.deleteAll(prefix, except);
      if (except === undefined) vault.keep(prefix);
      vault.deleteAll(prefix, except);
    },
  };
}

/**
 * Turns problems that are not the order's fault, such as serverInternal, and missing responses, for which the library throws various errors, into
 * AuthoritySilent.
 */
function silentOr(error: unknown): unknown {
  return error instanceof StoreFault ? error : new AuthoritySilent(error instanceof Error ? error.message : String(error), { cause: error });
}

/** Reads the CAA names from the directory. @returns undefined if the directory can't be fetched; empty if it lists none */
async function caaIdentities(directory: string): Promise<readonly string[] | undefined> {
  try {
    const { data } = await acme.axios.get<{ readonly meta?: { readonly caaIdentities?: unknown } }>(directory);
    const names = data.meta?.caaIdentities;
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()) : [];
  } catch {
    return undefined;
  }
}

/** Creates the account. Authorities identify an account by its key, so repeating this returns the same account. */
async function makeAccount(client: acme.Client): Promise<void> {
  try {
    await client.createAccount({ termsOfServiceAgreed: true });
  } catch (error) {
    // For an existing account, the library sends an update without content, which an authority may reject.
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

/** Returns why an authorization failed, in the authority's words; undefined if it did not. */
function failureOf({ status, challenges }: Authorization): CertificateStatus | undefined {
  if (status !== 'invalid') return undefined;
  const error = challenges.map((challenge) => (challenge as { error?: { type?: string; detail?: string } }).error).find((each) => each !== undefined);
  const type = String(error?.type ?? '').replace('urn:ietf:params:acme:error:', '');
  return { kind: 'failed', failure: FAILURES[type] ?? 'other', detail: error?.detail ?? 'the authorization is invalid' };
}
