// Certificates through ACME (RFC 8555), validated with http-01 (a plain HTTP request to our edge) or, for wildcards, with dns-01 (a TXT record).
// Everything is stored before the authority learns of it, so that after a crash, the existing order continues and no second one is created.

import { hash, X509Certificate } from 'node:crypto';
import type { AcmeOrders, CertificateVault, StoredOrder } from '../../core/domains/certificate-ports.ts';
import type { AttemptFailure } from '../../core/domains/domain.ts';
import { registeredDomain } from '../../core/domains/host-name.ts';
import { AuthoritySilent, type CertificateAuthority, type CertificateStatus } from '../../core/domains/ports.ts';
import { renewalDueAt } from '../../core/domains/renewal.ts';
import { MAX_RETRY_AFTER_MS } from '../../core/domains/schedule.ts';
import { HOUR_MS } from '../../core/limits/windows.ts';
import { AccountRefused, certificateRequest, createAcmeAccount, isRefusalOfAccount, newPrivateKey } from './acme-account.ts';
import { type AcmeAnswer, AcmeProblem, AcmeSilence, createAcmeFetch } from './acme-http.ts';
import { issuedStatus, isUsable } from './acme-orders.ts';
import { createRenewalInfo } from './acme-renewal-info.ts';
import { answered, failureOf, failureOfProblem, type Order } from './acme-verdicts.ts';

export interface AcmeOptions {
  /** URL of the directory. */
  readonly directory: string;
  /** PEM of the root to trust for a private authority, instead of the public roots. */
  readonly extraRoot?: string | undefined;
  /** Names that allow this authority in a CAA record. @default the directory's caaIdentities (RFC 8555, section 7.1.1) */
  readonly issuerNames?: readonly string[] | undefined;
  readonly orders: AcmeOrders;
  readonly vault: CertificateVault;
  /** Sets the TXT records that wildcards need. @default wildcards can't be ordered */
  readonly txt?: TxtPublisher | undefined;
  /** Reports, in one line, a problem that the operator must know about. @default not reported */
  readonly warn?: ((message: string) => void) | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** This program's version, for the User-Agent header. @default unknown */
  readonly version?: string;
}

/** Sets TXT records in one of the operator's zones. Both methods are safe to repeat. */
export interface TxtPublisher {
  set(name: string, value: string): Promise<void>;
  unset(name: string, value: string): Promise<void>;
}

/** How long one check keeps polling while the authority works, and the first and the longest pause between polls, in milliseconds. */
const WORK_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 800;

/** Let's Encrypt blocks a host for an hour after five failures; we stop one short of that. */
const FAILURES_AN_HOUR = 4;

/** Maximum number of authorizations read per order. An order for one name has one, and reading many would delay other orders. */
const MOST_AUTHORIZATIONS = 4;

const PENDING = { kind: 'pending' } as const;

