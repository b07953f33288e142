// What applies to all operations: limits by plan, pages, safe repeats, and when to retry.

import { PLANS } from '../../core/access/plans.ts';
import type { ApiName } from './document.ts';
import type { Api } from './source.ts';
import { Copied, Inline } from './text.tsx';

const PAGES = `curl -si 'HOST/v1/pets?limit=100' -H 'Authorization: Bearer YOUR_API_KEY' | grep -i '^link:'
# link: <HOST/v1/pets?limit=100&cursor=…>; rel="next"`;

const TEXTS: Readonly<Record<ApiName, readonly (readonly [title: string, text: string])[]>> = {
  catalogue: [
    [
      'Pages',
      'A list has a `Link` header with `rel="next"` until its last page: follow it unchanged. A cursor works only with the filter that it was issued for.',
    ],
    [
      'Safe repeats',
      'A `POST` with an `Idempotency-Key` can be sent again for 24 hours: the same `Idempotency-Key` and body get the first answer, and nothing is created twice. Another body gets 422.',
    ],
    [
      'When to retry',
      'After 429 and 503, wait as many seconds as `Retry-After` says; after 500 or no answer, wait a second, then twice as long each time. Keys that keep sending requests after 429 are banned for 5 minutes, then for longer. Other 4xx answers are not worth a retry until the request changes.',
    ],
  ],
  control: [
    ['Pages', 'Lists with `limit` and `cursor` have a `Link` header with `rel="next"` until their last page.'],
    ['Safe repeats', 'Operations that create something take an `Idempotency-Key`: the same key and body get the first response again, for 24 hours.'],
    [
      'Safe changes',
      'Send the `ETag` of a `GET` as `If-Match` with a change: 412 means that someone else has changed the resource meanwhile. `If-None-Match` gets 304 while nothing has changed.',
    ],
    ['When to retry', 'A user may send 600 requests a minute. After 429 and 503, wait as many seconds as `Retry-After` says.'],
  ],
};

/** The section. */
export function Guide({ api }: { readonly api: Api }) {
  const { name, origin } = api;
  return (
    <section id="guide">
      <h2>Limits, pages and retries</h2>
      {name === 'catalogue' && (
        <>
          <ul>
            {Object.values(PLANS).map(({ label, limits }) => (
              <li key={label}>
                {label}:{' '}
                {limits === undefined
                  ? 'as agreed'
                  : `${limits.perMinute.toLocaleString('en')} requests a minute, ${limits.perDay.toLocaleString('en')} a day (UTC)`}
              </li>
            ))}
          </ul>
          <p>
            <Inline text="All keys of an account share its limits. `X-RateLimit-Remaining` and `X-RateLimit-Reset` say what is left and when it resets; a request refused with 429 uses up nothing." />
          </p>
        </>
      )}
      <dl>
        {TEXTS[name].map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <Inline text={text} />
            </dd>
          </div>
        ))}
      </dl>
      {name === 'catalogue' && <Copied label="The next page, with curl" language="curl" text={PAGES.replaceAll('HOST', origin)} />}
    </section>
  );
}
