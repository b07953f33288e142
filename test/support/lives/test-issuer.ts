// Issues certificates with any dates, for the keys of certificate requests.

import { randomBytes, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface TestIssuer {
  /** PEM. */
  readonly root: string;
  /**
   * @param csr base64url
   * @param notBefore milliseconds since 1970, as is notAfter
   * @returns the chain in PEM, and the certificate's id (RFC 9773, section 4.1)
   */
  issue(csr: string, notBefore: number, notAfter: number): Promise<{ readonly chain: string; readonly id: string }>;
}

/** Creates an issuer with a root of its own. */
export async function createTestIssuer(): Promise<TestIssuer> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: 'CN=Pebble Intermediate of tests, O=Pebble',
      notBefore: new Date('2020-01-01'),
      notAfter: new Date('2060-01-01'),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  const identifier = await x509.AuthorityKeyIdentifierExtension.create(root, false, webcrypto);
  return {
    root: root.toString('pem'),
    issue: async (csr, notBefore, notAfter) => {
      const asked = new x509.Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'));
      // Positive: the first bit is not set.
      const serial = Buffer.concat([Buffer.from([0x11]), randomBytes(15)]);
      const certificate = await x509.X509CertificateGenerator.create(
        {
          serialNumber: serial.toString('hex'),
          subject: '',
          issuer: root.subject,
          notBefore: new Date(notBefore),
          notAfter: new Date(notAfter),
          signingAlgorithm: ALGORITHM,
          publicKey: asked.publicKey,
          signingKey: keys.privateKey,
          extensions: [...asked.extensions, identifier],
        },
        webcrypto,
      );
      const id = `${Buffer.from(identifier.keyId ?? '', 'hex').toString('base64url')}.${serial.toString('base64url')}`;
      return { chain: `${certificate.toString('pem')}\n${root.toString('pem')}\n`, id };
    },
  };
}
