// An account with an ACME authority, and the requests that are signed with it (RFC 8555, sections 6 and 7.3). An account that the authority does not
// know, or that was deactivated, is registered again; a problem that only the operator can resolve is reported as AccountRefused.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { calculateJwkThumbprint, exportJWK, FlattenedSign, type JWK } from 'jose';
import type { AcmeOrders } from '../../core/domains/certificate-ports.ts';
import { type AcmeAnswer, type AcmeFetch, AcmeProblem, AcmeSilence } from './acme-http.ts';

/** The members of the directory that are used here (RFC 8555, section 7.1.1; RFC 9773, section 4.1). */
export interface AcmeDirectory {
  readonly newNonce?: string;
  readonly newAccount?: string;
  readonly newOrder?: string;
  readonly renewalInfo?: string;
  readonly meta?: { readonly caaIdentities?: unknown; readonly termsOfService?: unknown };
}

export interface AcmeAccount {
  /** Reads the directory, at most once an hour. */
  directory(): Promise<AcmeDirectory>;
  /** Returns the URL at which orders are created. */
  newOrderUrl(): Promise<string>;
  /** Sends a request signed with the account's key. Without a payload, it is a POST-as-GET. */
  post(url: string, payload?: object): Promise<AcmeAnswer>;
  /** Returns the response to a challenge (RFC 8555, section 8.1). */
  keyAuthorization(token: string): Promise<string>;
  /** Returns the account's URL; undefined until the account is registered. */
  url(): Promise<string | undefined>;
  /** Registers the account again if the authority requires it. @returns whether that changed anything */
  repair(): Promise<boolean>;
}

/** The authority refuses the account until the operator has acted. */
export class AccountRefused extends Error {}

export interface AcmeAccountOptions {
  /** URL of the directory. */
  readonly directory: string;
  readonly fetch: AcmeFetch;
  readonly orders: AcmeOrders;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

const DIRECTORY_MS = 3_600_000;
/** Maximum attempts per request: a server may reject several nonces in a row while it restarts. */
const NONCE_TRIES = 5;
/** Maximum number of nonces kept for later requests. */
const KEPT_NONCES = 8;

/** Problems with an account that no request can resolve (RFC 8555, section 6.7). */
const REFUSALS: readonly string[] = ['accountDoesNotExist', 'externalAccountRequired', 'userActionRequired', 'invalidContact', 'unsupportedContact'];

/** Whether a problem is with the account rather than with the request. */
export function isRefusalOfAccount({ type }: AcmeProblem): boolean {
  return REFUSALS.includes(type);
}

/** Returns a new key, as PEM. */
export function newPrivateKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Opens the account at a directory. Its key is created on first use, and the account is registered with the first request. */
export function createAcmeAccount({ directory: directoryUrl, fetch, orders, clock }: AcmeAccountOptions): AcmeAccount {
  let known: { readonly at: number; readonly directory: AcmeDirectory } | undefined;
  let registering: Promise<string> | undefined;
  const nonces: string[] = [];
  const stored = async () => (await orders.account(directoryUrl)) ?? orders.addAccount(directoryUrl, newPrivateKey());

  async function directory(): Promise<AcmeDirectory> {
    const now = clock();
    // `abs`, because otherwise an old directory would be kept after the clock is set back.
    if (known !== undefined && Math.abs(now - known.at) < DIRECTORY_MS) return known.directory;
    const { body } = await fetch('GET', directoryUrl);
    if (typeof body !== 'object' || body === null) throw new AcmeSilence('its directory is not a JSON object');
    known = { at: now, directory: body };
    return known.directory;
  }

  async function endpoint(name: 'newNonce' | 'newAccount' | 'newOrder'): Promise<string> {
    const url = (await directory())[name];
    if (typeof url !== 'string') throw new AcmeSilence(`its directory has no ${name}`);
    return url;
  }

  async function nonce(): Promise<string> {
    const kept = nonces.pop();
    if (kept !== undefined) return kept;
    const answer = await fetch('HEAD', await endpoint('newNonce'));
    if (answer.nonce === undefined) throw new AcmeSilence('its answer has no nonce');
    return answer.nonce;
  }

  /** @param kid the account's URL; undefined for a request that carries the public key instead */
  async function signed(url: string, payload: object | undefined, kid: string | undefined): Promise<AcmeAnswer> {
    const { privateKey } = await stored();
    for (let attempt = 1; ; attempt += 1) {
      const header = { alg: 'ES256', nonce: await nonce(), url, ...(kid === undefined ? { jwk: await publicKey(privateKey) } : { kid }) };
      const body = payload === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(payload));
      const message = await new FlattenedSign(body).setProtectedHeader(header).sign(createPrivateKey(privateKey));
      try {
        const answer = await fetch('POST', url, message);
        keepNonce(answer.nonce);
        return answer;
      } catch (error) {
        if (!(error instanceof AcmeProblem) || error.type !== 'badNonce' || attempt >= NONCE_TRIES) throw error;
        // The other stored nonces have probably expired as well.
        nonces.length = 0;
      }
    }
  }

