// Passkeys (Web Authentication Level 3). The library, which is loaded at the first use of a passkey, checks what browsers send.

import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import type { FactorStore, Passkey } from '../../core/identity/factors.ts';
import type { User } from '../../core/identity/user.ts';
import type { PasskeyForm } from './sign-in-page.ts';

/** How long the user may take, in milliseconds. */
const TIMEOUT_MS = 300_000;
/** Web Authentication Level 3, section 5.8.4. */
const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'];

export interface Passkeys {
  /** Returns the form for creating a passkey; undefined at an IP address, where browsers don't offer passkeys. @param challenge the form's secret */
  creation(user: User, existing: readonly Passkey[], challenge: string): Promise<PasskeyForm | undefined>;
  /** Stores the passkey that the browser has created. @returns whether it was accepted; false if invalid, already known, or over the limit */
  register(user: User, name: string, answer: string, challenge: string, now: number): Promise<boolean>;
  /** Returns the form for using a passkey; undefined at an IP address, which has none. @param of the passkeys that may be used. @default any */
  request(challenge: string, of?: readonly Passkey[]): PasskeyForm | undefined;
  /** Checks a passkey. @param alone without a password; the authenticator must then verify its user @returns the user's id; undefined if invalid */
  use(answer: string, challenge: string, alone: boolean, now: number): Promise<string | undefined>;
}

/** @param origin the pages' origin @param secret the installation's secret; challenges are derived from it and the forms' secrets */
export function createPasskeys(origin: string, secret: string, store: FactorStore): Passkeys {
  const { hostname } = new URL(origin);
  const load = () => import('@simplewebauthn/server');
  const challengeOf = (form: string) => createHmac('sha256', secret).update(`passkey\n${form}`).digest();
  const bare = ({ id, transports }: Passkey) => ({ id, transports: [...transports] as never[] });
  const areOffered = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return {
    creation: async (user, existing, challenge) => {
      if (!areOffered) return undefined;
      const options = await (await load()).generateRegistrationOptions({
        rpName: 'Petstore',
        rpID: hostname,
        userName: user.email,
        userID: Buffer.from(user.id),
        challenge: challengeOf(challenge),
        timeout: TIMEOUT_MS,
        attestationType: 'none',
        excludeCredentials: existing.map(bare),
        // For sign-in without a password, the authenticator must store the passkey with the user's id.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { kind: 'create', options };
    },
    register: async (user, name, answer, challenge, now) => {
      const { verifyRegistrationResponse } = await load();
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: parsed(answer) as never,
        expectedChallenge: challengeOf(challenge).toString('base64url'),
        expectedOrigin: origin,
        expectedRPID: hostname,
        requireUserVerification: true,
      }).catch(refused);
      if (!verified || registrationInfo === undefined) return false;
      const { id, publicKey, counter, transports } = registrationInfo.credential;
      // The library returns whatever the browser reports as transports.
      const known = TRANSPORTS.filter((each) => Array.isArray(transports) && transports.includes(each as never));
      return store.addPasskey({ id, userId: user.id, name, publicKey, counter, transports: known, createdAt: now, usedAt: undefined });
    },
    // Written without the library (Web Authentication Level 3, section 5.5), so that the first page does not wait for it to load.
    request: (challenge, of) => {
      if (!areOffered) return undefined;
      const userVerification = of === undefined ? 'required' : 'preferred';
      const allowCredentials = (of ?? []).map((each) => ({ ...bare(each), type: 'public-key' }));
      const options = {
        challenge: challengeOf(challenge).toString('base64url'),
        rpId: hostname,
        timeout: TIMEOUT_MS,
        userVerification,
        allowCredentials,
      };
      return { kind: 'get', options };
    },
    use: async (answer, challenge, alone, now) => {
      const given = parsed(answer)?.id;
      const passkey = typeof given === 'string' ? await store.passkey(given) : undefined;
      if (passkey === undefined) return undefined;
      const { id, userId, publicKey, counter, transports } = passkey;
      const { verifyAuthenticationResponse } = await load();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: parsed(answer) as never,
        expectedChallenge: challengeOf(challenge).toString('base64url'),
        expectedOrigin: origin,
        expectedRPID: hostname,
        credential: { id, publicKey: Uint8Array.from(publicKey), counter, transports: [...transports] as never[] },
        requireUserVerification: alone,
      }).catch(refused);
      return verified && (await store.usePasskey(id, authenticationInfo?.newCounter ?? 0, now)) ? userId : undefined;
    },
  };
}

/** Returns the same result whatever is wrong with an answer. */
function refused() {
  return { verified: false, registrationInfo: undefined, authenticationInfo: undefined };
}

/** Returns undefined for an answer that is not an object. */
function parsed(answer: string): { readonly id?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
