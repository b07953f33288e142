// Reads a form that a browser has sent (application/x-www-form-urlencoded), up to a limit.

import type { IncomingMessage } from 'node:http';

/**
 * @param maxBytes beyond that no more is read, and the connection can't be used again
 * @returns `gone` if the client closed the connection before its form was whole: there is nobody to answer
 */
export async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams | 'too large' | 'gone'> {
  // Announced as too large: not a byte of it is needed to refuse it.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Destroyed, it could not be answered any more.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) return 'too large';
      chunks.push(chunk);
    }
  } catch {
    // A request fails to arrive for no other reason.
    return 'gone';
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