  function keepNonce(fresh: string | undefined): void {
    if (fresh !== undefined && nonces.length < KEPT_NONCES) nonces.push(fresh);
  }

  /** Registers the key. If the key is known, the authority answers with its existing account (RFC 8555, section 7.3.1). */
  async function register(): Promise<string> {
    const answer = await signed(await endpoint('newAccount'), { termsOfServiceAgreed: true }, undefined);
    const { status = 'valid' } = (answer.body ?? {}) as { status?: string };
    if (status === 'deactivated') throw new AcmeProblem({ type: 'unauthorized', detail: 'the account is deactivated' }, answer);
    if (status !== 'valid') throw new AccountRefused(`the account is ${status}`);
    if (answer.location === undefined) throw new AcmeSilence('its answer to a registration has no account URL');
    await orders.updateAccount(directoryUrl, { url: answer.location, refused: undefined });
    return answer.location;
  }

  /** Registers the account, one request at a time. */
  function registered(): Promise<string> {
    registering ??= register()
      .catch(async (error: unknown) => {
        if (!(error instanceof AcmeProblem) || error.type !== 'unauthorized') throw error;
        if (!/deactivat/i.test(error.message)) throw new AccountRefused(error.message, { cause: error });
        // The account's key can't be used any more, but a new one can (RFC 8555, sections 7.3 and 7.3.6).
        await orders.updateAccount(directoryUrl, { privateKey: newPrivateKey(), url: undefined });
        return register();
      })
      .finally(() => {
        registering = undefined;
      });
    return registering;
  }

  return {
    directory,
    newOrderUrl: () => endpoint('newOrder'),
    url: async () => (await stored()).url,
    post: async (url, payload) => {
      const kid = (await stored()).url ?? (await registered());
      try {
        return await signed(url, payload, kid);
      } catch (error) {
        if (!(error instanceof AcmeProblem) || error.type !== 'accountDoesNotExist') throw error;
        return signed(url, payload, await registered());
      }
    },
    keyAuthorization: async (token) => `${token}.${await calculateJwkThumbprint(await publicKey((await stored()).privateKey))}`,
    repair: async () => {
      const { url, privateKey } = await stored();
      await registered();
      const now = await stored();
      return now.url !== url || now.privateKey !== privateKey;
    },
  };
}

function publicKey(privateKey: string): Promise<JWK> {
  return exportJWK(createPublicKey(privateKey));
}

// Certificate requests (PKCS #10, RFC 2986) for one name.

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export const certificateRequest = {
  /** @param privateKey PEM, P-256 @returns DER in base64url, as RFC 8555, section 7.4, requires */
  create: async (host: string, privateKey: string): Promise<string> => {
    const key = createPrivateKey(privateKey);
    const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const keys = {
      privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
      publicKey: await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
    };
    const names = new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]);
    const request = await x509.Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: ALGORITHM, extensions: [names] }, webcrypto);
    return Buffer.from(request.rawData).toString('base64url');
  },

  /** Whether a certificate's public key belongs to the private key. */
  isKeyOf: (privateKey: string, publicKey: KeyObject): boolean => createPublicKey(createPrivateKey(privateKey)).equals(publicKey),
};
