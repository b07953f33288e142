// Signs requests to the emulator that were changed, or that no SDK client makes.

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Checksum, SourceData } from '@smithy/types';
import { partsOf, type WireRequest } from './wire/request.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

class Sha256 implements Checksum {
  readonly #secret: SourceData | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: SourceData) {
    this.#secret = secret;
    this.#hash = this.#start();
  }

  #start(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.#secret));
  }

  update(data: SourceData): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#start();
  }
}

function bytesOf(data: SourceData): Uint8Array | string {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
}

const DROPPED =
  /^(?:authorization|connection|expect|transfer-encoding|content-length|user-agent|content-md5|amz-sdk-.*|x-amz-(?:date|security-token|content-sha256|decoded-content-length|trailer|user-agent|sdk-checksum-algorithm|checksum-.*|region-set))$/;

/** Signs a request again. Headers of the old signature, and checksums of the old body, are left out. */
export async function signed(request: WireRequest, service: string, region: string, credentials: Credentials): Promise<WireRequest> {
  const { path, query } = partsOf(request.url);
  const kept = Object.entries(request.headers).filter(([name]) => !DROPPED.test(name));
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath: service !== 's3' });
  const { headers } = await signer.sign({
    protocol: 'http:',
    hostname: 'localhost',
    method: request.method,
    path,
    query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body: request.body,
  });
  return { ...request, headers };
}
