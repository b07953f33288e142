// Sets the records of custom domains at Cloudflare, for owners whose zones are in one Cloudflare account.

import type { Adapter } from 'petstore-platform';
import { createApi } from './api.ts';
import { createCloudflarePublisher } from './publisher.ts';

/** Where the zones are, and whose they are. */
export interface CloudflareOptions {
  /** An API token with the permissions Zone Read and DNS Write for these zones. */
  readonly token: string;
  /** The id of the account that may set records in each zone, such as `{ 'shop.dev': 'acc_H1XemXW8xy' }`. The nearest zone decides. */
  readonly zones: Readonly<Record<string, string>>;
  /** Base URL of the API. @default Cloudflare's */
  readonly url?: string;
}

const ZONE = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;
const ACCOUNT = /^acc_[0-9A-Za-z]{10}$/;

/**
 * The adapter for `petstore.config.ts`. It finds every zone before the service starts, so a wrong token is reported then.
 *
 * @example
 * ```ts
 * export default defineConfig({
 *   adapters: [cloudflareDns({ token: process.env.CLOUDFLARE_API_TOKEN ?? '', zones: { 'shop.dev': 'acc_H1XemXW8xy' } })],
 * });
 * ```
 */
export function cloudflareDns({ token, zones, url = 'https://api.cloudflare.com/client/v4' }: CloudflareOptions): Adapter<'recordPublisher'> {
  return {
    name: 'petstore-cloudflare-dns',
    provides: ['recordPublisher'],
    open: async () => {
      const problems = [
        ...(token === '' ? ['token: empty; allowed: a Cloudflare API token'] : []),
        ...Object.keys(zones).flatMap((zone) =>
          ZONE.test(zone) ? [] : [`zones: got ${JSON.stringify(zone)}; allowed: names in lower case, such as shop.dev`],
        ),
        ...Object.values(zones).flatMap((id) =>
          ACCOUNT.test(id) ? [] : [`zones: got ${JSON.stringify(id)}; allowed: account ids, such as acc_H1XemXW8xy`],
        ),
      ];
      if (problems.length > 0) throw new Error(problems.join('; '));
      const api = createApi(url, token);
      const owned = await Promise.all(Object.entries(zones).map(async ([name, accountId]) => ({ id: await api.zoneId(name), name, accountId })));
      return { ports: { recordPublisher: createCloudflarePublisher(api, owned) } };
    },
  };
}
