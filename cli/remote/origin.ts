// The address that `--url` names.

import { isIP } from 'node:net';
import { UsageError } from '../context.ts';

/**
 * Returns the origin of a URL that the user gave. Tokens must not travel in the clear, so http is for this computer only.
 *
 * @throws UsageError that says what is allowed
 */
export function originOf(text: string): string {
  const url = URL.parse(text);
  const allowed = 'allowed: the address of a dashboard, such as https://pets.example.com; http only on this computer';
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new UsageError(`--url: got ${JSON.stringify(text)}; ${allowed}`);
  if (url.username !== '' || url.password !== '') throw new UsageError(`--url: got a user name or password; ${allowed}`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) throw new UsageError(`--url: got ${JSON.stringify(url.origin)}; ${allowed}`);
  return url.origin;
}

/** Whether a host name can only mean this computer (RFC 6761, section 6.3). */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host.endsWith('.localhost') || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}
