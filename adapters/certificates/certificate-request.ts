// Certificate requests (PKCS #10, RFC 2986) for one name.

import { createPrivateKey, createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export const certificateRequest = {
  /** @param privateKey PEM, P-256 @returns DER in base64url, as RFC 8555, section 7.4, wants it */
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
