// Operations that will be removed: each of their responses announces it, and they are refused after their sunset.

import type { Refusal } from './errors.ts';
import type { Deprecation } from './router.ts';

/** Adds `Deprecation`, `Sunset` and `Link` headers. */
export function addDeprecationHeaders(headers: Record<string, string>, { since, sunset, successor }: Deprecation): void {
  headers.deprecation = `@${since / 1000}`;
  headers.sunset = new Date(sunset).toUTCString();
  headers.link = `<${successor}>; rel="successor-version"`;
}

/** @param now milliseconds since 1970 */
export function goneRefusal({ sunset, successor }: Deprecation, now: number): Refusal | undefined {
  if (now < sunset) return undefined;
  return { code: 'gone', message: `this operation was removed on ${new Date(sunset).toISOString().slice(0, 10)}; use GET ${successor}` };
}
