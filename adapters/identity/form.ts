// Reads a form sent by a browser (application/x-www-form-urlencoded), up to a size limit.

import type { IncomingMessage } from 'node:http';

/**
 * Reads the form.
 *
 * @param maxBytes beyond this reading stops, and the connection can't be reused
 * @returns `gone` if the client disconnected before the form was complete, so no response is possible
 */
export async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams | 'too large' | 'gone'> {
  // The announced size is enough to refuse the form.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too large';
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Keeps the request open, so that it can still be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) return 'too large';
      chunks.push(chunk);
    }
  } catch {
    // The only cause is a closed connection.
    return 'gone';
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
