// Reads a form sent by a browser (application/x-www-form-urlencoded), up to a size limit.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { html, problemPage } from './sign-in-page.ts';

/**
 * Reads the form.
 *
 * @param maxBytes beyond this reading stops, and the connection can't be reused
 * @returns `gone` if the client disconnected before the form was complete, so no response is possible
 */
async function readForm(request: IncomingMessage, maxBytes: number): Promise<URLSearchParams | 'too large' | 'gone'> {
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

/** Maximum size of a form: what browsers send of a passkey has some 3,000 bytes. */
const MAX_FORM_BYTES = 16_384;

/**
 * Reads a form of ours. Answers the request itself if it is too large.
 *
 * @param back URL to go on at
 * @returns undefined if the request is answered, or can't be
 */
export async function formOf(request: IncomingMessage, response: ServerResponse, back: string): Promise<URLSearchParams | undefined> {
  const form = await readForm(request, MAX_FORM_BYTES);
  if (form === 'gone') return undefined;
  if (form !== 'too large') return form;
  response.setHeader('connection', 'close');
  html(response, 413, problemPage(`The form is too large: at most ${MAX_FORM_BYTES} bytes.`, back));
  return undefined;
}

/**
 * Whether a form was sent by a page of ours. Cookies alone don't say that: browsers send them with forms of sibling names, too.
 *
 * @param origin of our pages
 */
export function isFromHere({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  // From browsers before 2023, at plain http with a name, and from programs, which have no other page's cookies.
  return headers.origin === undefined || headers.origin === origin;
}
