// Passkeys (Web Authentication Level 3). The library, which is loaded when the first one is used, checks what browsers send.

import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import type { FactorStore, Passkey } from '../../core/identity/factors.ts';
import type { User } from '../../core/identity/user.ts';

/** How long a person may take, in milliseconds. */
const TIMEOUT_MS = 300_000;
/** Web Authentication Level 3, section 5.8.4. */
const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'];

export interface Passkeys {
  /** Whether browsers offer passkeys at this origin: not at an IP address. */
  readonly areOffered: boolean;
  /** What the browser is asked to create, as JSON. @param challenge secret of the form */
  creation(user: User, existing: readonly Passkey[], challenge: string): Promise<object>;
  /** Stores what the browser has created, as it sent it. @returns whether it may be used; false if it is wrong, known, or one too many */
  register(user: User, name: string, answer: string, challenge: string, now: number): Promise<boolean>;
  /** What the browser is asked for, as JSON. @param of the passkeys that may answer. @default any that it has for this origin */
  request(challenge: string, of?: readonly Passkey[]): Promise<object>;
  /**
   * Uses the passkey that has answered.
   *
   * @param alone whether no password was entered, so that the authenticator must know its user
   * @returns the id of its user; undefined if it is wrong
   */
  use(answer: string, challenge: string, alone: boolean, now: number): Promise<string | undefined>;
}

/** @param origin of the pages @param secret of the installation, by which challenges are made from the secrets of forms */
export function createPasskeys(origin: string, secret: string, store: FactorStore): Passkeys {
  const { hostname } = new URL(origin);
  const load = () => import('@simplewebauthn/server');
  const challengeOf = (form: string) => createHmac('sha256', secret).update(`passkey\n${form}`).digest();
  const bare = ({ id, transports }: Passkey) => ({ id, transports: [...transports] as never[] });
  return {
    areOffered: isIP(hostname.replace(/^\[|\]$/g, '')) === 0,
    creation: async (user, existing, challenge) =>
      (await load()).generateRegistrationOptions({
        rpName: 'Petstore',
        rpID: hostname,
        userName: user.email,
        userID: Buffer.from(user.id),
        challenge: challengeOf(challenge),
        timeout: TIMEOUT_MS,
        attestationType: 'none',
        excludeCredentials: existing.map(bare),
        // Without the password, only what is stored with the user's id can be found.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      }),
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
      // The library passes on what the browser says of them.
      const known = TRANSPORTS.filter((each) => Array.isArray(transports) && transports.includes(each as never));
      return store.addPasskey({ id, userId: user.id, name, publicKey, counter, transports: known, createdAt: now, usedAt: undefined });
    },
    request: async (challenge, of) =>
      (await load()).generateAuthenticationOptions({
        rpID: hostname,
        challenge: challengeOf(challenge),
        timeout: TIMEOUT_MS,
        userVerification: of === undefined ? 'required' : 'preferred',
        ...(of !== undefined && { allowCredentials: of.map(bare) }),
      }),
    use: async (answer, challenge, alone, now) => {
      const given = parsed(answer)?.id;
      const passkey = typeof given === 'string' ? store.passkey(given) : undefined;
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

/** Whatever is wrong with an answer: its sender learns that it is. */
function refused() {
  return { verified: false, registrationInfo: undefined, authenticationInfo: undefined };
}

/** An answer that is no object is as good as none. */
function parsed(answer: string): { readonly id?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
