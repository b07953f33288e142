// Reads a request's body, up to a limit.

import type { IncomingMessage } from 'node:http';

export interface ReadBody {
  /** Undefined if the request has none; at most one byte more than the limit. */
  readonly bytes: Buffer | undefined;
  /** False if the rest was left unread, so the connection can't be reused. */
  readonly complete: boolean;
}

/** The client closed the connection before its request was complete, so no response is possible. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Whether the client sends the body only after `100 Continue`, which has not been sent yet. Node's own condition. */
export function awaitsContinue({ headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** Reads the body. Rejects with ClientGoneError if the client disconnects before the end. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<ReadBody> | ReadBody {
  const { headers } = request;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) return { bytes: undefined, complete: true };
  // The announced size is enough to refuse it.
  if (Number(length) > limitBytes) return { bytes: Buffer.alloc(0), complete: false };
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size <= limitBytes) return;
      request.pause();
      resolve({ bytes: Buffer.concat(chunks).subarray(0, limitBytes + 1), complete: false });
    });
    request.on('end', () => resolve({ bytes: Buffer.concat(chunks), complete: true }));
    request.on('error', () => reject(new ClientGoneError()));
    // An error with its stack is not made for each request that ends well: they close, too.
    request.on('close', () => {
      if (!request.complete) reject(new ClientGoneError());
    });
  });
}
