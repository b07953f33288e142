// The embedded OpenID provider's keys, created at the first start. Anyone who has them could sign in as any user, so only the file's owner may read
// them.

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

export interface ProviderKeys {
  /** Signs tokens. */
  readonly signing: JWK;
  /** Signs cookies. */
  readonly cookies: string;
}

const FILE = 'identity-keys.json';

/** Reads the keys from the data folder; creates them if there are none. */
export async function openProviderKeys(folder: string): Promise<ProviderKeys> {
  const file = join(folder, FILE);
  if (existsSync(file)) {
    // Repairs the file mode in a folder that was copied, or created by an earlier version.
    chmodSync(file, 0o600);
    return JSON.parse(readFileSync(file, 'utf8'));
  }
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keys: ProviderKeys = {
    signing: { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: randomBytes(8).toString('hex') },
    cookies: randomBytes(32).toString('base64url'),
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
  return keys;
}