/** Opens an ACME authority. The account is registered with the first order. */
export async function createAcmeAuthority(options: AcmeOptions): Promise<CertificateAuthority> {
  const { directory, extraRoot, issuerNames, orders, vault, txt, warn, clock, version = 'unknown' } = options;
  const fetch = createAcmeFetch(extraRoot, version);
  const account = createAcmeAccount({ directory, fetch, orders, clock });
  const askForRenewal = createRenewalInfo({ account, fetch, vault, clock });

  const at = (retryAfterMs: number | undefined) => (retryAfterMs === undefined ? undefined : clock() + retryAfterMs);
  const silent = (error: AcmeSilence | AcmeProblem) =>
    new AuthoritySilent(error.message, { cause: error, ...(error.retryAfterMs !== undefined && { retryAt: at(error.retryAfterMs) }) });

  /** Creates an order. Any failure ends the attempt, because the authority may have created the order anyway. */
  async function createOrder({ reference, host, replaces }: StoredOrder): Promise<AttemptFailure | undefined> {
    const paused = (await orders.account(directory))?.pausedUntil ?? 0;
    // A time that is too far ahead was stored while the clock was wrong.
    if (paused > clock() && paused <= clock() + MAX_RETRY_AFTER_MS)
      return { failure: 'rate_limited', detail: 'it has asked us to wait before any new order', retryAt: paused };
    const renewed = replaces === undefined ? undefined : await vault.get(replaces);
    try {
      const newOrder = await account.newOrderUrl();
      const { renewalInfo } = await account.directory();
      // Renewals that name the old certificate don't count against the authority's limits (RFC 9773, section 5).
      const replacing = renewalInfo === undefined || renewed?.authority !== directory ? {} : { replaces: askForRenewal.idOf(renewed.chain) };
      const identifiers = [{ type: 'dns', value: host }];
      const answer = await post(newOrder, { identifiers, ...replacing }).catch((error: unknown) => {
        // If the authority does not recognize the certificate as ours, or the certificate is already replaced, an ordinary order is sent instead.
        if (!(error instanceof AcmeProblem) || !('replaces' in replacing) || !['malformed', 'alreadyReplaced'].includes(error.type)) throw error;
        return post(newOrder, { identifiers });
      });
      if (answer.location === undefined) throw new AcmeSilence('its answer to an order has no URL');
      await orders.update(reference, { url: answer.location });
      await acceptedAccount();
      return undefined;
    } catch (error) {
      return await failureOfCreation(error, host);
    }
  }

  /** Sends a request. If the authority rejects the account, registers it again and repeats the request once. */
  async function post(url: string, payload: object): Promise<AcmeAnswer> {
    try {
      return await account.post(url, payload);
    } catch (error) {
      if (!(error instanceof AcmeProblem) || error.type !== 'unauthorized') throw error;
      if (await account.repair()) return account.post(url, payload);
      throw new AcmeSilence(error.message, error.retryAfterMs, { cause: error });
    }
  }

  async function failureOfCreation(error: unknown, host: string): Promise<AttemptFailure> {
    if (error instanceof AccountRefused) return refusedAccount(error.message, undefined);
    if (!(error instanceof AcmeProblem) && !(error instanceof AcmeSilence)) throw error;
    const retryAt = at(error.retryAfterMs);
    if (error instanceof AcmeSilence) {
      await pause(retryAt);
      return { failure: 'authority_unavailable', detail: error.message, retryAt };
    }
    if (isRefusalOfAccount(error)) return refusedAccount(error.message, error.instance);
    const failure = { ...failureOfProblem(error.type, error.message), retryAt };
    if (failure.failure === 'authority_unavailable' || (failure.failure === 'rate_limited' && isLimitOfAll(error, host))) await pause(retryAt);
    return failure;
  }

  async function pause(until: number | undefined): Promise<void> {
    // The authority may ask for a longer pause than this maximum.
    if (until !== undefined) await orders.updateAccount(directory, { pausedUntil: Math.min(until, clock() + MAX_RETRY_AFTER_MS) });
  }

  /** Warns the operator once, when the refusals begin. */
  async function refusedAccount(detail: string, page: string | undefined): Promise<AttemptFailure> {
    const reason = page === undefined ? detail : `${detail}; see ${page}`;
    if ((await orders.account(directory))?.refused === undefined)
      warn?.(`the certificate authority ${directory} refuses this installation's account: ${reason}; no certificates until that is resolved`);
    await orders.updateAccount(directory, { refused: reason });
    return { failure: 'account', detail };
  }

  async function acceptedAccount(): Promise<void> {
    if ((await orders.account(directory))?.refused === undefined) return;
    await orders.updateAccount(directory, { refused: undefined });
    warn?.(`the certificate authority ${directory} accepts this installation's account again`);
  }

  /** Publishes the challenge responses, then asks the authority to validate. */
  async function answerChallenges(order: Order, host: string): Promise<CertificateStatus> {
    for (const url of order.authorizations.slice(0, MOST_AUTHORIZATIONS)) {
      const authorization = answered.authorization((await account.post(url)).body);
      const failure = failureOf(authorization);
      if (failure !== undefined) return { kind: 'failed', ...failure };
      if (authorization.status !== 'pending') continue;
      const type = host.startsWith('*.') ? 'dns-01' : 'http-01';
      const challenge = authorization.challenges.find((each) => each.type === type);
      if (challenge === undefined) return { kind: 'failed', failure: 'other', detail: `the authority offers no ${type} challenge` };
      const answer = await account.keyAuthorization(challenge.token);
      if (type === 'dns-01' && (await orders.challenge(host, challenge.token)) === undefined) {
        await txt?.set(...txtRecord(host, answer));
        await orders.keepChallenge(host, challenge.token, answer);
        // The record has to reach the name servers first.
        return PENDING;
      }
      await orders.keepChallenge(authorization.identifier.value, challenge.token, answer);
      if (challenge.status === 'pending') await requestValidation(challenge.url);
    }
    return PENDING;
  }

  /** Asks the authority to validate a challenge. An earlier request may already have done so. */
  async function requestValidation(url: string): Promise<void> {
    try {
      await account.post(url, {});
    } catch (error) {
      if (!(error instanceof AcmeProblem) || error.type !== 'malformed') throw error;
      const { status } = answered.challenge((await account.post(url)).body);
      if (status === 'pending') throw error;
    }
  }

  async function finish(stored: StoredOrder, url: string): Promise<CertificateStatus> {
    const { body } = await account.post(url);
    const chain = String(body);
    const leaf = leafOf(chain);
    const { validFromDate, validToDate } = leaf;
    // This order can't recover, but a new one can succeed.
    if (!certificateRequest.isKeyOf(stored.privateKey, leaf.publicKey)) return misissued('key');
    if (leaf.checkHost(stored.host.replace('*', 'any'), { subject: 'never' }) === undefined) return misissued('name');
    const certificate = { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime(), chain, authority: directory };
    await vault.put(stored.reference, { ...certificate, host: stored.host, privateKey: stored.privateKey });
    await withdraw(stored.host);
    await orders.forget(stored.reference);
    return issuedStatus(certificate, directory);
  }

  /** Removes the TXT records published for a wildcard. */
  async function withdraw(host: string): Promise<void> {
    if (!host.startsWith('*.')) return;
    for (const answer of await orders.answersOf(host)) await txt?.unset(...txtRecord(host, answer));
  }

  /** Reads the order and performs the next action for which it is ready. */
  async function step(stored: StoredOrder, url: string): Promise<CertificateStatus> {
    const answer = await account.post(url).catch((error: unknown) => {
      // The order belongs to an earlier account, or the authority has forgotten it.
      if (error instanceof AcmeProblem && ['unauthorized', 'malformed'].includes(error.type)) return undefined;
      if (error instanceof AcmeSilence && error.status === 404) return undefined;
      throw error;
    });
    if (answer === undefined) return { kind: 'failed', failure: 'authority_unavailable', detail: 'the authority no longer knows the order' };
    const order = answered.order(answer.body);
    const pending = { ...PENDING, ...(answer.retryAfterMs !== undefined && { askAgainAt: at(answer.retryAfterMs) }) };
    switch (order.status) {
      case 'pending': {
        const status = await answerChallenges(order, stored.host);
        return status.kind === 'pending' ? pending : status;
      }
      case 'ready':
        await account.post(order.finalize, { csr: await certificateRequest.create(stored.host, stored.privateKey) });
        return PENDING;
      case 'valid':
        return order.certificate === undefined ? pending : finish(stored, order.certificate);
      case 'invalid': {
        const status = await answerChallenges(order, stored.host);
        if (status.kind === 'failed') return status;
        const { type, detail } = order.error ?? {};
        return { kind: 'failed', ...failureOfProblem(type ?? '', detail ?? 'the order is invalid') };
      }
      default:
        return pending;
    }
  }

  /** Works on an order for as long as the authority makes progress, up to WORK_MS. */
  async function work(stored: StoredOrder): Promise<CertificateStatus> {
    if (stored.url === undefined) {
      const failure = (await barred(stored.host)) ?? (await createOrder(stored));
      if (failure !== undefined) return { kind: 'failed', ...failure };
    }
    const end = Date.now() + WORK_MS;
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      const current = await orders.get(stored.reference);
      if (current?.url === undefined) return PENDING;
      const status = await step(current, current.url).catch(async (error: unknown): Promise<CertificateStatus> => {
        if (error instanceof AccountRefused) return { kind: 'failed', ...(await refusedAccount(error.message, undefined)) };
        if (!(error instanceof AcmeProblem)) throw error;
        if (isRefusalOfAccount(error)) return { kind: 'failed', ...(await refusedAccount(error.message, error.instance)) };
        const failure = failureOfProblem(error.type, error.message);
        // The order itself may be valid, so a temporary failure is retried.
        if (failure.failure === 'authority_unavailable' || failure.failure === 'rate_limited') throw error;
        return { kind: 'failed', ...failure, retryAt: at(error.retryAfterMs) };
      });
      if (status.kind !== 'pending' || Date.now() >= end) return status;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** Returns a failure if the host has had too many failures recently: another order would also fail, and prolong the block. */
  async function barred(host: string): Promise<AttemptFailure | undefined> {
    const now = clock();
    // Failures with a time in the future were recorded before the clock was set back.
    const failures = (await orders.failuresSince(host, now - HOUR_MS)).filter((failedAt) => failedAt <= now);
    const [first] = failures;
    if (first === undefined || failures.length < FAILURES_AN_HOUR) return undefined;
    return {
      failure: 'rate_limited',
      detail: `${failures.length} orders failed within an hour, and one more could block the name`,
      retryAt: first + HOUR_MS,
    };
  }

  /** Works on an order that this process has claimed. */
  async function workOn(reference: string): Promise<CertificateStatus> {
    const stored = await orders.get(reference);
    // Another process may have obtained the certificate in the meantime.
    const issued = stored === undefined ? await vault.get(reference) : undefined;
    if (issued !== undefined && isUsable(issued)) return PENDING;
    if (stored === undefined) return { kind: 'failed', failure: 'other', detail: `no valid certificate and no order ${reference}` };
    if (stored.failure !== undefined) return { kind: 'failed', ...stored.failure };
    const status = await work(stored).catch((error: unknown) => {
      throw error instanceof AcmeSilence || error instanceof AcmeProblem ? silent(error) : error;
    });
    if (status.kind !== 'failed') return status;
    const { kind: _, ...failure } = status;
    await withdraw(stored.host);
    const url = (await orders.get(reference))?.url;
    if (url !== undefined) await orders.recordFailure({ host: stored.host, reference: url }, clock());
    await orders.update(reference, { failure });
    return status;
  }

  return {
    caaIdentity: async () => {
      const issuers = issuerNames ?? (await account.directory().then(caaIdentitiesOf, () => []));
      return { issuers, accountUri: await account.url(), methods: ['http-01'] };
    },
    renewsAutomatically: false,
    request: async (host, requestId, replaces) => {
      const reference = referenceOf(requestId);
      if ((await vault.get(reference)) !== undefined) return reference;
      const order = await orders.get(reference);
      if (order?.failure !== undefined) await orders.update(reference, { url: undefined, failure: undefined, privateKey: newPrivateKey() });
      if (order !== undefined) return reference;
      const kept = await vault.kept(host);
      if (kept?.authority === directory && clock() < renewalDueAt(kept, host)) {
        await vault.put(reference, kept);
        return reference;
      }
      await orders.keep({ reference, host, privateKey: newPrivateKey(), url: undefined, replaces, failure: undefined });
      return reference;
    },
    check: async (reference) => {
      const issued = await vault.get(reference);
      if (issued !== undefined && isUsable(issued)) {
        const { window, askAgainAt } = (await askForRenewal.of(reference, issued, directory)) ?? {};
        return { ...issuedStatus(issued, directory), ...(window && { window }), ...(askAgainAt !== undefined && { askAgainAt }) };
      }
      // Only one process works on an order: others would order the certificate again.
      if (!(await orders.claim(reference))) return PENDING;
      try {
        return await workOn(reference);
      } finally {
        await orders.release(reference);
      }
    },
    release: async ({ id }, except) => {
      const prefix = `${referenceOf(id)}-`;
      await orders.deleteAll(prefix, except);
      if (except === undefined) await vault.keep(prefix);
      await vault.deleteAll(prefix, except);
    },
  };
}

/** Let's Encrypt's wording of limits that apply to all of this installation's orders. */
const LIMIT_OF_ALL = /\b(new orders|account|IP address)\b/i;

/** Whether a limit applies to all names. A limit on one name does not always mention the name; its owner alone can exhaust it, with any account. */
function isLimitOfAll({ status, message }: AcmeProblem, host: string): boolean {
  return status >= 500 || (LIMIT_OF_ALL.test(message) && !message.includes(registeredDomain(host.replace(/^\*\./, ''))));
}

function caaIdentitiesOf({ meta }: { readonly meta?: { readonly caaIdentities?: unknown } }): readonly string[] {
  const names = meta?.caaIdentities;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()) : [];
}

/** Returns the leaf certificate of a chain. @throws AcmeSilence if there is none */
function leafOf(chain: string): X509Certificate {
  try {
    return new X509Certificate(chain);
  } catch {
    throw new AcmeSilence('its answer is not a certificate');
  }
}

function misissued(what: 'key' | 'name'): CertificateStatus {
  return { kind: 'failed', failure: 'other', detail: `the authority issued a certificate for the wrong ${what}` };
}

/** RFC 8555, section 8.4. */
function txtRecord(host: string, keyAuthorization: string): [name: string, value: string] {
  return [`_acme-challenge.${host.replace(/^\*\./, '')}`, hash('sha256', keyAuthorization, 'base64url')];
}

const referenceOf = (requestId: string) => `acme:${requestId}`;
