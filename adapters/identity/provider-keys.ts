// The embedded OpenID provider's keys, created at the first start. They could sign in any user, so only the file's owner may read them.

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { IDENTITY_KEYS_FILE } from '../files/data-folder.ts';
import { writeDurably } from '../files/durable.ts';

export interface ProviderKeys {
  /** Signs tokens. */
  readonly signing: JWK;
  /** Signs cookies. */
  readonly cookies: string;
}

/** Reads the keys from the data folder; creates them if there are none. @throws Error that says what to do, if the file is damaged */
export async function openProviderKeys(folder: string): Promise<ProviderKeys> {
  const file = join(folder, IDENTITY_KEYS_FILE);
  if (existsSync(file)) {
    // Repairs the file's mode if the folder was copied.
    chmodSync(file, 0o600);
    return readKeys(file);
  }
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keys: ProviderKeys = {
    signing: { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: randomBytes(8).toString('hex') },
    cookies: randomBytes(32).toString('base64url'),
  };
  writeDurably(file, JSON.stringify(keys));
  return keys;
}

/** Returns the keys in a file. @throws Error that says what to do, if it is damaged */
export async function readKeys(file: string): Promise<ProviderKeys> {
  const text = readFileSync(file, 'utf8');
  try {
    const { signing, cookies }: Partial<ProviderKeys> = JSON.parse(text);
    if (signing === undefined || typeof cookies !== 'string' || cookies === '') throw new Error('a key is missing');
    await importJWK(signing, 'ES256');
    return { signing, cookies };
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      `${file} is damaged (${reason}): restore it from a backup, or delete it, which signs out all users and voids their authenticator apps and recovery codes`,
    );
  }
}

// Verifies access tokens as API Gateway's JWT authorizer does on AWS: signature, issuer, audience and time (RFC 9068).

export interface AccessTokenOptions {
  readonly issuer: string;
  readonly audience: string;
  /** The issuer's key; its private part is not used. */
  readonly key: JWK;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Creates a function that returns the claims of the token in an Authorization header, or undefined if it is missing or invalid. */
export function createAccessTokenCheck({
  issuer,
  audience,
  key,
  clock,
}: AccessTokenOptions): (header: string | undefined) => Promise<JWTPayload | undefined> {
  const { d: _, ...publicKey } = key;
  const keys = createLocalJWKSet({ keys: [publicKey as JWK] });
  return async (header) => {
    const token = /^Bearer (\S+)$/i.exec(header ?? '')?.[1];
    if (token === undefined) return undefined;
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ['ES256'], typ: 'at+jwt', currentDate: new Date(clock()) });
      return payload;
    } catch {
      // The sender does not need to know the reason.
      return undefined;
    }
  };
}
