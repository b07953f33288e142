// A local certificate authority, for trying everything on one machine. A browser that trusts its root shows pages as with a public certificate.

import { randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../core/limits/windows.ts';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { CertificateVault, StoredCertificate } from '../../core/domains/certificate-ports.ts';
import type { CertificateAuthority } from '../../core/domains/ports.ts';
import { ROOT_FILE, ROOT_KEY_FILE } from '../files/data-folder.ts';
import { writeDurably } from '../files/durable.ts';
import { issuedStatus, isUsable } from './acme-orders.ts';

const crypto = webcrypto;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const ROOT_DAYS = 3_650;
const LEAF_DAYS = 90;
/** Tolerates browsers whose clocks are up to an hour behind. */
const BACKDATE_MS = 3_600_000;

/** What earlier versions recorded as the authority of a certificate, whatever its root. */
const EARLIER = 'development';

/** A name for CAA records, like those of public authorities, so that CAA can be tried out as well. */
export const ISSUER_NAME = 'ca.petstore.test';

interface Root {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

/** Opens a data folder's development authority; creates its root if there is none. @param clock milliseconds since 1970 */
export async function createDevelopmentAuthority(folder: string, vault: CertificateVault, clock: () => number): Promise<CertificateAuthority> {
  const root = await openRoot(folder, clock());
  // A new root is a new authority: browsers that trust only the old root reject the new root's certificates.
  const authority = `development ${new X509Certificate(root.certificate.toString('pem')).fingerprint256}`;
  return {
    caaIdentity: async () => ({ issuers: [ISSUER_NAME] }),
    renewsAutomatically: false,
    request: async (host, requestId) => {
      const reference = referenceOf(requestId);
      if ((await vault.get(reference)) === undefined) await vault.put(reference, { ...(await issue(root, host, clock())), authority });
      return reference;
    },
    check: async (reference) => {
      const certificate = await vault.get(reference);
      if (certificate === undefined || !isUsable(certificate))
        return { kind: 'failed', failure: 'other', detail: `no valid certificate ${reference}` };
      return issuedStatus(certificate, certificate.authority === EARLIER ? EARLIER : authority);
    },
    release: async ({ id }, except) => vault.deleteAll(`${referenceOf(id)}-`, except),
  };
}

const referenceOf = (requestId: string) => `development:${requestId}`;

/** Opens the root; creates it if there is none. @param now milliseconds since 1970 */
export async function openRoot(folder: string, now: number): Promise<Root> {
  const [file, keyFile] = [join(folder, ROOT_FILE), join(folder, ROOT_KEY_FILE)];
  // The certificate is written last, so a key without one is left over from an interrupted first start.
  if (existsSync(file)) {
    if (existsSync(keyFile)) chmodSync(keyFile, 0o600);
    return readRoot(folder);
  }
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomBytes(16).toString('hex'),
      name: `CN=Petstore development CA ${randomBytes(3).toString('hex')}`,
      notBefore: new Date(now - BACKDATE_MS),
      notAfter: new Date(now + ROOT_DAYS * DAY_MS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
      ],
    },
    crypto,
  );
  writeDurably(keyFile, pem(await crypto.subtle.exportKey('pkcs8', keys.privateKey)));
  writeDurably(file, certificate.toString('pem'));
  return { certificate, key: keys.privateKey };
}

/** Reads the root and its key. @throws Error that says what to do, if a file is damaged or the key is missing */
export async function readRoot(folder: string): Promise<Root> {
  const [file, keyFile] = [join(folder, ROOT_FILE), join(folder, ROOT_KEY_FILE)];
  const read = async <T>(from: string, parse: (text: string) => T | Promise<T>): Promise<T> => {
    try {
      return await parse(readFileSync(from, 'utf8'));
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      throw new Error(
        `${from} is damaged (${reason}): restore it from a backup, or delete ${ROOT_FILE} for a new development authority, which browsers have to trust again`,
      );
    }
  };
  return {
    certificate: await read(file, (text) => new x509.X509Certificate(text)),
    key: await read(keyFile, (text) => crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(text), ALGORITHM, false, ['sign'])),
  };
}

async function issue(root: Root, host: string, now: number): Promise<Omit<StoredCertificate, 'authority'>> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [notBefore, notAfter] = [now - BACKDATE_MS, now + LEAF_DAYS * DAY_MS];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: randomBytes(16).toString('hex'),
      subject: `CN=${host.length <= 64 ? host : 'Petstore'}`,
      issuer: root.certificate.subject,
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: root.key,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
        await x509.AuthorityKeyIdentifierExtension.create(root.certificate, false, crypto),
      ],
    },
    crypto,
  );
  const privateKey = pem(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { host, chain: certificate.toString('pem'), privateKey, notBefore, notAfter };
}

function pem(pkcs8: ArrayBuffer): string {
  return x509.PemConverter.encode(pkcs8, 'PRIVATE KEY');
}
